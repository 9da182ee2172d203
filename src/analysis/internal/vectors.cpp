#include "analysis/internal/vectors.hpp"

#include "analysis/engines.hpp"
#include "analysis/internal/people_file.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "bits/turned.hpp"

namespace fastid {

Vectors::Vectors(const SimilarityOptions& options, ThreadPool& pool) {
  if (options.synthetic == Synthetic::kNone)
    read(options, pool);
  else
    make(options, pool);
  if (names_.size() < options.way)
    throw InputError(options.file, "", fmt::format("holds {}", counted(names_.size(), "vector")),
                     fmt::format("give {} or more", options.way));
}

void Vectors::make(const SimilarityOptions& options, ThreadPool& pool) {
  if (options.synthetic == Synthetic::kAnalytic) analytic_.emplace(options.made);
  const BitBlocks blocks =
      analytic_ ? analytic_->genotypes(pool) : simulate::random_genotypes(options.made, pool);
  bits_.emplace(blocks.view(), options.metric);
  for (std::uint32_t vector = 1; vector <= options.made.n_vectors; ++vector)
    names_.push_back(std::to_string(vector));
}

void Vectors::read(const SimilarityOptions& options, ThreadPool& pool) {
  const PeopleFile file(options.file, options.import);
  if (file.people().shape().encoding == Encoding::kMinor && options.metric != SimilarityMetric::kSorensen)
    throw InputError(options.file, "", "says only whether a minor allele was seen, not how many copies",
                     "give genotypes, or compare by --metric sorensen");
  const TurnedBlocks sites(file.people(), pool);
  if (options.of == VectorsOf::kSites) {
    for (const Site& site : file.sites()) names_.push_back(site.id);
    bits_.emplace(sites.view(), options.metric);
  } else {
    names_ = file.ids();
    bits_.emplace(TurnedBlocks(MemorySource(sites.view()), pool).view(), options.metric);
  }
}

std::string Vectors::digest() const {
  Sha256 sha;
  for (const std::string& name : names_) {
    sha.update(name);
    sha.update(std::string_view("\0", 1));
  }
  const BlocksView bits = bits_->view();
  sha.update(bits.bits, static_cast<std::size_t>(bits.shape.n_blocks()) * bits.shape.block_bytes());
  return sha.hex();
}

std::unique_ptr<SimilarityEngine> Vectors::engine_on(const std::string& device) const {
  return make_bit_similarity_on(device, bits_->view());
}

}  // namespace fastid
