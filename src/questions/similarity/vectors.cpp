#include "questions/similarity/vectors.hpp"

#include <fmt/format.h>

#include <utility>

#include "asking/counted_sites.hpp"
#include "asking/engines.hpp"
#include "asking/people_file.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "bits/turned.hpp"
#include "engine/real_similarity.hpp"
#include "questions/similarity/numbers.hpp"

namespace fastid {
namespace {

VectorsOf kind_of(const SimilarityOptions& options) {
  if (options.of) return *options.of;
  const bool numbers = options.synthetic == Synthetic::kNone && is_real_matrix(options.file);
  return numbers ? VectorsOf::kNumbers : VectorsOf::kProfiles;
}

}  // namespace

Vectors::Vectors(const SimilarityOptions& options, ThreadPool& pool) {
  const bool numbers = kind_of(options) == VectorsOf::kNumbers;
  metric_ = options.metric.value_or(numbers ? SimilarityMetric::kCzekanowski : SimilarityMetric::kSorensen);
  if (numbers && metric_ != SimilarityMetric::kCzekanowski)
    throw UsageError("--metric: vectors of numbers have --metric czekanowski alone");
  if (options.synthetic != Synthetic::kNone)
    numbers ? make_numbers(options) : make(options, pool);
  else
    numbers ? take(read_real_matrix(options.file)) : read_genotypes(options, pool);
  if (names_.size() < options.way)
    throw InputError(options.file, "", fmt::format("holds {}", counted(names_.size(), "vector")),
                     fmt::format("give {} or more", options.way));
}

void Vectors::take(const BlocksView& profiles) {
  bits_.emplace(profiles, metric_);
  planes_ = bits_->planes();
}

void Vectors::take(RealMatrix numbers) {
  numbers_.emplace(std::move(numbers));
  planes_ = planes_of(*numbers_);
  number(planes_.n);
}

/// Names vectors by their places, from 1.
void Vectors::number(std::uint32_t n) {
  for (std::uint32_t vector = 1; vector <= n; ++vector) names_.push_back(std::to_string(vector));
  name_of_one_ = "vector";
}

void Vectors::make(const SimilarityOptions& options, ThreadPool& pool) {
  if (options.synthetic == Synthetic::kAnalytic) analytic_.emplace(options.made);
  take((analytic_ ? analytic_->genotypes(pool) : simulate::random_genotypes(options.made, pool)).view());
  number(options.made.n_vectors);
}

void Vectors::make_numbers(const SimilarityOptions& options) {
  if (options.made.missing > 0) throw UsageError("--missing: vectors of numbers have no missing calls");
  if (options.synthetic == Synthetic::kAnalytic) analytic_.emplace(options.made);
  take(analytic_ ? analytic_->matrix(options.made_of)
                 : simulate::random_matrix(options.made, options.made_of));
}

void Vectors::read_genotypes(const SimilarityOptions& options, ThreadPool& pool) {
  const PeopleFile file(options.file, options.import);
  if (file.people().shape().encoding == Encoding::kMinor && metric_ != SimilarityMetric::kSorensen)
    throw InputError(options.file, "", "says only whether a minor allele was seen, not how many copies",
                     "give genotypes, or compare by --metric sorensen");
  const AutosomalSites autosomal(file.panel(), options.file);
  const TurnedBlocks sites = autosomal.keep({file.people(), pool});
  if (options.of == VectorsOf::kSites) {
    for (const Site& site : autosomal.sites()) names_.push_back(site.id);
    name_of_one_ = "site";
    take(sites.view());
  } else {
    names_ = file.ids();
    name_of_one_ = "profile";
    take(TurnedBlocks(MemorySource(sites.view()), pool).view());
  }
}

void Vectors::known_values(std::span<const std::uint32_t> members, std::span<double> out) const {
  if (numbers_)
    out[0] = analytic_->of_numbers(members);
  else
    analytic_->values(metric_, members, out);
}

std::string Vectors::digest() const {
  Sha256 sha;
  for (const std::string& name : names_) {
    sha.update(name);
    sha.update(std::string_view("\0", 1));
  }
  if (numbers_) {
    const std::size_t bytes = numbers_->n_columns() * kLanes * bytes_of(numbers_->type());
    for (std::size_t b = 0; b < numbers_->n_blocks(); ++b)
      with_real(numbers_->type(), [&](auto zero) { sha.update(numbers_->block<decltype(zero)>(b), bytes); });
  } else {
    const BlocksView bits = bits_->view();
    sha.update(bits.bits, static_cast<std::size_t>(bits.shape.n_blocks()) * bits.shape.block_bytes());
  }
  return sha.hex();
}

std::unique_ptr<SimilarityEngine> Vectors::engine_on(DeviceOptions& on, std::uint64_t n_combinations) const {
  if (numbers_) return make_real_similarity_engine_on(on, *numbers_, n_combinations);
  return make_bit_similarity_on(on, bits_->view(), n_combinations);
}

}  // namespace fastid
