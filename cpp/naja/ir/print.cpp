#include "naja/ir/naming.h"

#include <algorithm>
#include <cctype>

namespace naja::ir {

Naming::Naming(const Function &function)
    : function_(function), values_(function.numValues(), 0xffffffffU), blocks_(function.numBlocks(), 0xffffffffU) {
  uint32_t next_block = 0, next_value = 0;
  auto visit = [&](BlockId id) {
    blocks_[id.value] = next_block++;
    for (ValueId param : function.block(id).params)
      values_[param.value] = next_value++;
    for (InstId inst : function.block(id).insts) {
      if (ValueId result = function.inst(inst).result; result.valid())
        values_[result.value] = next_value++;
    }
  };
  order_ = function.reversePostOrder();
  for (BlockId id : order_)
    visit(id);
  for (uint32_t i = 0; i < function.numBlocks(); ++i) {
    if (blocks_[i] == 0xffffffffU && !function.block(BlockId(i)).dead) {
      order_.emplace_back(i);
      visit(BlockId(i));
    }
  }
}

std::string Naming::value(ValueId id) const {
  if (!id.valid() || id.value >= values_.size() || values_[id.value] == 0xffffffffU)
    return "%?";
  SymbolId name = function_.value(id).name;
  std::string number = std::to_string(values_[id.value]);
  if (!name.valid())
    return "%" + number;
  std::string text(symbolText(name));
  for (char &c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 0x80)
      c = '_';
  }
  return "%" + text + "." + number;
}

