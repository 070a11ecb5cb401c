#include "naja/ir/naming.h"
#include "naja/ir/text_cursor.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace naja::ir {
namespace {

const std::unordered_map<std::string_view, Opcode> &opcodes() {
  static const auto *table = [] {
    auto *map = new std::unordered_map<std::string_view, Opcode>;
#define NAJA_INST(Enum, text, operands, result, attr, effects) map->emplace(text, Opcode::Enum);
#define NAJA_TERM(Enum, text, operands, attr, effects) map->emplace(text, Opcode::Enum);
#include "naja/ir/instructions.def"
    return map;
  }();
  return *table;
}

template <class E> std::optional<int64_t> enumValue(std::string_view word, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (text(static_cast<E>(i)) == word)
      return i;
  }
  return std::nullopt;
}
constexpr unsigned kMathFunctions =
#define NAJA_MATH(Enum, text, arity, real, complex) 1 +
#include "naja/ir/math_functions.def"
    0;

/// Where a name was used before all names are known.
struct ValueUse {
  std::string name;
  InstId inst;
  int edge; // -1: an operand
  size_t index;
  int line;
};
struct CalleeUse {
  std::string name;
  Function *function;
  InstId inst;
  int line;
};

class Parser {
public:
  explicit Parser(std::string_view text) {
    while (!text.empty()) {
      size_t end = std::min(text.find('\n'), text.size());
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::variant<std::unique_ptr<Module>, ParseError> run() {
    while (!failed_ && nextLine())
      function();
    for (const CalleeUse &use : callees_) {
      auto found = functions_.find(use.name);
      if (found == functions_.end())
        fail("no function @" + use.name, use.line);
      else
        use.function->inst(use.inst).attr = found->second.value;
    }
    if (failed_)
      return *failed_;
    return std::move(module_);
  }

private:
  bool fail(std::string message, int line = 0) {
    if (!failed_)
      failed_ = ParseError{std::move(message), line > 0 ? line : static_cast<int>(line_)};
    return false;
  }

  /// Advances to the next line with text; comments start with ';' or "//".
  bool nextLine() {
    while (line_ < lines_.size()) {
      cursor_ = TextCursor(lines_[line_++]);
      if (!cursor_.atEnd() && !cursor_.peek(";") && !cursor_.peek("//"))
        return true;
    }
    return false;
  }

  void function() {
    bool is_root = cursor_.take("root ");
    bool is_extern = cursor_.take("extern ");
    if (!is_extern && !cursor_.take("func ")) {
      fail("expected func or extern");
      return;
    }
    auto owned = std::make_unique<Function>();
    f_ = owned.get();
    f_->external = is_extern;
    auto name = cursor_.functionName();
    if (!name || !header()) {
      fail("malformed function header");
      return;
    }
    f_->name = *name;
    FunctionId id = module_->add(std::move(owned));
    functions_[*name] = id;
    if (is_root)
      module_->root = id;
    if (!is_extern && (cursor_.take("{") || fail("expected {")))
      body();
  }

  bool header() {
    if (!cursor_.take("("))
      return false;
    while (!cursor_.take(")")) {
      std::string_view param = cursor_.until(":,)");
      if (!param.empty())
        f_->param_names.emplace_back(param == "_" ? "" : param);
      if (cursor_.take(":")) {
        auto type = cursor_.type();
        if (!type)
          return false;
        f_->param_types.push_back(*type);
      }
      if (!cursor_.take(",") && !cursor_.peek(")"))
        return false;
    }
    if (cursor_.take("->")) {
      auto type = cursor_.type();
      if (!type)
        return false;
      f_->return_type = *type;
    }
    return !cursor_.take("[") || attributes();
  }

  bool attributes() {
    const std::pair<std::string_view, bool *> words[] = {
        {"typed", &f_->typed},
        {"kernel", &f_->is_kernel},
        {"error_model_numpy", &f_->flags.error_model_numpy},
        {"boundscheck", &f_->flags.boundscheck},
        {"nogil", &f_->flags.nogil},
        {"debug", &f_->flags.debug},
        {"forceinline", &f_->flags.forceinline},
        {"no_wrap_checks", &f_->flags.no_wrap_checks}};
    while (!cursor_.take("]")) {
      cursor_.take(",");
      std::string_view word = cursor_.until(",]=");
      auto known = std::find_if(std::begin(words), std::end(words), [&](const auto &w) { return w.first == word; });
      if (known != std::end(words)) {
        *known->second = true;
      } else if (word == "no_raise") {
        f_->may_raise = false;
      } else if (word == "parallel" && cursor_.take("=")) {
        f_->flags.parallel = static_cast<uint8_t>(cursor_.integer().value_or(0));
      } else if (word == "fastmath" && cursor_.take("=")) {
        f_->flags.fastmath = static_cast<uint8_t>(cursor_.integer().value_or(0));
      } else if (word == "file" && cursor_.take("=")) {
        auto file = cursor_.quoted();
        if (!file || !cursor_.take(":"))
          return false;
        f_->file = *file;
        f_->first_line = static_cast<int>(cursor_.integer().value_or(0));
      } else {
        return fail("unknown attribute " + std::string(word));
      }
    }
    return true;
  }

  void body() {
    blocks_.clear();
    values_.clear();
    uses_.clear();
    findBlocks();
    BlockId block;
    while (!failed_ && nextLine()) {
      if (cursor_.peek("}")) {
        resolveValues();
        return;
      }
      if (isLabel())
        block = label();
      else if (!block.valid())
        fail("an instruction before the first block");
      else
        instruction(block);
    }
    fail("expected }");
  }

  /// "bb" and digits at the start of a line.
  bool isLabel() {
    cursor_.skipSpaces();
    std::string_view rest = cursor_.rest();
    return rest.size() > 2 && rest.starts_with("bb") && std::isdigit(static_cast<unsigned char>(rest[2])) != 0;
  }

  void findBlocks() {
    size_t line = line_;
    TextCursor saved = cursor_;
    while (nextLine() && !cursor_.peek("}")) {
      if (isLabel())
        blocks_.emplace(std::string(cursor_.until(":(")), f_->addBlock());
    }
    line_ = line;
    cursor_ = saved;
  }

  BlockId label() {
    BlockId block = blocks_.at(std::string(cursor_.until(":(")));
    if (cursor_.take("(")) {
      while (!cursor_.take(")")) {
        if (!cursor_.take("%")) {
          fail("expected a block parameter");
          return block;
        }
        std::string name(cursor_.until(":,)"));
        TypeId type;
        if (cursor_.take(":"))
          type = cursor_.type().value_or(TypeId());
        define(name, f_->addParam(block, type));
        cursor_.take(",");
      }
    }
    if (!cursor_.take(":"))
      fail("expected : after a block's label");
    f_->block(block).is_loop_header = cursor_.take("loop");
    return block;
  }

  void define(const std::string &name, ValueId value) {
    if (!values_.emplace(name, value).second)
      fail("%" + name + " is defined twice");
    size_t dot = name.rfind('.');
    if (dot != std::string::npos && dot > 0)
      f_->value(value).name = internSymbol(std::string_view(name).substr(0, dot));
  }

  BlockId blockNamed(std::string_view name) {
    auto found = blocks_.find(std::string(name));
    if (found != blocks_.end())
      return found->second;
    fail("no block " + std::string(name));
    return {};
  }

  void instruction(BlockId block) {
    std::string result;
    if (cursor_.take("%")) {
      result = std::string(cursor_.until("="));
      if (!cursor_.take("=")) {
        fail("expected =");
        return;
      }
    }
    std::string_view word = cursor_.until("");
    auto opcode = opcodes().find(word);
    if (opcode == opcodes().end()) {
      fail("no instruction " + std::string(word));
      return;
    }
    Inst inst;
    inst.op = opcode->second;
    InstId id(static_cast<uint32_t>(f_->numInsts()));
    if (!attribute(inst, id) || !operands(inst, id) || !suffix(inst))
      return;
    if (!cursor_.atEnd()) {
      fail("unexpected: " + std::string(cursor_.rest()));
      return;
    }
    bool has_result = info(inst.op).has_result;
    if (has_result != !result.empty()) {
      fail(has_result ? "an instruction without its result" : "an instruction that has no result");
      return;
    }
    f_->append(block, std::move(inst));
    if (has_result)
      define(result, f_->inst(id).result);
  }

  bool attribute(Inst &inst, InstId id) {
    std::optional<int64_t> value = 0;
    switch (info(inst.op).attr) {
    case AttrKind::None: case AttrKind::SymbolList: case AttrKind::IntList: break;
    case AttrKind::Int: value = integerAttribute(); break;
    case AttrKind::Const: {
      bool absent = false;
      ConstId constant = cursor_.constant(&absent);
      value = constant.valid() || absent ? std::optional<int64_t>(constant.value) : std::nullopt;
      break;
    }
    case AttrKind::Symbol: {
      auto symbol = cursor_.quoted();
      value = symbol ? std::optional<int64_t>(internSymbol(*symbol).value) : std::nullopt;
      break;
    }
    case AttrKind::Func: {
      auto name = cursor_.functionName();
      if (!name)
        return fail("expected a function");
      callees_.push_back({*name, f_, id, static_cast<int>(line_)});
      break;
    }
    case AttrKind::BinaryOp: value = enumValue<BinaryOp>(cursor_.until(""), 13); break;
    case AttrKind::UnaryOp: value = enumValue<UnaryOp>(cursor_.until(""), 4); break;
    case AttrKind::Predicate: value = enumValue<Predicate>(cursor_.until(""), 6); break;
    case AttrKind::MathFn: value = enumValue<MathFn>(cursor_.until(""), kMathFunctions); break;
    }
    if (!value)
      return fail("malformed attribute");
    inst.attr = *value;
    return !cursor_.take("[") || intList(inst);
  }

  std::optional<int64_t> integerAttribute() {
    if (cursor_.take("#"))
      return cursor_.integer();
    int64_t bits = cursor_.take("nsw") ? kNoWrapSigned : 0;
    return bits | (cursor_.take("nuw") ? kNoWrapUnsigned : 0);
  }

  bool intList(Inst &inst) {
    while (!cursor_.take("]")) {
      std::optional<int64_t> value;
      if (info(inst.op).attr == AttrKind::SymbolList) {
        auto symbol = cursor_.quoted();
        value = symbol ? std::optional<int64_t>(internSymbol(*symbol).value) : std::nullopt;
      } else {
        value = cursor_.integer();
      }
      if (!value)
        return fail("malformed list");
      inst.int_list.push_back(*value);
      cursor_.take(",");
    }
    return true;
  }

  bool operands(Inst &inst, InstId id) {
    while (cursor_.peek("%") || isLabel()) {
      if (cursor_.take("%")) {
        use(id, -1, inst.operands.size());
        inst.operands.emplace_back();
      } else {
        Edge edge;
        edge.target = blockNamed(cursor_.until("(,"));
        if (cursor_.take("(")) {
          while (!cursor_.take(")")) {
            if (!cursor_.take("%"))
              return fail("expected an edge argument");
            use(id, static_cast<int>(inst.edges.size()), edge.args.size());
            edge.args.emplace_back();
            cursor_.take(",");
          }
        }
        inst.edges.push_back(std::move(edge));
      }
      if (!cursor_.take(","))
        break;
    }
    return true;
  }

  void use(InstId id, int edge, size_t index) {
    uses_.push_back({std::string(cursor_.until(",)")), id, edge, index, static_cast<int>(line_)});
  }

  /// : type, no_raise, unwind, location
  bool suffix(Inst &inst) {
    if (cursor_.take(":")) {
      auto type = cursor_.type();
      if (!type)
        return fail("malformed type");
      inst.type = *type;
    }
    inst.no_raise = cursor_.take("no_raise");
    if (cursor_.take("unwind"))
      inst.unwind = blockNamed(cursor_.until(""));
    if (!cursor_.take("!"))
      return true;
    auto line = cursor_.integer();
    auto col = line && cursor_.take(":") ? cursor_.integer() : std::nullopt;
    if (!col)
      return fail("malformed location");
    inst.loc = {static_cast<int32_t>(*line), static_cast<int32_t>(*line), static_cast<int16_t>(*col), -1};
    if (cursor_.take("-")) {
      auto end_line = cursor_.integer();
      auto end_col = end_line && cursor_.take(":") ? cursor_.integer() : std::nullopt;
      if (!end_col)
        return fail("malformed location");
      inst.loc.end_line = static_cast<int32_t>(*end_line);
      inst.loc.end_col = static_cast<int16_t>(*end_col);
    }
    return true;
  }

  void resolveValues() {
    for (const ValueUse &use : uses_) {
      auto found = values_.find(use.name);
      if (found == values_.end()) {
        fail("no value %" + use.name, use.line);
        return;
      }
      Inst &inst = f_->inst(use.inst);
      if (use.edge < 0)
        inst.operands[use.index] = found->second;
      else
        inst.edges[static_cast<size_t>(use.edge)].args[use.index] = found->second;
    }
  }

  std::vector<std::string_view> lines_;
  size_t line_ = 0; // of the next line; 1-based number of the current one
  TextCursor cursor_{""};
  std::unique_ptr<Module> module_ = std::make_unique<Module>();
  std::unordered_map<std::string, FunctionId> functions_;
  std::vector<CalleeUse> callees_;
  std::optional<ParseError> failed_;

  Function *f_ = nullptr;
  std::unordered_map<std::string, BlockId> blocks_;
  std::unordered_map<std::string, ValueId> values_;
  std::vector<ValueUse> uses_;
};

} // namespace

std::variant<std::unique_ptr<Module>, ParseError> parseModule(std::string_view text) { return Parser(text).run(); }

} // namespace naja::ir
