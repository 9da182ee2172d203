/// \file
/// Puts the records of a file onto the sites of a panel, by id, else by position; counts what became of them;
/// detects duplicates and other genome builds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bits/blocks.hpp"
#include "import/formats/genotype_reader.hpp"
#include "import/import.hpp"
#include "import/match/likelihood_store.hpp"
#include "import/match/ploidy_rule.hpp"
#include "import/match/reference_genome.hpp"
#include "import/match/site_buffer.hpp"
#include "import/match/spans.hpp"
#include "import/match/variants_only.hpp"
#include "panel/build_detector.hpp"
#include "panel/panel.hpp"
#include "panel/site_class.hpp"

namespace fastid::imports {

/// "1:1234", for messages.
std::string position_text(std::string_view chrom, std::uint32_t pos);

class SiteMatcher {
 public:
  /// \param reader  gives the records for take(); must outlive this
  /// \throws InputError where the file's build is not the panel's
  SiteMatcher(const Panel& panel, const ImportOptions& options, std::string file, GenotypeReader& reader);

  /// Before the first record: keeps the likelihoods of these samples, as likelihoods() of an earlier reading
  /// of the file has named them.
  void keep_likelihoods(std::span<const std::uint64_t> samples);

  /// Reads the current record of the reader. \throws InputError where two records have a site's id.
  void take(const SiteRecord& record);

  /// Ends the file and counts. \throws InputError where nothing matched or positions show another build.
  void finish();

  const ImportCounts& counts() const { return counts_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// After finish(): the samples that go by their likelihoods, and their likelihoods where keep_likelihoods()
  /// named them.
  std::vector<std::uint64_t> by_likelihoods() const;
  std::vector<std::optional<SampleLikelihoods>> take_likelihoods() const;
  /// The signals of each sample, where options.signals asks for them; no value where a sample has none.
  std::vector<std::optional<SampleSignal>> take_signals();
  BitBlocks take_blocks() && { return std::move(blocks_); }
  /// Lines of a SiteReport, after finish().
  std::string report() const;

 private:
  /// Where a site's calls come from so far. Later values take precedence.
  enum class Origin : std::uint8_t {
    kNothing,
    kOtherAlleles,  ///< the file has the site, but only with alleles that are not the panel's
    kDropped,       ///< palindromic, and dropped by the rule
    kSpan,          ///< within a record of several positions
    kBlock,         ///< within a gVCF's block of reference calls
    kPosition,
    kId
  };
  struct SiteState {
    std::uint64_t named_in = 0;  ///< number of the record that gives its id; 0: none did
    std::uint64_t record = 0;    ///< number of the record that its calls come from
    Origin origin = Origin::kNothing;
    bool flipped = false;
    bool swapped = false;
    bool filled = false;   ///< absent, and read as reference
    bool fits = false;     ///< a record matched by position has two bases that fit
    bool misfits = false;  ///< a record matched by position has two bases that do not fit
  };
  struct Candidate {
    std::uint32_t site;
    Origin origin;  ///< kId or kPosition
  };
  enum class Fate { kOtherAlleles, kDropped, kRead };

  void check_builds() const;
  std::optional<std::uint32_t> find_id(std::string_view id);
  void find_candidates(const SiteRecord& record);
  void add_candidate(std::uint32_t site, Origin origin);
  bool try_site(const Candidate& candidate, const SiteRecord& record);
  Fate read_site(const Site& site, std::uint32_t place, Fit& fit);
  Fate read_palindromic(const Site& site, std::uint32_t place, Fit& fit);
  void note_third_allele(std::uint32_t site);
  void refuse_second(std::uint32_t site, const SiteRecord& record);
  void take_span(const SiteRecord& record);
  void call_spans();
  void hold_to_span(std::uint32_t site, const Spanned& spanned);
  void take_block(const SiteRecord& record);
  char block_base(const Site& site, const SiteRecord& record);
  void store(const Candidate& candidate, const Fit& fit, const SiteRecord& record);
  void merge(std::uint32_t site);
  Seen seen_before(std::size_t sample, std::uint32_t site) const;
  void drop_third_alleles();
  void warn_of_mixtures();
  void store_likelihoods(const Candidate& candidate, bool second);
  void store_signals(const Candidate& candidate, bool second);
  bool is_swapped(const Site& site, const SiteRecord& record, bool flipped) const;
  void tally_position(const Site& site, const SiteRecord& record);
  void check_overlap() const;
  void check_positions();
  void check_detected_build() const;
  void check_fits() const;
  bool fits_at_position_of(std::uint32_t site) const;
  void note_fit(const Candidate& candidate, Fate fate);
  void tally_reference(std::uint32_t site);
  void count_sites();
  void call_absent_sites();
  std::uint64_t fill_absent(SiteClass of, const SampleBits& who);
  SampleBits who_has_y() const;
  void check_sexes();
  void warn_of_blocks();
  std::string report_line(std::uint32_t site, std::span<const std::uint64_t> calls) const;

  const Panel& panel_;
  SiteClasses classes_;
  const ImportOptions& options_;
  std::string file_;
  GenotypeReader& reader_;
  BitBlocks blocks_;
  SiteWriter writer_;
  std::vector<SiteState> states_;
  std::vector<ReferenceTally> tallies_;  ///< empty where the file cannot hold variants only
  std::vector<Candidate> candidates_;
  std::uint32_t next_ = 0;  ///< the site after the last one that was found by its id
  CallRow calls_;
  SampleBits carriers_;
  LikelihoodRule rule_;
  std::optional<LikelihoodStore> likelihoods_;  ///< where a rule asks for them
  std::vector<StatedLikelihoods> stated_;
  std::vector<SampleSignal> signals_;  ///< of each sample, where they are asked for
  std::vector<AlleleSignal> measured_;
  bool turned_ = false;               ///< calls_ were turned to the other strand, by frequency
  std::optional<PloidyRule> ploidy_;  ///< of people
  /// For each site on which two records found by position disagree: the samples concerned.
  std::unordered_map<std::uint32_t, std::vector<bool>> conflicts_;
  /// For each site where another record has a third allele: who carries it.
  std::unordered_map<std::uint32_t, SampleBits> third_;
  Spans spans_;
  SpanCalls span_calls_;
  std::unique_ptr<ReferenceGenome> reference_;
  BuildDetector detector_;
  ImportCounts counts_;
  std::vector<std::string> warnings_;

  std::uint64_t shared_ids_ = 0;  ///< matched by id, position known on both sides
  std::uint64_t moved_ids_ = 0;   ///< of shared_ids_: at another position
  std::uint64_t assumed_ = 0;     ///< sites in blocks that were read as the major allele
  std::string moved_example_;     ///< "rs1 1:2 against 1:3"
  std::string record_example_;    ///< "'rs1' at 1:2": the first record
};

}  // namespace fastid::imports
