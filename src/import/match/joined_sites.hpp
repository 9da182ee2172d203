/// \file
/// Records at one position, which a derived panel joins into one site: records that a program has split by
/// alternative allele, with or without ids, and the same SNP under two names.
///
///   1 100 . C A   0/0 0/1 0/0   The site is C/A or C/G: the one with more calls, or the first
///   1 100 . C G   0/0 0/0 1/1   of equals. Carriers of the other record's allele are not called there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "import/formats/genotype_reader.hpp"
#include "import/match/ploidy_rule.hpp"

namespace fastid::imports {

class JoinedSites {
 public:
  /// \param records  the number expected, for which memory is reserved
  explicit JoinedSites(std::size_t records) { entries_.reserve(records); }

  /// A record that may become site number `site` of the panel.
  void add(const SiteRecord& record, std::size_t site);
  /// A record that is not a site, but lists bases that people at its position may carry.
  void add_other(const SiteRecord& record);

  /// Finds positions with a site and another record; false where there are none. Call after the last add().
  bool find();

  /// For every record of a second pass over the file: notes who carries alleles that none of the `sites` at
  /// its position has. For every record of a third pass: counts its own alleles among all others.
  void note_carriers(const SiteRecord& record, GenotypeReader& reader, std::span<const Site> sites);
  /// \param ploidy  of the reader's people; null: of mixtures
  void count(const SiteRecord& record, GenotypeReader& reader, PloidyRule* ploidy);

  /// What became of a position.
  struct Choice {
    std::size_t site;                     ///< that stands for it
    GenotypeReader::AlleleCounts copies;  ///< copies of its record's alleles; 0: nobody is called
    std::vector<std::size_t> left_out;    ///< sites that were joined with it
  };
  /// After the third pass.
  std::vector<Choice> choices() const;

 private:
  static constexpr std::size_t kNoSite = SIZE_MAX;
  struct Entry {
    std::uint64_t key;
    std::uint64_t record;
    std::size_t site;
  };
  struct Member {
    std::uint64_t record = 0;  ///< its number
    std::size_t site = 0;
    SampleBits others;  ///< who carries another allele; empty where nobody does
    GenotypeReader::AlleleCounts copies;
  };

  /// Chromosome and position as one number; 0 where either is not known.
  std::uint64_t key_of(const SiteRecord& record);
  std::vector<Member>* members_at(const SiteRecord& record);

  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::uint32_t> chromosomes_;  ///< numbered from 1 as they come
  std::string chromosome_;                                      ///< of the record before
  std::uint64_t chromosome_number_ = 0;
  std::unordered_map<std::uint64_t, std::vector<Member>> positions_;
};

}  // namespace fastid::imports
