// The index of a[...] taken apart: one item per axis of the array, and new axes between. Shared by basic and fancy
// indexing.
#pragma once

#include "naja/library/array_support.h"

namespace naja::library {

struct IndexItem {
  enum Kind { Integer, Slice, Full, NewAxis, IntArray, BoolArray };
  Kind kind = Full;
  AbstractValue value;   // Integer, Slice, arrays
  int position = -1;     // in the index tuple; -1: the index is no tuple, or the item was added
  bool unit_step = true; // Slice
  unsigned axis = 0;     // first axis of the array it stands for
  unsigned axes = 1;     // how many: 0 for NewAxis, the mask's ndim for BoolArray
};

struct ArrayIndex {
  std::vector<IndexItem> items;
  bool has_ellipsis = false;
  unsigned arrays = 0; // items that are arrays
  std::string error;   // empty: well formed
  /// Every axis has an integer: an item is loaded, no view made.
  bool isItem() const;
  /// Axes of the view.
  unsigned resultRank() const;
};

/// Takes the index apart for an array of this type; axes that are not named become Full.
ArrayIndex parseIndex(TypeId array, const AbstractValue &index);
/// C where the selected items are provably contiguous in C order, F likewise, else A.
Layout resultLayout(TypeId array, const ArrayIndex &index);

/// The value of one item of the index operand; looks through tuple.make.
ValueId indexItemValue(Emitter &e, const IndexItem &item, const AbstractValue &index, ValueId value);
/// The non-negative int64 of an integer item (wrapped, checked with boundscheck).
ValueId emitIntegerIndex(Emitter &e, const AbstractValue &operand, ValueId value, ValueId extent, unsigned axis);
/// first index, count, step of a slice item.
struct SliceValues {
  ValueId first, count, step;
};
SliceValues emitSlice(Emitter &e, const AbstractValue &operand, ValueId value, ValueId extent);

/// The view that an index without arrays makes.
ValueId emitBasicView(Emitter &e, ValueId array, const ArrayIndex &parsed, const AbstractValue &index, ValueId value,
                      TypeId type);
/// Stores a scalar, array or tuple into a view of that type; raises ValueError where the shapes do not fit.
/// `Resolution::error` text if the value cannot be stored, else empty.
std::string storableInto(TypeId view, const AbstractValue &value);
void emitStoreInto(Emitter &e, ValueId view, const AbstractValue &operand, ValueId value);
Resolution readonlyStore(TypeId array);

} // namespace naja::library
