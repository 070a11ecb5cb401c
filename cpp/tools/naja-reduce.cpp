// naja-reduce: makes NIR text that shows a bug smaller.
//   naja-reduce file.nir 'command' [-o out.nir]
// The command is run by the shell with the file's path in $NIR; it says by status 0 that the bug still shows. For example
//   naja-reduce crash.nir 'naja-opt --pipeline --verify $NIR 2>&1 | grep -q "does not dominate"'
// Steps, repeated until none helps: functions and runs of lines go, a result becomes undef, a branch goes one way only. Only text
// that parses and that the verifier accepts is tried (if it accepts the input).
#include "naja/ir/function.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using Lines = std::vector<std::string>;

Lines split(const std::string &text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
std::string join(const Lines &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

bool wellFormed(const std::string &text) {
  auto parsed = naja::ir::parseModule(text);
  auto *module = std::get_if<std::unique_ptr<naja::ir::Module>>(&parsed);
  return module != nullptr && !(*module)->functions.empty() && naja::ir::verify(**module).empty();
}

class Reducer {
public:
  Reducer(Lines lines, const std::string &command) : lines_(std::move(lines)), command_(command) {
    path_ = "/tmp/naja-reduce-" + std::to_string(getpid()) + ".nir";
    setenv("NIR", path_.c_str(), 1);
    verified_ = wellFormed(join(lines_));
  }
  ~Reducer() { unlink(path_.c_str()); }

  bool interesting(const Lines &lines) {
    const std::string text = join(lines);
    if (verified_ && !wellFormed(text))
      return false;
    std::ofstream(path_) << text;
    return std::system(command_.c_str()) == 0;
  }

  const Lines &reduce() {
    bool smaller = true;
    while (smaller) {
      smaller = dropFunctions();
      for (size_t count = std::max<size_t>(lines_.size() / 2, 1); count > 0; count /= 2)
        smaller |= dropRuns(count);
      smaller |= rewriteLines();
    }
    return lines_;
  }

private:
  bool take(Lines candidate) {
    if (!interesting(candidate))
      return false;
    lines_ = std::move(candidate);
    std::cerr << "naja-reduce: " << lines_.size() << " lines\n";
    return true;
  }

  bool dropFunctions() {
    bool dropped = false;
    for (size_t first = 0; first < lines_.size(); ++first) {
      if (lines_[first].find("func @") == std::string::npos)
        continue;
      size_t last = first;
      while (last + 1 < lines_.size() && lines_[last] != "}")
        ++last;
      dropped |= take(without(first, last - first + 1));
    }
    return dropped;
  }

  bool dropRuns(size_t count) {
    bool dropped = false;
    for (size_t end = lines_.size(); end >= count; end -= std::min(end, count)) {
      dropped |= take(without(end - count, count));
      end = std::min(end, lines_.size());
    }
    return dropped;
  }

  Lines without(size_t first, size_t count) const {
    Lines candidate(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(first));
    candidate.insert(candidate.end(), lines_.begin() + static_cast<std::ptrdiff_t>(first + count), lines_.end());
    return candidate;
  }

  bool rewriteLines() {
    bool rewritten = false;
    for (size_t i = 0; i < lines_.size(); ++i) {
      for (const std::string &simpler : simplerForms(lines_[i])) {
        Lines candidate = lines_;
        candidate[i] = simpler;
        if (take(std::move(candidate))) {
          rewritten = true;
          break;
        }
      }
    }
    return rewritten;
  }

  static Lines simplerForms(const std::string &line) {
    size_t equals = line.find(" = "), type = line.rfind(" : ");
    if (equals != std::string::npos && type != std::string::npos && line.find("= undef") == std::string::npos)
      return {line.substr(0, equals) + " = undef" + line.substr(type)};
    size_t branch = line.find("cond_br ");
    if (branch == std::string::npos)
      return {};
    size_t first = line.find("bb", branch), second = line.rfind(", bb");
    if (first == std::string::npos || second == std::string::npos || second < first)
      return {};
    std::string indent = line.substr(0, branch) + "br ";
    return {indent + line.substr(first, second - first), indent + line.substr(second + 2)};
  }

  Lines lines_;
  std::string command_, path_;
  bool verified_ = false;
};

} // namespace

int main(int argc, char **argv) {
  bool has_output = argc == 5 && std::string(argv[3]) == "-o";
  if (argc != 3 && !has_output) {
    std::cerr << "usage: naja-reduce file.nir 'command with $NIR' [-o out.nir]\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  if (!in) {
    std::cerr << "naja-reduce: cannot read " << argv[1] << "\n";
    return 2;
  }
  Lines lines = split(std::string(std::istreambuf_iterator<char>(in), {}));
  Reducer reducer(lines, argv[2]);
  if (!reducer.interesting(lines)) {
    std::cerr << "naja-reduce: the command does not succeed on the input\n";
    return 1;
  }
  const std::string text = join(reducer.reduce());
  if (has_output)
    std::ofstream(argv[4]) << text;
  else
    std::cout << text;
  return 0;
}
