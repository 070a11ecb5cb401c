// Shared by the runtime's own files.
#pragma once

#include "naja/runtime/abi.h"

namespace naja::runtime {

/// The calling thread is the one that handles signals.
void adoptMainStack();
/// Makes that thread's next check of the stack look for signals: recursive functions without loops poll nowhere else. May be
/// called by a signal handler.
void wakeRecursion();

/// The services that _core installed, or null (C++ tests).
const naja_python_services *pythonServices();

/// dlsym of libm, libc or libmvec; null where there is none.
void *findInLibrary(const char *name);

/// naja_rt_poll_signals but for parallel regions that are cancelled.
int32_t pollInterpreter();
/// Compiled code reads the flag as it likes; threads of parallel regions write it.
inline void setSignalPending(int32_t value) { __atomic_store_n(&naja_rt_signal_pending, value, __ATOMIC_RELAXED); }
inline bool signalPending() { return __atomic_load_n(&naja_rt_signal_pending, __ATOMIC_RELAXED) != 0; }

/// Makes this the thread's exception in flight; takes over what it owns.
void putException(const naja_exception &exception);

} // namespace naja::runtime
