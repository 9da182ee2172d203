/// \file
/// The ranking of a whole database as relatives of a query, by a hidden Markov chain of two states along the
/// map: one allele identical by descent, or none. It stands for relatives of any degree, and orders profiles
/// for LinkedModel::ratios(), which takes several hundred times as long.
///
/// The ratio is exact but for the rounding of single precision, and the lowest of all populations. In an
/// engine's PairCounts, `count` is the ratio in fixed point (higher ratios have lower counts, kScreenOfOne is
/// 1: engine/screen_count.hpp), denominator is 1, and compared has the sites that both have called.
///
/// With linkage blocks an emission is taken to the power of 1 / m, m being the model's sites of its block,
/// whether they are called or not, so that the mean among strangers stays 1 at most.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bits/likelihoods.hpp"
#include "bits/rows.hpp"
#include "engine/screen_count.hpp"
#include "linked/linked_model.hpp"

namespace fastid::linked {

class Screen final : public engine::ScreenCount {
 public:
  /// 80 bytes for each site and population, and 16 more for each query that goes by likelihoods.
  /// \param models  of each population, at least one \param queries  with `major`; must outlive this object
  /// \param samples  for each query its likelihoods, which count in place of its row; null, and empty: the
  /// row
  Screen(std::span<const LinkedModel> models, const ProfileRows& queries,
         std::span<const SampleLikelihoods* const> samples = {});
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen() override;

  std::vector<const engine::ScreenTable*> tables() const override;
  bool by_rows() const override;
  std::unique_ptr<engine::CustomCount> sliced(const engine::Problem& slice, std::size_t first) const override;
  std::unique_ptr<engine::Engine> make_engine(std::size_t threads) const override;
  engine::PairCounts count_pair(std::size_t query, const BlocksView& view,
                                std::uint64_t profile) const override;

  /// log10 of a pair's ratio, to 1e-4.
  static double log10_ratio(const engine::PairCounts& counts);

 private:
  friend class ScreenWorker;
  struct OfPopulation;

  Screen(const Screen& all, const ProfileRows& queries, std::size_t first);
  std::uint32_t compared(std::size_t query, const BlocksView& view, std::uint64_t profile) const;

  const ProfileRows& queries_;
  std::size_t first_ = 0;                                         ///< the first query's place in populations_
  std::vector<const SampleLikelihoods*> samples_;                 ///< of each query; null: its row counts
  std::vector<std::shared_ptr<const OfPopulation>> populations_;  ///< shared by slices
};

}  // namespace fastid::linked
