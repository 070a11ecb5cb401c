// The parts of freeze(): each returns an invalid id where the object is none of its kinds.
#pragma once

#include "naja/frontend/snapshot/python.h"
#include "naja/types/constant.h"

namespace naja::frontend {

/// Tuples in tuples, as deep as anybody needs: what walks them does so recursively, here and in every later layer.
class Nesting {
public:
  Nesting() { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting &) = delete;
  Nesting &operator=(const Nesting &) = delete;
  bool tooDeep() const { return depth_ > 500; }

private:
  static inline thread_local int depth_ = 0;
};

/// None, numbers, text, tuples, named tuples, slices, NumPy scalars and arrays: what has a value.
ConstId freezeValue(PyObject *object);
/// Modules, functions, classes, dtypes, types: what has an identity.
ConstId freezeEntity(PyObject *object);

/// A set literal in code that is only asked for membership (`x in {1, 2}`): a tuple in an order that does not depend on
/// hashes.
ConstId freezeFrozenSet(PyObject *object);
/// A Python int (exact): int64, uint64, or its decimal text.
ConstId freezeInt(PyObject *object);
/// Field names of a named tuple class; empty for other classes.
std::vector<std::string> namedTupleFields(PyTypeObject *type);

} // namespace naja::frontend
