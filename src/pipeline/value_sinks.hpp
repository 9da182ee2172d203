/// \file
/// What is made of the values of all combinations: a checksum, those at or above a threshold, the best of
/// each vector, or all of them. None depends on the order in which values come.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bits/shard.hpp"
#include "engine/combinations.hpp"
#include "match/similar_vectors.hpp"

namespace fastid::pipeline {

/// Values of neighbouring combinations, all cells of each.
struct ValueRow {
  std::uint64_t index = 0;    ///< of the first value: that of its combination, times the cells of one
  engine::Members members{};  ///< of the first combination; the first member is another one in each
  std::span<const double> values;
};

class ValueSink {
 public:
  virtual ~ValueSink() = default;
  /// The next rows have values of these indices.
  virtual void begin(const Range& /*indices*/) {}
  /// From any thread, in any order. At least one row.
  virtual void take(std::span<const ValueRow> rows) = 0;
  /// All rows of the range were taken.
  virtual void end() {}
};

/// Needs only values that are high enough for one of their members; others may be among its rows.
class ChoosingSink : public ValueSink {
 public:
  /// A value below this is not needed for the sake of a member. It may rise meanwhile.
  virtual double least(std::uint32_t vector) const = 0;
  /// With how many vectors each last member is compared before the others, so that its least() is high; 0:
  /// with none.
  virtual std::uint32_t compared_first() const { return 0; }
  /// How many values it holds until end().
  virtual std::uint64_t held() const { return 0; }
};

/// The sum, modulo 2^128, of every value's bits (as IEEE 754 binary64) times 2 index + 1. It is the same
/// however work is cut, and sums of parts add up to that of the whole.
class ValueChecksum {
 public:
  void add(std::uint64_t index, double value);
  void add(const ValueChecksum& other);

  std::uint64_t high() const { return static_cast<std::uint64_t>(sum_ >> 64); }
  std::uint64_t low() const { return static_cast<std::uint64_t>(sum_); }
  static ValueChecksum of(std::uint64_t high, std::uint64_t low);
  /// 32 hexadecimal digits.
  std::string text() const;

 private:
  __extension__ using Wide = unsigned __int128;
  Wide sum_ = 0;
};

class ChecksumSink final : public ValueSink {
 public:
  void take(std::span<const ValueRow> rows) override;
  ValueChecksum sum() const { return sum_; }

 private:
  std::mutex guard_;
  ValueChecksum sum_;
};

/// Hands on values that are at least `least`, in ascending order of their indices. take() throws Failure
/// where it would hold more than `most` values until end().
class FoundSink final : public ChoosingSink {
 public:
  using Take = std::function<void(std::span<const match::FoundValue>)>;
  explicit FoundSink(double least, Take out, std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
      : least_(least), most_(most), out_(std::move(out)) {}

  double least(std::uint32_t /*vector*/) const override { return least_; }
  void take(std::span<const ValueRow> rows) override;
  std::uint64_t held() const override;
  void end() override;

 private:
  double least_;
  std::uint64_t most_;
  Take out_;
  mutable std::mutex guard_;
  std::vector<match::FoundValue> found_;
};

/// Keeps the best values of each vector: the highest, then the lowest index.
class BestSink final : public ChoosingSink {
 public:
  BestSink(std::uint32_t n_vectors, std::size_t way, std::size_t cells, std::size_t best);

  double least(std::uint32_t vector) const override { return worst_[vector].load(std::memory_order_relaxed); }
  std::uint32_t compared_first() const override;
  void take(std::span<const ValueRow> rows) override;
  void offer(const match::FoundValue& value);
  /// Those of a vector, the best first.
  std::vector<match::FoundValue> of(std::uint32_t vector) const;
  /// Those of all vectors, each once, in ascending order of their indices.
  std::vector<match::FoundValue> all() const;

 private:
  static constexpr std::size_t kGuards = 64;
  void offer(const engine::Members& members, const match::FoundValue& value);
  void offer_to(std::uint32_t vector, const match::FoundValue& value);

  std::size_t way_, cells_, best_;
  std::vector<std::vector<match::FoundValue>> kept_;  ///< heaps with the worst in front
  std::vector<std::atomic<double>> worst_;            ///< below this nothing is kept
  std::array<std::mutex, kGuards> guards_;
};

/// Hands on all values in the order of their indices.
class EveryValueSink final : public ValueSink {
 public:
  using Take = std::function<void(std::span<const double>)>;
  explicit EveryValueSink(Take out) : out_(std::move(out)) {}

  void begin(const Range& indices) override;
  void take(std::span<const ValueRow> rows) override;
  void end() override;

 private:
  Take out_;
  std::uint64_t first_ = 0;
  std::vector<double> values_;
};

}  // namespace fastid::pipeline
