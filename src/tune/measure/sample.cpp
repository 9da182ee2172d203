#include "tune/measure/sample.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace fastid::tune {
namespace {

constexpr unsigned kNotCalled = 10;  // per cent of the sites

// Each bit is 1 with probability 1/2, or, with `most`, 9/10.
Word random_word(std::mt19937& random, bool most) {
  const auto word = [&] { return static_cast<Word>(random()); };
  return most ? word() | word() | word() : word();
}

// Rows with a minor allele at half of the sites, at half of these beside a major one.
ProfileRows random_rows(std::mt19937& random, const SampleSize& size, bool masked, Encoding by) {
  constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen, kMajorSeen, kBothSeen};
  ProfileRows rows(static_cast<std::size_t>(size.queries), size.sites, by);
  for (std::size_t i = 0; i < size.queries; ++i)
    for (std::uint32_t site = 0; site < size.sites; ++site)
      if (!masked || random() % 100 >= kNotCalled) rows.set_seen(i, site, kDrawn[random() % 4]);
  return rows;
}

}  // namespace

Sample::Sample(engine::Comparison comparison, const SampleSize& size, SampleMasks masks, Encoding by)
    : random_(size.sites),
      queries_(random_rows(random_, size, masks.queries, by)),
      problem_{comparison, &queries_, {size.profiles, size.sites, by}, masks.stored, by} {
  if (by == Encoding::kAlleles && !masks.stored) throw Failure("alleles seen take a second plane");
  const std::size_t words = problem_.database.n_words();
  bits_.assign(blocks() * problem_.database.block_words(), 0);
  if (masks.stored) second_ = bits_;
  for (std::uint64_t profile = 0; profile < size.profiles; ++profile)
    for (std::size_t word = 0; word < words; ++word) {
      const auto at = static_cast<std::size_t>(profile / kLanes * words + word) * kLanes + profile % kLanes;
      const Word inside = sites_mask(size.sites, word);
      const Word called = masks.stored ? random_word(random_, true) & inside : inside;
      bits_[at] = random_word(random_, false) & called;
      if (!masks.stored) continue;
      second_[at] = called;
      if (by == Encoding::kAlleles) second_[at] &= ~bits_[at] | random_word(random_, false);
    }
}

void Sample::fill(const engine::TileBuffer& buffer) const {
  std::ranges::copy(bits_, buffer.bits);
  if (buffer.second != nullptr) std::ranges::copy(second_, buffer.second);
}

std::vector<engine::Pair> Sample::found(engine::Worker& worker,
                                        std::span<const engine::Threshold> thresholds) const {
  fill(worker.buffer());
  std::vector<engine::Pair> out;
  worker.compare({0, problem_.database}, {}, thresholds, out);
  std::ranges::sort(out);
  return out;
}

std::vector<engine::Threshold> Sample::middle_thresholds() const {
  const BlockShape& shape = problem_.database;
  const BlocksView view{shape, bits_.data(), second_.empty() ? nullptr : second_.data()};
  std::vector<engine::Threshold> thresholds;
  for (std::uint32_t q = 0; q < problem_.queries->n_rows(); ++q) {
    const engine::PairCounts one = engine::count_pair(
        problem_.comparison, problem_.by, problem_.queries->row(q), view, (q * 7 + 3) % shape.n_profiles);
    const std::uint32_t denominator = std::max(1u, one.denominator);
    if (q % 4 == 3)
      thresholds.push_back({one.count, 1, 0});
    else if (q % 4 == 1)
      thresholds.push_back({UINT32_MAX, 1, 2, std::int64_t{2} * one.count - denominator});
    else
      thresholds.push_back({UINT32_MAX, one.count, denominator});
  }
  return thresholds;
}

std::string difference(const Sample& sample, engine::Worker& worker) {
  const auto reference = engine::make_reference_engine({});
  const auto prepared = reference->prepare(sample.problem(), {.workers = 0});
  const auto right = prepared->open_worker(sample.blocks());
  const std::vector<engine::Threshold> open(sample.problem().queries->n_rows()),
      middle = sample.middle_thresholds();
  for (const std::vector<engine::Threshold>& thresholds : {open, middle}) {
    const std::vector<engine::Pair> expected = sample.found(*right, thresholds),
                                    found = sample.found(worker, thresholds);
    if (found == expected) continue;
    const auto at = std::ranges::mismatch(found, expected);
    const auto text = [&](auto pair, auto end) {
      const engine::Pair of = pair == end ? engine::Pair{} : *pair;
      return fmt::format("query {}, profile {}: {} of {}", of.query, of.row, of.counts.count,
                         of.counts.denominator);
    };
    return fmt::format("it counts wrong: {} pairs where {} are right; {}, where {} is right", found.size(),
                       expected.size(), text(at.in1, found.end()), text(at.in2, expected.end()));
  }
  return "";
}

}  // namespace fastid::tune
