// The scheduler: every iteration once, exceptions by the first chunk, nested regions, concurrent callers, fork.
#include "naja/runtime/parallel/parallel.h"
#include "naja/runtime/parallel/region.h"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

class ParallelTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() { setenv("NAJA_NUM_THREADS", "4", 1); }
};

struct Marks {
  std::vector<std::atomic<int>> seen;
  std::atomic<uint64_t> threads{0};
  explicit Marks(size_t n) : seen(n) {}
};

int32_t mark(void *data, int64_t begin, int64_t end, int64_t) {
  auto &marks = *static_cast<Marks *>(data);
  marks.threads |= uint64_t{1} << naja_rt_get_thread_id();
  for (int64_t i = begin; i < end; ++i) { marks.seen[static_cast<size_t>(i)]++; }
  return NAJA_OK;
}

TEST_F(ParallelTest, DoesEachIterationOnce) {
  for (int64_t count : {0, 1, 2, 3, 7, 64, 65, 1000, 100001}) {
    Marks marks(static_cast<size_t>(count));
    EXPECT_EQ(naja_rt_parallel_for(count, mark, &marks, 1), NAJA_OK);
    for (auto &seen : marks.seen) { ASSERT_EQ(seen.load(), 1); }
    EXPECT_EQ(marks.threads.load() & ~uint64_t{15}, 0U);
  }
  EXPECT_STREQ(naja_rt_threading_layer(), "workqueue");
  EXPECT_LE(naja_rt_worker_threads(), 3);
}

TEST_F(ParallelTest, ManySmallRegions) {
  for (int i = 0; i < 20000; ++i) {
    Marks marks(8);
    naja_rt_parallel_for(8, mark, &marks, 1);
    for (auto &seen : marks.seen) { ASSERT_EQ(seen.load(), 1); }
  }
}

TEST_F(ParallelTest, ChunksAreAFunctionOfTheNumberOfThreads) {
  EXPECT_EQ(naja_rt_parallel_chunks(0, 1, 0), 0);
  EXPECT_EQ(naja_rt_parallel_chunks(10, 100, 0), 1);
  EXPECT_EQ(naja_rt_parallel_chunks(1000000, 1, 0), 64);
  EXPECT_EQ(naja_rt_parallel_chunks(1000000, 1, 1), 4);
  EXPECT_EQ(naja_rt_set_parallel_chunksize(10), 0);
  EXPECT_EQ(naja_rt_parallel_chunks(101, 1, 0), 11);
  EXPECT_EQ(naja_rt_set_parallel_chunksize(0), 10);
  ASSERT_EQ(naja_rt_set_num_threads(1), NAJA_OK);
  EXPECT_EQ(naja_rt_parallel_chunks(1000000, 1, 0), 1);
  ASSERT_EQ(naja_rt_set_num_threads(naja_rt_max_threads()), NAJA_OK);
}

TEST_F(ParallelTest, NumberOfThreadsOutOfRangeRaises) {
  EXPECT_EQ(naja_rt_set_num_threads(0), NAJA_RAISED);
  naja_exception exception;
  ASSERT_EQ(naja_rt_take_exception(&exception), 1);
  EXPECT_EQ(std::string(exception.text), "The number of threads must be between 1 and 4");
  EXPECT_EQ(naja_rt_set_num_threads(5), NAJA_RAISED);
  naja_rt_take_exception(&exception);
}

TEST_F(ParallelTest, ThreadsInheritTheMask) {
  ASSERT_EQ(naja_rt_set_num_threads(2), NAJA_OK);
  auto body = [](void *, int64_t, int64_t, int64_t) -> int32_t {
    EXPECT_EQ(naja_rt_get_num_threads(), 2);
    EXPECT_LT(naja_rt_get_thread_id(), 2);
    return NAJA_OK;
  };
  naja_rt_parallel_for(1000, body, nullptr, 1);
  ASSERT_EQ(naja_rt_set_num_threads(4), NAJA_OK);
}

