#include "questions/similarity/wanted_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace fastid::similarity {
namespace {

std::vector<std::uint8_t> bytes_of(std::span<const double> values) {
  std::vector<std::uint8_t> bytes(values.size());
  std::ranges::transform(values, bytes.begin(), byte_of);
  return bytes;
}

}  // namespace

std::uint8_t byte_of(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
}

/// Compares values with those that are known.
class WantedValues::Known final : public pipeline::ValueSink {
 public:
  Known(const Vectors& known, std::size_t way) : known_(known), way_(way) {}

  void take(std::span<const pipeline::ValueRow> rows) override {
    for (const pipeline::ValueRow& row : rows) take_row(row);
  }

  std::uint64_t verified() const { return verified_; }

 private:
  static constexpr double kUlps = 8 * std::numeric_limits<double>::epsilon();

  void take_row(const pipeline::ValueRow& row) {
    const std::size_t cells = engine::n_cells(known_.metric(), way_);
    std::array<double, engine::kMostMoments> right{};
    engine::Members members = row.members;
    for (std::size_t i = 0; i < row.values.size(); i += cells, ++members[0]) {
      known_.known_values(std::span(members).first(way_), std::span(right).first(cells));
      for (std::size_t cell = 0; cell < cells; ++cell)
        if (!(std::abs(row.values[i + cell] - right[cell]) <= kUlps * right[cell]))
          refuse(row.index + i + cell, row.values[i + cell], right[cell]);
    }
    verified_ += row.values.size();
  }

  [[noreturn]] void refuse(std::uint64_t index, double value, double right) const {
    throw DeviceError(
        fmt::format("value {} is {}, and is known to be {}; run it with --device cpu", index, value, right));
  }

  const Vectors& known_;
  std::size_t way_;
  std::atomic<std::uint64_t> verified_ = 0;
};

WantedValues::WantedValues(const SimilarityOptions& options, const Vectors& vectors,
                           const SimilarityTake& take, std::uint64_t most_found)
    : options_(options),
      vectors_(vectors),
      take_(take),
      found_(
          options.threshold.value_or(-std::numeric_limits<double>::infinity()),
          [this](std::span<const match::FoundValue> each) {
            totals_.n_values += each.size();
            take_.found(each);
          },
          most_found),
      every_([this](std::span<const double> each) {
        totals_.n_values += each.size();
        options_.wanted == ValuesWanted::kBytes ? take_.bytes(bytes_of(each)) : take_.every(each);
      }) {
  switch (options.wanted) {
    case ValuesWanted::kNone:
      break;
    case ValuesWanted::kFound:
      sinks_.push_back(&found_);
      break;
    case ValuesWanted::kBest:
      sinks_.push_back(&best_.emplace(vectors.size(), options.way,
                                      engine::n_cells(vectors.metric(), options.way), options.best));
      break;
    case ValuesWanted::kEvery:
    case ValuesWanted::kBytes:
      sinks_.push_back(&every_);
      break;
  }
  if (options.checksum) sinks_.push_back(&checksum_);
  if (!vectors.analytic()) return;
  known_ = std::make_unique<Known>(vectors, options.way);
  sinks_.push_back(known_.get());
}

WantedValues::~WantedValues() = default;

pipeline::ChoosingSink& WantedValues::choosing() {
  if (best_) return *best_;
  return found_;
}

std::uint64_t WantedValues::hand_on_best() const {
  if (!take_.best) {
    const std::vector<match::FoundValue> all = best_->all();
    take_.found(all);
    return all.size();
  }
  std::uint64_t n = 0;
  for (std::uint32_t vector = 0; vector < vectors_.size(); ++vector) {
    const std::vector<match::FoundValue> kept = best_->of(vector);
    n += kept.size();
    if (!kept.empty()) take_.best(vector, kept);
  }
  return n;
}

SimilarityTotals WantedValues::finish() {
  if (best_) totals_.n_values = hand_on_best();
  if (known_) totals_.verified = known_->verified();
  totals_.checksum = checksum_.sum();
  return totals_;
}

}  // namespace fastid::similarity
