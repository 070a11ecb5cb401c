// What typing asks of Python, answered with the GIL held: snapshots, attributes, implementations, types of objects.
#include "naja/bindings/compiler/compiler.h"

#include "naja/frontend/snapshot/snapshot.h"

#include <fmt/format.h>

namespace naja::bindings {
namespace {

using typing::PythonRequest;
using typing::Session;

/// The object that a constant holds by handle; null for plain values, which have no attributes to ask for.
PyObject *objectOfConstant(ConstId id) {
  return std::visit(
      [](const auto &value) -> PyObject * {
        if constexpr (requires { value.handle; })
          return frontend::objectOf(value.handle);
        else if constexpr (requires {
                             value.function;
                             value.dispatcher;
                           })
          return frontend::objectOf(value.dispatcher.valid() ? value.dispatcher : value.function);
        else
          return nullptr;
      },
      ConstantStore::global().get(id).value);
}

/// A function that Python answered with: plain, or a dispatcher's.
std::optional<FunctionRef> functionRefOf(nb::handle function) {
  const Constant &constant = ConstantStore::global().get(frontend::freeze(function.ptr()));
  if (const auto *ref = std::get_if<FunctionRef>(&constant.value)) return *ref;
  return std::nullopt;
}

void failWithPythonError(Session &session, const PythonRequest &request, nb::python_error &error,
                         const std::string &what) {
  error.restore();
  session.answerError(request, diagnosticOfPythonError(what));
}

void answerSnapshot(Session &session, const PythonRequest &request) {
  nb::handle function = frontend::objectOf(request.function.function);
  std::shared_ptr<const frontend::FunctionSnapshot> snapshot = frontend::snapshotFunction(function.ptr());
  if (!snapshot) throw nb::python_error();
  typing::FunctionOptions options;
  if (request.function.dispatcher.valid())
    options = optionsOfDispatcher(frontend::objectOf(request.function.dispatcher));
  session.answerSnapshot(request.function, std::move(snapshot), std::move(options));
}

void answerAttribute(Session &session, const PythonRequest &request) {
  PyObject *object = objectOfConstant(request.object);
  if (!object) return session.answerAttribute(request.object, request.name, std::nullopt);
  nb::object value = nb::steal(PyObject_GetAttrString(object, request.name.c_str()));
  if (!value.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
    PyErr_Clear();
    return session.answerAttribute(request.object, request.name, std::nullopt);
  }
  session.answerAttribute(request.object, request.name, frontend::freeze(value.ptr()));
}

nb::tuple idTuple(std::span<const TypeId> types) {
  nb::object list = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(types.size())));
  for (size_t i = 0; i < types.size(); ++i)
    PyTuple_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLong(types[i].value));
  return nb::borrow<nb::tuple>(list);
}

/// Methods and attributes of values have no object: `name` and the receiver, which is the first argument.
void answerOverload(Session &session, const PythonRequest &request) {
  nb::object callable = nb::none(), name = nb::none();
  if (request.object.valid()) {
    PyObject *object = objectOfConstant(request.object);
    if (!object) return session.answerOverload(request, std::nullopt);
    callable = nb::borrow(object);
  } else {
    name = nb::str(request.name.c_str());
  }
  nb::list keywords;
  for (const std::string &keyword : request.keywords) keywords.append(nb::str(keyword.c_str()));
  nb::object found = nb::module_::import_("naja.extending")
                         .attr("find_implementation")(callable, name, idTuple(request.arg_types), keywords);
  std::optional<FunctionRef> implementation;
  if (found.ptr() == Py_True)
    implementation = FunctionRef{}; // not an attribute, but a method
  else if (!found.is_none())
    implementation = functionRefOf(found);
  session.answerOverload(request, implementation);
}

void answerTypeOf(Session &session, const PythonRequest &request) {
  std::optional<TypeId> type;
  if (PyObject *object = objectOfConstant(request.object)) {
    TypeId found = core->type_of(object);
    PyErr_Clear();
    if (found.valid()) type = found;
  }
  session.answerTypeOf(request.object, type);
}

/// "naja.library.sorting:sort"
void answerLibrary(Session &session, const PythonRequest &request) {
  size_t colon = request.name.find(':');
  nb::module_ module = nb::module_::import_(request.name.substr(0, colon).c_str());
  nb::object function = module.attr(request.name.substr(colon + 1).c_str());
  session.answerLibrary(request.name, functionRefOf(function));
}

struct Handler {
  void (*answer)(Session &, const PythonRequest &);
  std::string (*what)(const PythonRequest &);
};

/// By PythonRequest::Kind.
constexpr Handler kHandlers[] = {
    {answerSnapshot, [](const PythonRequest &r) { return fmt::format("reading the function {}", r.function.name); }},
    {answerAttribute, [](const PythonRequest &r) { return fmt::format("reading the attribute {}", r.name); }},
    {answerOverload,
     [](const PythonRequest &r) { return "an implementation of " + (r.object.valid() ? toString(r.object) : r.name); }},
    {answerTypeOf, [](const PythonRequest &r) { return "typeof(" + toString(r.object) + ")"; }},
    {answerLibrary, [](const PythonRequest &r) { return "the library function " + r.name; }},
};

} // namespace

void answerRequests(Session &session) {
  for (const PythonRequest &request : session.takeRequests()) {
    const Handler &handler = kHandlers[request.kind];
    try {
      handler.answer(session, request);
    } catch (nb::python_error &error) { failWithPythonError(session, request, error, handler.what(request)); }
  }
}

} // namespace naja::bindings
