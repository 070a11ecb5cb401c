#include "program.h"

#include "naja/frontend/snapshot/snapshot.h"
#include "naja/frontend/translate/translate.h"

namespace naja::frontend_test {
namespace {

using namespace naja::frontend;

PyObject *text(std::string_view value) {
  return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "surrogatepass");
}
template <class Items, class F> PyObject *listOf(const Items &items, F f) {
  PyObject *list = PyList_New(0);
  for (const auto &item : items) {
    PyObject *object = f(item);
    PyList_Append(list, object);
    Py_XDECREF(object);
  }
  return list;
}

PyObject *objectOfConstant(ConstId id);

struct ToObject {
  PyObject *handle(PyHandle h) const { return Py_NewRef(objectOf(h)); }
  PyObject *operator()(Null) const { return Py_NewRef(Py_None); }
  PyObject *operator()(Ellipsis) const { return Py_NewRef(Py_Ellipsis); }
  PyObject *operator()(bool value) const { return PyBool_FromLong(value ? 1 : 0); }
  PyObject *operator()(int64_t value) const { return PyLong_FromLongLong(value); }
  PyObject *operator()(uint64_t value) const { return PyLong_FromUnsignedLongLong(value); }
  PyObject *operator()(double value) const { return PyFloat_FromDouble(value); }
  PyObject *operator()(const std::complex<double> &value) const {
    return PyComplex_FromDoubles(value.real(), value.imag());
  }
  PyObject *operator()(const std::string &value) const { return text(value); }
  PyObject *operator()(const Bytes &value) const {
    return PyBytes_FromStringAndSize(value.data.data(), static_cast<Py_ssize_t>(value.data.size()));
  }
  PyObject *operator()(const ConstTuple &value) const {
    PyObject *list = listOf(value.items, objectOfConstant);
    PyObject *tuple = PyList_AsTuple(list);
    Py_DECREF(list);
    if (!value.named_class.valid()) return tuple;
    PyObject *named = PyObject_CallObject(objectOf(value.named_class), tuple);
    Py_DECREF(tuple);
    return named;
  }
  PyObject *operator()(const BigInt &value) const { return PyLong_FromString(value.decimal.c_str(), nullptr, 0); }
  PyObject *operator()(const ConstSlice &value) const {
    PyObject *start = objectOfConstant(value.start), *stop = objectOfConstant(value.stop),
             *step = objectOfConstant(value.step);
    PyObject *slice = PySlice_New(start, stop, step);
    Py_XDECREF(start);
    Py_XDECREF(stop);
    Py_XDECREF(step);
    return slice;
  }
  PyObject *operator()(const ModuleRef &value) const { return handle(value.handle); }
  PyObject *operator()(const BuiltinRef &value) const { return handle(value.handle); }
  PyObject *operator()(const FunctionRef &value) const { return handle(value.function); }
  PyObject *operator()(const ExceptionRef &value) const { return handle(value.handle); }
  PyObject *operator()(const TypeRef &value) const { return handle(value.handle); }
  PyObject *operator()(const NamedTupleClass &value) const { return handle(value.handle); }
  PyObject *operator()(const ArrayRef &value) const { return handle(value.handle); }
  PyObject *operator()(const ObjectRef &value) const { return handle(value.handle); }
};

PyObject *objectOfConstant(ConstId id) { return std::visit(ToObject{}, ConstantStore::global().get(id).value); }

PyObject *attribute(const ir::Inst &inst, Py_ssize_t first_inner) {
  switch (ir::info(inst.op).attr) {
  case ir::AttrKind::Const: return objectOfConstant(inst.constant());
  case ir::AttrKind::Symbol: return text(ir::symbolText(inst.symbol()));
  case ir::AttrKind::BinaryOp: return text(ir::text(inst.binaryOp()));
  case ir::AttrKind::UnaryOp: return text(ir::text(inst.unaryOp()));
  case ir::AttrKind::Predicate: return text(ir::text(inst.predicate()));
  default: return PyLong_FromLongLong(inst.attr + (inst.op == ir::Opcode::GMakeFunction ? first_inner : 0));
  }
}

PyObject *integer(ir::ValueId id) { return PyLong_FromLong(id.valid() ? static_cast<long>(id.value) : -1); }

PyObject *instruction(const ir::Inst &inst, Py_ssize_t first_inner) {
  const bool symbols = ir::info(inst.op).attr == ir::AttrKind::SymbolList;
  PyObject *list = listOf(inst.int_list, [&](int64_t item) {
    return symbols ? text(ir::symbolText(ir::SymbolId(static_cast<uint32_t>(item)))) : PyLong_FromLongLong(item);
  });
  if (inst.op == ir::Opcode::GMakeFunction) { // {captured, defaults, names of keyword-only defaults...}
    for (size_t i = 2; i < inst.int_list.size(); ++i)
      PyList_SetItem(list, static_cast<Py_ssize_t>(i),
                     text(ir::symbolText(ir::SymbolId(static_cast<uint32_t>(inst.int_list[i])))));
  }
  PyObject *edges = listOf(inst.edges, [](const ir::Edge &edge) {
    return Py_BuildValue("(kN)", static_cast<unsigned long>(edge.target.value), listOf(edge.args, integer));
  });
  return Py_BuildValue("(NNNNNN)", text(ir::info(inst.op).text), integer(inst.result), listOf(inst.operands, integer),
                       attribute(inst, first_inner), list, edges);
}

PyObject *functionData(const ir::Function &f, const CodeSnapshot &code, Py_ssize_t first_inner) {
  PyObject *blocks = PyList_New(0);
  for (uint32_t b = 0; b < f.numBlocks(); ++b) {
    const ir::Block &block = f.block(ir::BlockId(b));
    PyObject *insts = listOf(block.insts, [&](ir::InstId id) { return instruction(f.inst(id), first_inner); });
    PyObject *data =
        Py_BuildValue("(NNN)", listOf(block.params, integer), insts, PyBool_FromLong(block.is_loop_header));
    PyList_Append(blocks, data);
    Py_DECREF(data);
  }
  PyObject *names = listOf(f.param_names, [](const std::string &name) { return text(name); });
  return Py_BuildValue("(NNN(iii))", text(f.name), names, blocks, code.arg_count, code.keyword_only,
                       code.has_varargs ? 1 : 0);
}

bool addFunction(const FunctionSnapshot &snapshot, PyObject *out, Py_ssize_t index) {
  auto result = translate(snapshot, index > 0);
  if (!result) {
    PyErr_SetString(PyExc_SyntaxError, result.error().message.c_str());
    return false;
  }
  const Py_ssize_t first_inner = PyList_GET_SIZE(out);
  for (size_t i = 0; i < result->inner.size(); ++i) PyList_Append(out, Py_None);
  PyList_SetItem(out, index, functionData(*result->function, *snapshot.code, first_inner));
  for (size_t i = 0; i < result->inner.size(); ++i) {
    if (!addFunction(*result->inner[i], out, first_inner + static_cast<Py_ssize_t>(i))) return false;
  }
  return true;
}

} // namespace

PyObject *program(PyObject *, PyObject *function) {
  auto snapshot = snapshotFunction(function);
  if (!snapshot) return nullptr;
  PyObject *out = PyList_New(0);
  PyList_Append(out, Py_None);
  if (!addFunction(*snapshot, out, 0)) {
    Py_DECREF(out);
    return nullptr;
  }
  return out;
}

} // namespace naja::frontend_test
