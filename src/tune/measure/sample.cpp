#include "tune/measure/sample.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fastid::tune {
namespace {

constexpr unsigned kNotCalled = 10;  // per cent of the sites

// Each bit is 1 with probability 1/2, or, with `most`, 9/10.
Word random_word(std::mt19937& random, bool most) {
  const auto word = [&] { return static_cast<Word>(random()); };
  return most ? word() | word() | word() : word();
}

ProfileRows random_rows(std::mt19937& random, const SampleSize& size, bool masked) {
  ProfileRows rows(static_cast<std::size_t>(size.queries), size.sites);
  for (std::size_t i = 0; i < size.queries; ++i)
    for (std::uint32_t site = 0; site < size.sites; ++site)
      if (!masked || random() % 100 >= kNotCalled) rows.set(i, site, random() % 2 != 0);
  return rows;
}

}  // namespace

Sample::Sample(Comparison comparison, const SampleSize& size, SampleMasks masks)
    : random_(size.sites),
      queries_(random_rows(random_, size, masks.queries)),
      problem_{comparison, &queries_, {size.profiles, size.sites}, masks.stored} {
  const std::size_t words = problem_.database.n_words();
  bits_.assign(blocks() * problem_.database.block_words(), 0);
  if (masks.stored) called_ = bits_;
  for (std::uint64_t profile = 0; profile < size.profiles; ++profile)
    for (std::size_t word = 0; word < words; ++word) {
      const auto at = static_cast<std::size_t>(profile / kLanes * words + word) * kLanes + profile % kLanes;
      const Word inside = sites_mask(size.sites, word);
      const Word called = masks.stored ? random_word(random_, true) & inside : inside;
      if (masks.stored) called_[at] = called;
      bits_[at] = random_word(random_, false) & called;
    }
}

void Sample::fill(const TileBuffer& buffer) const {
  std::ranges::copy(bits_, buffer.bits);
  if (buffer.second != nullptr) std::ranges::copy(called_, buffer.second);
}

std::vector<Pair> Sample::found(Worker& worker, std::span<const Threshold> thresholds) const {
  fill(worker.buffer());
  std::vector<Pair> out;
  worker.compare({0, problem_.database}, {}, thresholds, out);
  std::ranges::sort(out);
  return out;
}

// The counts of random people lie around half of the sites for identity, and around half of the denominator
// for mixtures.
std::vector<Threshold> Sample::middle_thresholds() const {
  const std::uint32_t sites = problem_.database.n_sites;
  std::vector<Threshold> thresholds;
  for (std::uint32_t q = 0; q < problem_.queries->n_rows(); ++q) {
    const std::uint32_t count = sites / (problem_.comparison == Comparison::kIdentity ? 2 : 4) + q % 3;
    if (q % 4 == 3)
      thresholds.push_back({count, 1, 0});
    else
      thresholds.push_back({UINT32_MAX, sites / 2 + q % 5, std::max(1u, sites)});
  }
  return thresholds;
}

std::string difference(const Sample& sample, Worker& worker) {
  const auto reference = make_reference_engine({});
  const auto prepared = reference->prepare(sample.problem(), {.workers = 0});
  const auto right = prepared->open_worker(sample.blocks());
  const std::vector<Threshold> open(sample.problem().queries->n_rows()), middle = sample.middle_thresholds();
  for (const std::vector<Threshold>& thresholds : {open, middle}) {
    const std::vector<Pair> expected = sample.found(*right, thresholds),
                            found = sample.found(worker, thresholds);
    if (found == expected) continue;
    const auto at = std::ranges::mismatch(found, expected);
    const auto text = [&](auto pair, auto end) {
      const Pair of = pair == end ? Pair{} : *pair;
      return fmt::format("query {}, profile {}: {} of {}", of.query, of.row, of.counts.count,
                         of.counts.denominator);
    };
    return fmt::format("it counts wrong: {} pairs where {} are right; {}, where {} is right", found.size(),
                       expected.size(), text(at.in1, found.end()), text(at.in2, expected.end()));
  }
  return "";
}

}  // namespace fastid::tune
