#include "import/match/ploidy_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bits/popcount.hpp"

namespace fastid::imports {
namespace {

/// Whether people may have a single copy of sites of this class.
bool may_be_one_copy(SiteClass site_class) {
  return site_class != SiteClass::kAutosomal;
}

}  // namespace

PloidyRule::PloidyRule(GenotypeReader& reader) : reader_(reader), breakers_(reader.samples().size()) {}

const SampleBits* PloidyRule::breakers(SiteClass site_class) {
  const Ploidy* const odd = reader_.odd_ploidy();
  if (odd == nullptr) return nullptr;
  breakers_ = odd->many;
  if (!may_be_one_copy(site_class)) breakers_.add(odd->one);
  return &breakers_;
}

void PloidyRule::apply(SiteClass site_class, const SiteRecord& record, CallRow& calls) {
  const Ploidy* const odd = reader_.odd_ploidy();
  if (odd == nullptr) return;
  const bool autosomal = site_class == SiteClass::kAutosomal;
  if (!may_be_one_copy(site_class)) drop(odd->one, {record.number, 1, autosomal}, one_, calls);
  drop(odd->many, {record.number, odd->n_alleles, autosomal}, many_, calls);
}

void PloidyRule::drop(const SampleBits& who, const Place& place, Dropped& kind, CallRow& calls) {
  const auto words = who.words();
  const auto major = calls.major.words(), minor = calls.minor.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t dropped = words[i] & (major[i] | minor[i]);
    if (dropped == 0) continue;
    if (kind.total == 0) kind.first = place;
    kind.most = std::max(kind.most, place.n_alleles);
    kind.total += static_cast<std::uint64_t>(bits_set(dropped));
    major[i] &= ~dropped;
    minor[i] &= ~dropped;
    if (!place.autosomal) continue;
    if (kind.autosomal.empty()) kind.autosomal.resize(reader_.samples().size());
    for (std::uint64_t rest = dropped; rest != 0; rest &= rest - 1)
      ++kind.autosomal[64 * i + static_cast<std::size_t>(std::countr_zero(rest))];
  }
}

std::vector<std::string> PloidyRule::finish(const BitBlocks& blocks, std::span<const Word> autosomal,
                                            const std::string& file) const {
  refuse_most(blocks, autosomal, file);
  std::vector<std::string> warnings;
  if (one_.total > 0)
    warnings.push_back(
        fmt::format("{}: {} of one allele at autosomal sites, where a person has two, not called "
                    "(the first: {})",
                    file, counted(one_.total, "genotype"), reader_.place(one_.first.record)));
  if (many_.total > 0)
    warnings.push_back(fmt::format(
        "{}: {} of more than two alleles, where a person has two, not called (the first: {} alleles, {}); of "
        "a "
        "mixture? `fastid mixture` searches with one, `db build --kind mixtures` keeps them",
        file, counted(many_.total, "genotype"), many_.first.n_alleles, reader_.place(many_.first.record)));
  return warnings;
}

void PloidyRule::refuse_most(const BitBlocks& blocks, std::span<const Word> autosomal,
                             const std::string& file) const {
  if (one_.autosomal.empty() && many_.autosomal.empty()) return;
  for (std::size_t sample = 0; sample < reader_.samples().size(); ++sample) {
    const std::uint32_t dropped = one_.of(sample) + many_.of(sample);
    if (dropped == 0) continue;
    std::uint64_t called = 0;
    for (std::size_t word = 0; word < autosomal.size(); ++word)
      called +=
          static_cast<std::uint64_t>(bits_set(blocks.view().called_word(sample, word) & autosomal[word]));
    if (dropped <= called) continue;
    const bool haploid = one_.of(sample) >= many_.of(sample);
    throw InputError(
        file, fmt::format("sample '{}'", printable(reader_.samples()[sample])),
        fmt::format(
            "{} of its {} autosomal genotypes have {}, where a person has two (the first in the file: {})",
            with_commas(haploid ? one_.of(sample) : many_.of(sample)), with_commas(dropped + called),
            haploid ? "one allele" : fmt::format("up to {} alleles", many_.most),
            reader_.place((haploid ? one_ : many_).first.record)),
        haploid
            ? "give diploid genotypes: call them again with a ploidy of 2"
            : "give diploid genotypes: call them again with a ploidy of 2; of a mixture, `fastid mixture` "
              "searches with it, and `db build --kind mixtures` keeps it");
  }
}

}  // namespace fastid::imports