int32_t raiseFrom(void *data, int64_t begin, int64_t end, int64_t) {
  for (int64_t i = begin; i < end; ++i) {
    if (i >= *static_cast<int64_t *>(data)) {
      naja_rt_raise_text(NAJA_ValueError, std::to_string(i).c_str(), nullptr, nullptr, 0);
      return NAJA_RAISED;
    }
  }
  return NAJA_OK;
}

TEST_F(ParallelTest, TheFirstExceptionReachesTheCaller) {
  for (int round = 0; round < 200; ++round) {
    int64_t first = round * 5;
    EXPECT_EQ(naja_rt_parallel_for(1000, raiseFrom, &first, 1), NAJA_RAISED);
    naja_exception exception;
    ASSERT_EQ(naja_rt_take_exception(&exception), 1);
    EXPECT_EQ(std::string(exception.text), std::to_string(first));
  }
  naja_exception none;
  EXPECT_EQ(naja_rt_take_exception(&none), 0);
}

TEST_F(ParallelTest, LaterChunksAreCancelled) {
  auto body = [](void *data, int64_t begin, int64_t, int64_t) -> int32_t {
    if (begin == 0) {
      naja_rt_raise_text(NAJA_ValueError, "first", nullptr, nullptr, 0);
      return NAJA_RAISED;
    }
    while (naja_rt_poll_signals() == NAJA_OK) { std::this_thread::yield(); } // ends only because it is cancelled
    ++*static_cast<std::atomic<int> *>(data);
    return NAJA_RAISED;
  };
  std::atomic<int> ended{0};
  EXPECT_EQ(naja_rt_parallel_for(64, body, &ended, 1), NAJA_RAISED);
  naja_exception exception;
  ASSERT_EQ(naja_rt_take_exception(&exception), 1);
  EXPECT_STREQ(exception.text, "first");
  EXPECT_EQ(naja_rt_parallel_cancelled(), 0);
}

int32_t nested(void *data, int64_t begin, int64_t end, int64_t) {
  for (int64_t i = begin; i < end; ++i) {
    Marks inner(100);
    const int32_t id = naja_rt_get_thread_id();
    if (naja_rt_parallel_for(100, mark, &inner, 1) != NAJA_OK) { return NAJA_RAISED; }
    if (naja_rt_get_thread_id() != id) { return NAJA_PYTHON_ERROR; }
    for (auto &seen : inner.seen) { *static_cast<std::atomic<int64_t> *>(data) += seen.load(); }
  }
  return NAJA_OK;
}

TEST_F(ParallelTest, NestedRegions) {
  std::atomic<int64_t> sum{0};
  EXPECT_EQ(naja_rt_parallel_for(50, nested, &sum, 1), NAJA_OK);
  EXPECT_EQ(sum.load(), 5000);
}

TEST_F(ParallelTest, ConcurrentCallers) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) { naja_rt_parallel_for(10, nested, &sum, 1); }
    });
  }
  for (std::thread &caller : callers) { caller.join(); }
  EXPECT_EQ(sum.load(), 6 * 20 * 1000);
}

TEST_F(ParallelTest, ChildOfAForkHasItsOwnPool) {
  Marks before(100);
  naja_rt_parallel_for(100, mark, &before, 1);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    if (naja_rt_worker_threads() != 0) { _exit(2); }
    Marks marks(1000);
    naja_rt_parallel_for(1000, mark, &marks, 1);
    for (auto &seen : marks.seen) {
      if (seen.load() != 1) { _exit(3); }
    }
    _exit(naja_rt_worker_threads() > 0 ? 0 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ShareTest, OwnerTakesFromTheFrontThievesFromTheBack) {
  naja::runtime::parallel::Share own, thief;
  own.set(0, 5);
  ASSERT_TRUE(own.steal(thief));
  uint32_t chunk = 0;
  ASSERT_TRUE(thief.take(&chunk));
  EXPECT_EQ(chunk, 2U);
  ASSERT_TRUE(own.take(&chunk));
  EXPECT_EQ(chunk, 0U);
  ASSERT_TRUE(own.take(&chunk));
  EXPECT_FALSE(own.take(&chunk));
  EXPECT_TRUE(own.empty());
  EXPECT_FALSE(own.steal(thief));
}

} // namespace
