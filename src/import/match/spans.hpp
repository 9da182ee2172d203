/// \file
/// What records of several positions (MNPs, deletions) say of the sites of a panel that they cover.
///
///   99  CA  TG     0/1   a record of its own at 100 must show the G too, or the person is not called there;
///   98  CCAT C     0/1   whoever has a deletion over 100 is not called there.
///   A reference genotype in such a record contradicts nothing: other records say what else a person has.
#pragma once

#include <cstdint>
#include <map>

#include "import/formats/genotype_reader.hpp"

namespace fastid::imports {

/// What all records that cover one site say of it.
struct Spanned {
  explicit Spanned(std::size_t n_samples)
      : calls(n_samples), shown(n_samples), gone(n_samples), disagree(n_samples) {}
  CallRow calls;        ///< used where the site has no record of its own
  CallRow shown;        ///< alleles that people have in place of the reference
  SampleBits gone;      ///< people who are not called
  SampleBits disagree;  ///< people to whom two records give different alternatives
  bool called = false;  ///< whether a record has filled `calls`
  bool flipped = false, swapped = false;
  std::uint64_t record = 0;  ///< number of the first record that gives calls
};

class Spans {
 public:
  explicit Spans(std::size_t n_samples) : n_samples_(n_samples) {}

  /// Adds what a record says. \param with_calls  whether its reference genotypes are calls
  void add(std::uint32_t site, std::uint64_t record, const SpanCalls& says, bool with_calls);
  const std::map<std::uint32_t, Spanned>& sites() const { return sites_; }

 private:
  void merge(const SpanCalls& says, Spanned& into) const;

  std::size_t n_samples_;
  std::map<std::uint32_t, Spanned> sites_;
};

}  // namespace fastid::imports
