#include "base/stage_time.hpp"

#include <atomic>
#include <ctime>

namespace fastid {
namespace {

double seconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::array<std::atomic<double>, kAnswerStages> spent{};
thread_local InStage* innermost = nullptr;

void count(AnswerStage stage, double seconds) {
  spent[static_cast<std::size_t>(stage)].fetch_add(seconds, std::memory_order_relaxed);
}

}  // namespace

std::string_view name_of(AnswerStage stage) {
  static constexpr std::array<std::string_view, kAnswerStages> kNames{"comparing", "verifying", "weighing",
                                                                      "printing"};
  return kNames[static_cast<std::size_t>(stage)];
}

InStage::InStage(AnswerStage stage)
    : stage_(stage), outer_(innermost), since_(seconds_of(CLOCK_THREAD_CPUTIME_ID)) {
  if (outer_ != nullptr) count(outer_->stage_, since_ - outer_->since_);
  innermost = this;
}

InStage::~InStage() {
  const double now = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  count(stage_, now - since_);
  if (outer_ != nullptr) outer_->since_ = now;
  innermost = outer_;
}

ProcessorTime ProcessorTime::since(const ProcessorTime& before) const {
  ProcessorTime time{all - before.all, stages};
  for (std::size_t i = 0; i < kAnswerStages; ++i) time.stages[i] -= before.stages[i];
  return time;
}

ProcessorTime processor_time() {
  ProcessorTime time{seconds_of(CLOCK_PROCESS_CPUTIME_ID), {}};
  for (std::size_t i = 0; i < kAnswerStages; ++i) time.stages[i] = spent[i];
  return time;
}

}  // namespace fastid
