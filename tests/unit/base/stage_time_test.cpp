// Processor time by stages of an answer. How much it is depends on the machine; what has none does not.
#include "base/stage_time.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace fastid {
namespace {

/// Keeps this thread's processor busy for a while.
void work() {
  constexpr double kSeconds = 0.002;
  for (const ProcessorTime begin = processor_time(); processor_time().since(begin).all < kSeconds;) {
  }
}

TEST(StageTime, IsCountedForTheInnermostStageOfEachThread) {
  const ProcessorTime before = processor_time();
  {
    const InStage outer(AnswerStage::kVerify);
    std::thread([] {
      const InStage other(AnswerStage::kPrint);
      work();
    }).join();
    const InStage inner(AnswerStage::kWeigh);
    work();
  }
  const ProcessorTime spent = processor_time().since(before);
  EXPECT_EQ(spent.of(AnswerStage::kCompare), 0);
  EXPECT_GT(spent.of(AnswerStage::kPrint), 0);
  EXPECT_GT(spent.of(AnswerStage::kWeigh), 0);
  EXPECT_LT(spent.of(AnswerStage::kVerify), spent.of(AnswerStage::kWeigh));
  EXPECT_GE(spent.all, spent.of(AnswerStage::kPrint) + spent.of(AnswerStage::kWeigh));
}

TEST(StageTime, GoesOnForAStageWhenOneWithinItHasEnded) {
  const ProcessorTime before = processor_time();
  {
    const InStage outer(AnswerStage::kVerify);
    { const InStage inner(AnswerStage::kWeigh); }
    work();
  }
  const ProcessorTime spent = processor_time().since(before);
  EXPECT_GT(spent.of(AnswerStage::kVerify), spent.of(AnswerStage::kWeigh));
}

TEST(StageTime, OfNoStageIsOnlyInTheSum) {
  const ProcessorTime before = processor_time();
  work();
  const ProcessorTime spent = processor_time().since(before);
  EXPECT_GT(spent.all, 0);
  for (const double seconds : spent.stages) EXPECT_EQ(seconds, 0);
}

}  // namespace
}  // namespace fastid
