// Views: other geometry over the memory of an array. Shared by attributes, methods and functions.
#pragma once

#include "naja/library/array_support.h"

namespace naja::library {

/// The type of a.T.
TypeId transposedType(TypeId array);
ValueId emitTransposed(ir::Builder &b, ValueId array);
/// A view with axes in this order.
TypeId permutedType(TypeId array, std::span<const unsigned> order);
ValueId emitPermuted(ir::Builder &b, ValueId array, TypeId type, std::span<const unsigned> order);
/// a.real, a.imag: a view of a complex array; of a real one the array itself, or zeros.
Resolution complexPart(TypeId array, bool imaginary);
/// a.flat
Resolution flatOf(TypeId array);
/// The array as one axis in C order: a view where the layout is C, else a copy.
TypeId raveledType(TypeId array);
ValueId emitRaveled(Emitter &e, ValueId array);
/// An array with these elements that is contiguous in this order: itself, or a copy.
ValueId emitContiguous(Emitter &e, ValueId array, Layout order = Layout::C);

/// Whether the array lies in memory in C or Fortran order, by its extents and strides.
ValueId isContiguousIn(ir::Builder &b, ValueId array, bool fortran);
/// Broadcasts to a shape: axes of extent 1 and missing leading axes get stride 0. Read-only. Raises ValueError.
ValueId emitBroadcastTo(Emitter &e, ValueId array, std::span<const ValueId> dims, TypeId type);

} // namespace naja::library
