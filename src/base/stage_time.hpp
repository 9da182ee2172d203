/// \file
/// Where the processor time of an answer goes: threads say which stage of it they work on.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace fastid {

/// The stages of an answer: the comparing, and the work on rows that are listed.
enum class AnswerStage { kCompare, kVerify, kWeigh, kPrint };
inline constexpr std::size_t kAnswerStages = 4;
std::string_view name_of(AnswerStage stage);  ///< "comparing", "verifying", "weighing", "printing"

/// Counts the processor time of this thread to a stage while the object exists. Where a thread has several
/// objects, the latest counts. It costs a microsecond: it is for pieces of work, not for rows.
class InStage {
 public:
  explicit InStage(AnswerStage stage);
  ~InStage();
  InStage(const InStage&) = delete;
  InStage& operator=(const InStage&) = delete;

 private:
  AnswerStage stage_;
  InStage* outer_;
  double since_;
};

/// Seconds of processor time that all threads of this process have spent.
struct ProcessorTime {
  double all = 0;
  std::array<double, kAnswerStages> stages{};  ///< in each stage, by objects that have ended

  double of(AnswerStage stage) const { return stages[static_cast<std::size_t>(stage)]; }
  /// The time spent since an earlier measurement.
  ProcessorTime since(const ProcessorTime& before) const;
};
ProcessorTime processor_time();

}  // namespace fastid
