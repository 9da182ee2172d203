// Aligned reads that may be anything (BAM, CRAM, SAM), on a small panel and a genome that has its sites. The
// last byte picks how to read.
#include <fmt/format.h>

#include "fuzz/fuzz.hpp"
#include "import/reads.hpp"

namespace {

using namespace fastid;

const Panel& panel() {
  static const Panel panel = read_panel_tsv(FASTID_FUZZ_PANEL);
  return panel;
}

/// Chromosome 1 as far as the panel's first sites, with their major alleles.
const std::string& genome() {
  static const std::string path = [] {
    std::string bases(1'000'000, 'A');
    for (const Site& site : panel().sites())
      if (site.chrom == "1" && site.pos <= bases.size()) bases[site.pos - 1] = site.major;
    fuzz::file_of("genome.fa.fai", fmt::format("1\t{0}\t3\t{0}\t{1}\n", bases.size(), bases.size() + 1));
    return fuzz::file_of("genome.fa", ">1\n" + bases + "\n");
  }();
  return path;
}

}  // namespace

FASTID_FUZZ_TARGET {
  const std::string path = fuzz::file_of("reads", bytes);
  imports::ImportOptions options;
  options.reference = genome();
  const unsigned choice = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.back());
  options.individuals = (choice & 1) != 0;
  options.reads.damage = (choice & 2) != 0 ? 0.3 : 0;
  options.reads.single_stranded = (choice & 4) != 0;
  options.reads.min_mapping_quality = 0;
  if ((choice & 8) != 0) options.likelihoods = imports::LikelihoodRule::kAuto;
  if ((choice & 16) != 0) options.reads.contamination.reset();  // as the reads show
  fuzz::may_refuse([&] { imports::call_reads(path, panel(), options); });
}
