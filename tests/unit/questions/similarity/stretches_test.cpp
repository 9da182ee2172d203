// Shards of elements: their parts, step by step, give what one process finds; a part with sums that cannot be
// is refused.
#include "questions/similarity/stretches.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/refusal.hpp"

namespace fastid::similarity {
namespace {

using fastid::testing::refusal;

constexpr std::uint32_t kVectors = 20;
constexpr std::uint64_t kFewSums = 100;  // of 190 pairs and 1,140 triples: several steps of each
constexpr std::uint32_t kShards = 2;

std::string from_memory(const std::function<void(part::Writer&)>& write, std::uint32_t shard) {
  part::Writer to;
  write(to);
  to.finish({.command = "similarity", .shard = {shard, kShards}});
  return to.take();
}

part::PartSet parts_of(std::vector<std::string> bytes) {
  std::vector<part::File> parts;
  for (std::string& of : bytes) parts.emplace_back(parts.empty() ? "one" : "two", std::move(of));
  return part::PartSet(std::move(parts));
}

/// Vectors that are made up, and the work on them.
struct Work {
  explicit Work(bool numbers, std::size_t way = 3, double missing = 0)
      : options(made_up(numbers, way, missing)),
        vectors(options, pool),
        stretches(vectors, options, {0, kVectors}, pool, options.device, kFewSums) {}

  static SimilarityOptions made_up(bool numbers, std::size_t way, double missing) {
    SimilarityOptions options;
    options.synthetic = Synthetic::kRandom;
    options.made = {.n_vectors = kVectors, .n_units = numbers ? 70000U : 4000U, .missing = missing};
    if (numbers) options.of = VectorsOf::kNumbers;
    options.way = way;
    options.split = Split::kElements;
    options.device = {.device = "cpu", .engine = {.memory = numbers ? 9'000'000 : 64'000}};
    options.progress = ProgressMode::kNever;
    return options;
  }

  std::vector<double> values(const std::function<void(Stretches::Sinks)>& stream) {
    std::vector<double> values;
    pipeline::EveryValueSink every(
        [&](std::span<const double> some) { values.insert(values.end(), some.begin(), some.end()); });
    pipeline::ValueSink* const sinks[] = {&every};
    stream(sinks);
    return values;
  }
  std::string part(std::uint32_t shard, const Range& steps) {
    return from_memory([&](part::Writer& to) { stretches.write({shard, kShards}, steps, to); }, shard);
  }
  Range all() const { return {0, stretches.n_steps()}; }

  ThreadPool pool{2};
  SimilarityOptions options;
  Vectors vectors;
  Stretches stretches;
};

TEST(Stretches, GiveOneResultStepByStepAndOfWholeParts) {
  for (const bool numbers : {false, true})
    for (const std::size_t way : {2U, 3U})
      for (const double missing : {0., .1}) {
        if (numbers && missing > 0) continue;
        SCOPED_TRACE(::testing::Message() << numbers << " " << way << " " << missing);
        Work work(numbers, way, missing);
        ASSERT_GE(work.stretches.n_steps(), 2 * way - 1);
        const std::vector<double> right =
            work.values([&](Stretches::Sinks sinks) { work.stretches.run(sinks); });
        ASSERT_EQ(right.size(), way == 2 ? 190U : 1140U);
        EXPECT_EQ(work.values([&](Stretches::Sinks sinks) {
          const part::PartSet parts = parts_of({work.part(1, work.all()), work.part(2, work.all())});
          work.stretches.merge(parts, work.all(), sinks);
        }),
                  right);
        EXPECT_EQ(work.values([&](Stretches::Sinks sinks) {
          for (std::uint64_t step = 0; step < work.all().end; ++step) {
            const Range one{step, step + 1};
            work.stretches.merge(parts_of({work.part(1, one), work.part(2, one)}), one, sinks);
          }
        }),
                  right);
      }
}

/// What the check of free space asks for, and what is written: of a part without its heads.
TEST(Stretches, KnowTheSizeOfAPart) {
  for (const bool numbers : {false, true})
    for (const double missing : {0., .1}) {
      if (numbers && missing > 0) continue;
      Work work(numbers, 3, missing);
      for (std::uint32_t shard = 1; shard <= kShards; ++shard) {
        const part::File part("part", work.part(shard, work.all()));
        double bytes = 0;
        for (const char* kind : {"sums", "sums where calls are missing"})
          for (const part::Section* section : part.sections(kind))
            bytes += static_cast<double>(section->bytes);
        EXPECT_EQ(work.stretches.bytes_of_part({shard, kShards}), bytes) << numbers << missing << shard;
      }
    }
}

/// The own sums of a second part of genotypes: of 20 vectors their values and calls.
class PartOfStretches : public ::testing::Test {
 protected:
  using Sections = std::vector<std::pair<std::string, std::vector<double>>>;

  std::string refusal_of(const Sections& sums, const std::vector<std::uint64_t>& kinds = {1, 0}) {
    const std::string second = from_memory(
        [&](part::Writer& to) {
          for (const auto& [name, of] : sums) to.add<double>(name, of);
          to.add<std::uint64_t>("kinds of stretches", kinds);
        },
        2);
    const part::PartSet parts = parts_of({work_.part(1, {0, 1}), second});
    return refusal([&] { work_.stretches.merge(parts, {0, 1}, {}); });
  }
  static std::vector<double> own(double last) {
    std::vector<double> sums(2 * std::size_t{kVectors}, 1);
    sums.back() = last;
    return sums;
  }

  Work work_{false};
};

TEST_F(PartOfStretches, IsRefusedWhereSumsCannotBe) {
  EXPECT_EQ(refusal_of({{"sums", own(1)}}), "accepted");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1., kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_NE(
        refusal_of({{"sums", own(bad)}}).find("two, sums: have a number that is negative or not finite"),
        std::string::npos)
        << refusal_of({{"sums", own(bad)}});
  }
}

TEST_F(PartOfStretches, IsRefusedWhereSectionsCannotBe) {
  const auto expect = [](const std::string& refusal, const std::string& why) {
    EXPECT_NE(refusal.find("two, " + why), std::string::npos) << refusal;
  };
  expect(refusal_of({}), "sums: are fewer than its shard has");
  expect(refusal_of({{"sums", own(1)}, {"sums", own(1)}}), "sums: are more than its shard has");
  expect(refusal_of({{"sums", own(1)}, {"sums where calls are missing", own(1)}}),
         "sums where calls are missing: are more than its shard has");
  expect(refusal_of({{"sums", {1, 1}}}), "sums: have a length that cannot be");
  expect(refusal_of({{"sums", own(1)}}, {}), "kinds of stretches: is not there once");
  for (const std::vector<std::uint64_t>& kinds : {std::vector<std::uint64_t>{1}, {2, 0}, {1, 2}, {1, 0, 0}})
    expect(refusal_of({{"sums", own(1)}}, kinds), "kinds of stretches: has numbers that cannot be");
}

TEST(PartOfStretchesOfNumbers, HasNoneWhereCallsAreMissing) {
  Work work(true);
  const part::PartSet parts =
      parts_of({work.part(1, {0, 1}), from_memory(
                                          [](part::Writer& to) {
                                            const std::array<std::uint64_t, 2> kinds{1, 1};
                                            to.add<std::uint64_t>("kinds of stretches", kinds);
                                          },
                                          2)});
  EXPECT_NE(refusal([&] {
              work.stretches.merge(parts, {0, 1}, {});
            }).find("kinds of stretches: has numbers that cannot be"),
            std::string::npos);
}

}  // namespace
}  // namespace fastid::similarity
