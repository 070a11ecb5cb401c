#include "naja/runtime/abi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Exception {
  naja_exception value;
  bool taken = naja_rt_take_exception(&value) != 0;
  ~Exception() {
    if (taken) { naja_rt_free_exception(&value); }
  }
};

TEST(Memory, PayloadIsAlignedAndCounted) {
  const int64_t live = naja_rt_live_allocations(), total = naja_rt_total_allocations();
  for (uint64_t bytes : {0U, 1U, 63U, 64U, 1000U, 5000000U}) {
    void *data = nullptr;
    naja_owner owner = naja_rt_alloc(bytes, 0, &data);
    ASSERT_NE(owner, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(owner) & 1, 0U);
    EXPECT_EQ(static_cast<naja_meminfo *>(owner)->data, data);
    EXPECT_EQ(static_cast<naja_meminfo *>(owner)->size, bytes);
    std::memset(data, 0xff, bytes);
    EXPECT_EQ(naja_rt_live_allocations(), live + 1);
    naja_rt_incref(owner);
    naja_rt_decref(owner);
    EXPECT_EQ(naja_rt_live_allocations(), live + 1);
    naja_rt_decref(owner);
    EXPECT_EQ(naja_rt_live_allocations(), live);
  }
  EXPECT_EQ(naja_rt_total_allocations(), total + 6);
}

TEST(Memory, ZeroedIsZero) {
  for (uint64_t bytes : {100U, 300000U, 20000000U}) {
    for (int round = 0; round < 2; ++round) {
      void *data = nullptr;
      naja_owner owner = naja_rt_alloc(bytes, 1, &data);
      ASSERT_NE(owner, nullptr);
      const char *p = static_cast<char *>(data);
      for (uint64_t i = 0; i < bytes; i += 97) { ASSERT_EQ(p[i], 0); }
      std::memset(data, 1, bytes);
      naja_rt_decref(owner);
    }
  }
}

TEST(Memory, HugeIsMemoryError) {
  for (uint64_t bytes : {~uint64_t{0}, uint64_t{1} << 63, (uint64_t{1} << 63) - 1, uint64_t{1} << 60}) {
    void *data = nullptr;
    EXPECT_EQ(naja_rt_alloc(bytes, 0, &data), nullptr);
    Exception e;
    ASSERT_TRUE(e.taken);
    EXPECT_EQ(e.value.builtin, NAJA_MemoryError);
    EXPECT_NE(std::string(e.value.text).find("Unable to allocate"), std::string::npos);
  }
}

TEST(Memory, TaggedAndNullOwnersAreNotCounted) {
  alignas(8) char object[16] = {};
  naja_owner tagged = object + 1;
  naja_rt_incref(tagged);
  naja_rt_decref(tagged);
  naja_rt_incref(nullptr);
  naja_rt_decref(nullptr);
  for (char c : object) { EXPECT_EQ(c, 0); }
  const int64_t live = naja_rt_live_allocations();
  naja_owner escaped = naja_rt_escape(tagged);
  EXPECT_EQ(static_cast<naja_meminfo *>(escaped)->context, static_cast<void *>(object));
  EXPECT_EQ(naja_rt_live_allocations(), live + 1);
  EXPECT_EQ(naja_rt_escape(escaped), escaped);
  naja_rt_decref(escaped);
  naja_rt_decref(escaped);
  EXPECT_EQ(naja_rt_live_allocations(), live);
  EXPECT_EQ(naja_rt_escape(nullptr), nullptr);
}

TEST(Memory, CountsAreAtomic) {
  void *data = nullptr;
  naja_owner owner = naja_rt_alloc(8, 0, &data);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    naja_rt_incref(owner);
    threads.emplace_back([owner] {
      for (int i = 0; i < 20000; ++i) {
        naja_rt_incref(owner);
        naja_rt_decref(owner);
      }
      naja_rt_decref(owner);
    });
  }
  for (auto &t : threads) { t.join(); }
  EXPECT_EQ(static_cast<naja_meminfo *>(owner)->refcount, 1);
  naja_rt_decref(owner);
}

TEST(Exceptions, TextIndexBroadcast) {
  naja_exception none;
  EXPECT_EQ(naja_rt_take_exception(&none), 0);
  const naja_moved_lines moved[] = {{1, 50, 2, 0, "f.py"}, {10, 20, -5, 0, "g.py"}};
  const naja_origin origin{"f.py", nullptr, 0}, moved_origin{"e.py", moved, 2};
  naja_rt_raise_text(NAJA_ValueError, "no", &origin, "f", 3);
  {
    Exception e;
    ASSERT_TRUE(e.taken);
    EXPECT_STREQ(e.value.text, "no");
    EXPECT_STREQ(e.value.file, "f.py");
    EXPECT_EQ(e.value.line, 3);
    EXPECT_EQ(e.value.site, nullptr);
  }
  for (auto [line, file, now] : {std::tuple{3, "f.py", 5}, {12, "g.py", 7}, {60, "e.py", 60}}) {
    naja_rt_raise_text(NAJA_ValueError, "no", &moved_origin, "f", line);
    Exception e;
    EXPECT_STREQ(e.value.file, file);
    EXPECT_EQ(e.value.line, now);
  }
  naja_rt_raise_index(-2, 1, 5, nullptr, nullptr, 0);
  {
    Exception e;
    EXPECT_EQ(e.value.builtin, NAJA_IndexError);
    EXPECT_STREQ(e.value.text, "index -7 is out of bounds for axis 1 with size 5");
  }
  naja_rt_raise_broadcast(nullptr, 3, 4, nullptr, nullptr, 0);
  {
    Exception e;
    EXPECT_EQ(e.value.builtin, NAJA_ValueError);
    EXPECT_NE(std::string(e.value.text).find("3 and 4"), std::string::npos);
  }
  naja_rt_raise_text(NAJA_ValueError, std::string(2000, 'x').c_str(), nullptr, nullptr, 0);
  {
    Exception e;
    EXPECT_EQ(std::strlen(e.value.text), sizeof e.value.text - 1);
  }
}