std::string Naming::block(BlockId id) const {
  if (!id.valid() || id.value >= blocks_.size() || blocks_[id.value] == 0xffffffffU)
    return "bb?";
  return "bb" + std::to_string(blocks_[id.value]);
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string functionName(std::string_view name) {
  bool plain = !name.empty();
  for (char c : name)
    plain = plain && (std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_.$<>-").find(c) != std::string_view::npos);
  return "@" + (plain ? std::string(name) : quote(name));
}

namespace {

/// The type that a literal has unless it says otherwise, and whether it is weak.
std::pair<TypeId, bool> naturalType(const ConstantValue &value) {
  TypeStore &s = types();
  if (std::holds_alternative<bool>(value))
    return {s.boolean, true};
  if (std::holds_alternative<int64_t>(value))
    return {s.int64, true};
  if (std::holds_alternative<uint64_t>(value))
    return {s.uint64, true};
  if (std::holds_alternative<double>(value))
    return {s.float64, true};
  if (std::holds_alternative<std::complex<double>>(value))
    return {s.complex128, true};
  return {};
}

class Printer {
public:
  Printer(const Function &function, const Module *module) : f_(function), module_(module), naming_(function) {}

  std::string run() {
    header();
    if (f_.external)
      return out_ + "\n";
    out_ += " {\n";
    for (BlockId id : naming_.order())
      block(id);
    return out_ + "}\n";
  }

private:
  void header() {
    out_ += f_.external ? "extern " : "func ";
    out_ += functionName(f_.name) + "(";
    size_t count = std::max(f_.param_names.size(), f_.param_types.size());
    for (size_t i = 0; i < count; ++i) {
      out_ += i > 0 ? ", " : "";
      if (i < f_.param_names.size())
        out_ += f_.param_names[i].empty() ? "_" : f_.param_names[i];
      if (i < f_.param_types.size())
        out_ += (i < f_.param_names.size() ? ": " : ": ") + toString(f_.param_types[i]);
    }
    out_ += ")";
    if (f_.return_type.valid())
      out_ += " -> " + toString(f_.return_type);
    std::string words = attributes();
    if (!words.empty())
      out_ += " [" + words + "]";
  }

  std::string attributes() const {
    std::string words;
    auto word = [&](bool on, const std::string &text) {
      if (on)
        words += (words.empty() ? "" : ", ") + text;
    };
    word(f_.typed, "typed");
    word(f_.is_kernel, "kernel");
    word(!f_.may_raise, "no_raise");
    word(f_.flags.error_model_numpy, "error_model_numpy");
    word(f_.flags.boundscheck, "boundscheck");
    word(f_.flags.nogil, "nogil");
    word(f_.flags.debug, "debug");
    word(f_.flags.forceinline, "forceinline");
    word(f_.flags.no_wrap_checks, "no_wrap_checks");
    word(f_.flags.parallel != 0, "parallel=" + std::to_string(f_.flags.parallel));
    word(f_.flags.fastmath != 0, "fastmath=" + std::to_string(f_.flags.fastmath));
    word(!f_.file.empty() || f_.first_line != 0, "file=" + quote(f_.file) + ":" + std::to_string(f_.first_line));
    return words;
  }

  void block(BlockId id) {
    const Block &b = f_.block(id);
    out_ += naming_.block(id);
    if (!b.params.empty()) {
      out_ += "(";
      for (size_t i = 0; i < b.params.size(); ++i) {
        out_ += (i > 0 ? ", " : "") + naming_.value(b.params[i]);
        type(f_.typeOf(b.params[i]), ": ");
      }
      out_ += ")";
    }
    out_ += b.is_loop_header ? ": loop\n" : ":\n";
    for (InstId inst : b.insts)
      instruction(f_.inst(inst));
  }

  void type(TypeId id, const char *before) {
    if (id.valid())
      out_ += before + toString(id);
  }

  void instruction(const Inst &inst) {
    out_ += "  ";
    if (inst.result.valid())
      out_ += naming_.value(inst.result) + " = ";
    out_ += info(inst.op).text;
    attribute(inst);
    const char *separator = " ";
    for (ValueId operand : inst.operands) {
      out_ += separator + naming_.value(operand);
      separator = ", ";
    }
    for (const Edge &edge : inst.edges) {
      out_ += separator + naming_.block(edge.target);
      separator = ", ";
      if (edge.args.empty())
        continue;
      out_ += "(";
      for (size_t i = 0; i < edge.args.size(); ++i)
        out_ += (i > 0 ? ", " : "") + naming_.value(edge.args[i]);
      out_ += ")";
    }
    type(inst.type, " : ");
    if (inst.no_raise)
      out_ += " no_raise";
    if (inst.unwind.valid())
      out_ += " unwind " + naming_.block(inst.unwind);
    if (inst.loc.known())
      location(inst.loc);
    out_ += "\n";
  }

  void location(const Loc &loc) {
    out_ += " !" + std::to_string(loc.line) + ":" + std::to_string(loc.col);
    if (loc.end_line != loc.line || loc.end_col != -1)
      out_ += "-" + std::to_string(loc.end_line) + ":" + std::to_string(loc.end_col);
  }

  void constant(ConstId id) {
    if (!id.valid()) {
      out_ += " ?";
      return;
    }
    const Constant &c = ConstantStore::global().get(id);
    out_ += " " + toString(id);
    auto [natural, weak] = naturalType(c.value);
    if (natural.valid() && (natural != c.type || weak != c.weak))
      out_ += (c.weak ? "!weak " : "!") + toString(c.type);
  }

  void attribute(const Inst &inst) {
    switch (info(inst.op).attr) {
    case AttrKind::None: break;
    case AttrKind::Int: integer(inst); break;
    case AttrKind::Const: constant(inst.constant()); break;
    case AttrKind::Symbol: out_ += " " + quote(symbolText(inst.symbol())); break;
    case AttrKind::SymbolList: break;
    case AttrKind::IntList: break;
    case AttrKind::Func: callee(inst.function()); break;
    case AttrKind::BinaryOp: out_ += " "; out_ += text(inst.binaryOp()); break;
    case AttrKind::UnaryOp: out_ += " "; out_ += text(inst.unaryOp()); break;
    case AttrKind::Predicate: out_ += " "; out_ += text(inst.predicate()); break;
    case AttrKind::MathFn: out_ += " "; out_ += text(inst.mathFn()); break;
    }
    bool is_list = info(inst.op).attr == AttrKind::IntList;
    if (inst.int_list.empty() && !is_list)
      return;
    out_ += " [";
    for (size_t i = 0; i < inst.int_list.size(); ++i) {
      out_ += i > 0 ? ", " : "";
      out_ += info(inst.op).attr == AttrKind::SymbolList
                  ? quote(symbolText(SymbolId(static_cast<uint32_t>(inst.int_list[i]))))
                  : std::to_string(inst.int_list[i]);
    }
    out_ += "]";
  }

  /// Wrap flags read as words; every other integer as #n.
  void integer(const Inst &inst) {
    if (inst.op != Opcode::IAdd && inst.op != Opcode::ISub && inst.op != Opcode::IMul) {
      out_ += " #" + std::to_string(inst.attr);
      return;
    }
    if ((inst.attr & kNoWrapSigned) != 0)
      out_ += " nsw";
    if ((inst.attr & kNoWrapUnsigned) != 0)
      out_ += " nuw";
  }

  void callee(FunctionId id) {
    bool known = module_ != nullptr && id.value < module_->functions.size();
    out_ += known ? " " + functionName(module_->get(id).name) : " @#" + std::to_string(id.value);
  }

  const Function &f_;
  const Module *module_;
  Naming naming_;
  std::string out_;
};

} // namespace

std::string print(const Function &function, const Module *module) { return Printer(function, module).run(); }

std::string print(const Module &module) {
  std::string text;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    text += i > 0 ? "\n" : "";
    if (module.root.value == i && i != 0)
      text += "root ";
    text += print(*module.functions[i], &module);
  }
  return text;
}

} // namespace naja::ir
