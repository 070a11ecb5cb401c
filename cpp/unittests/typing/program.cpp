#include "program.h"

#include <gtest/gtest.h>

namespace naja::typing {

std::string with(std::string text, std::string_view place, const std::string &by) {
  return text.replace(text.find(place), place.size(), by);
}

Program::Program(const std::string &text) {
  auto parsed = ir::parseModule(text);
  if (auto *failure = std::get_if<ir::ParseError>(&parsed))
    ADD_FAILURE() << "line " << failure->line << ": " << failure->message;
  else
    offline.emplace(std::move(std::get<0>(parsed)));
}

std::string Program::run(std::string_view args) {
  auto typed = offline->type(*parseTypeList(args), declared, compiled);
  if (!typed) {
    error = typed.error();
    return "error: " + error.message;
  }
  return_type = offline->resultType();
  module = std::move(*typed);
  std::string text = ir::print(*module);
  for (const std::string &complaint : ir::verify(*module)) ADD_FAILURE() << complaint << "\n" << text;
  return text;
}

std::string Program::result(std::string_view args) {
  std::string text = run(args);
  return text.starts_with("error:") ? text : toString(return_type);
}

} // namespace naja::typing