TEST(Exceptions, ArgumentsAreCopiedAndThreadsAreApart) {
  const uint32_t exception = 300, type = 7;
  const naja_origin origin{"g.py", nullptr, 0};
  const naja_raise_site site{&exception, &type, &origin, "g", 9, 16};
  int64_t args[2] = {5, 6};
  naja_rt_raise(&site, args);
  args[0] = 0;
  std::thread([] {
    naja_exception none;
    EXPECT_EQ(naja_rt_take_exception(&none), 0);
  }).join();
  naja_rt_raise(&site, args); // replaces the one in flight, which is freed
  Exception e;
  ASSERT_TRUE(e.taken);
  EXPECT_EQ(e.value.site, &site);
  EXPECT_EQ(e.value.line, 9);
  EXPECT_EQ(static_cast<int64_t *>(e.value.args)[1], 6);
}

[[gnu::noinline]] int recurse(int depth, volatile char *above) {
  volatile char frame[512];
  frame[0] = above ? above[0] : 0;
  if (naja_rt_check_stack() != NAJA_OK) { return depth; }
  return recurse(depth + 1, frame) + (frame[0] & 0);
}

TEST(Stack, RecursionEndsWithAnError) {
  EXPECT_EQ(naja_rt_check_stack(), NAJA_OK);
  EXPECT_GT(recurse(0, nullptr), 1000);
  Exception e;
  ASSERT_TRUE(e.taken);
  EXPECT_EQ(e.value.builtin, NAJA_RecursionError);
  std::thread([] {
    EXPECT_GT(recurse(0, nullptr), 1000);
    Exception other;
    EXPECT_TRUE(other.taken);
  }).join();
}

TEST(Signals, TheFlagFollowsTheHandlerInPlace) {
  static volatile sig_atomic_t seen = 0;
  naja_rt_install_signal_handler(); // SIG_DFL: left alone
  struct sigaction current;
  sigaction(SIGINT, nullptr, &current);
  EXPECT_EQ(current.sa_handler, SIG_DFL);
  std::signal(SIGINT, [](int) { seen = seen + 1; });
  naja_rt_install_signal_handler();
  naja_rt_install_signal_handler(); // once only
  std::raise(SIGINT);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(naja_rt_signal_pending, 1);
  EXPECT_EQ(naja_rt_poll_signals(), NAJA_OK); // no interpreter: cleared
  EXPECT_EQ(naja_rt_signal_pending, 0);
  std::signal(SIGINT, SIG_DFL);
}

TEST(Arithmetic, IntegerPower) {
  EXPECT_EQ(naja_rt_ipow_i64(-3, 5), -243);
  EXPECT_EQ(naja_rt_ipow_i64(0, 0), 1);
  EXPECT_EQ(naja_rt_ipow_i64(2, 64), 0);
  EXPECT_EQ(naja_rt_ipow_u64(3, 40), 12157665459056928801U);
  EXPECT_EQ(naja_rt_gcd_u64(0, 0), 0U);
  EXPECT_EQ(naja_rt_gcd_u64(0, 12), 12U);
  EXPECT_EQ(naja_rt_gcd_u64(84, 36), 12U);
  EXPECT_EQ(naja_rt_gcd_u64(~uint64_t{0}, 255), 255U);
}

TEST(Symbols, TableIsSortedAndComplete) {
  size_t count = 0;
  const naja_symbol *table = naja_rt_symbols(&count);
  ASSERT_GT(count, 200U);
  for (size_t i = 1; i < count; ++i) { EXPECT_LT(std::strcmp(table[i - 1].name, table[i].name), 0); }
  for (size_t i = 0; i < count; ++i) { EXPECT_EQ(naja_rt_find_symbol(table[i].name), table[i].address); }
  for (const char *name : {"sin",
                           "sinf",
                           "powf",
                           "tgamma",
                           "lgammaf",
                           "nextafter",
                           "ldexp",
                           "frexp",
                           "hypotf",
                           "cbrt",
                           "exp10",
                           "cexp",
                           "csqrtf",
                           "memcpy",
                           "memmove",
                           "memset",
                           "naja_rt_alloc",
                           "sincos",
                           "naja_rt_signal_pending",
                           "__extendhfsf2",
                           "__powidf2"}) {
    EXPECT_NE(naja_rt_find_symbol(name), nullptr) << name;
  }
  EXPECT_EQ(naja_rt_find_symbol("system"), nullptr);
  EXPECT_EQ(naja_rt_find_symbol("_ZGVbN2v_nothing"), nullptr);
  auto *sine = reinterpret_cast<double (*)(double)>(naja_rt_find_symbol("sin"));
  EXPECT_EQ(sine(0.5), std::sin(0.5));
#if defined(__x86_64__) && defined(__GLIBC__)
  EXPECT_NE(naja_rt_find_symbol("_ZGVdN4v_sin"), nullptr);
  EXPECT_NE(naja_rt_find_symbol("_ZGVeN16vv_powf"), nullptr);
#endif
}

} // namespace
