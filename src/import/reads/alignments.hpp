/// \file
/// The records of a file of aligned reads (htslib), in order of their positions.
#pragma once

#include <htslib/sam.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "import/io/source.hpp"
#include "panel/panel.hpp"

namespace fastid::imports {

/// A range of a chromosome, 0-based, without its end.
struct GenomeRange {
  int contig = 0;  ///< its place in the file's header
  std::int64_t first = 0, end = 0;
};

class Alignments {
 public:
  struct Contig {
    std::string name;   ///< as the file has it
    std::string chrom;  ///< normal_chromosome()
    std::uint64_t length = 0;
    std::string md5{};  ///< MD5 of its bases, as the header states it; "": not stated
  };

  /// \param reference  FASTA, for CRAM
  /// \param threads  that help to decompress. \throws InputError
  Alignments(const Source& source, const std::string& reference, std::size_t threads);
  ~Alignments();

  const std::vector<Contig>& contigs() const { return contigs_; }
  /// The sample of the read groups; the file's name where they name none. \throws InputError where they name
  /// several
  std::string sample() const;
  /// The genome build, by the lengths of chromosomes.
  GenomeBuild build() const;

  /// Notes, for messages, that the reference genome does not have this contig.
  void note_unknown(const std::string& contig);

  /// From now on only records that may overlap one of `ranges` come, where the file has an index beside it.
  /// \param ranges  in order, apart
  void keep_to(const std::vector<GenomeRange>& ranges);

  /// The next record with a position, null at the end; valid until the next call. \throws InputError:
  /// damaged, cut short, not in order
  const bam1_t* next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::vector<Contig> contigs_;
};

}  // namespace fastid::imports
