// Derives a panel from the first input of a database: the biallelic SNPs of many people, with the rarer
// allele as the minor one. The same pass reads the people onto the panel, because its sites are the file's
// own records.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "import/formats/format.hpp"
#include "import/formats/open.hpp"
#include "import/import.hpp"
#include "import/io/content_hash.hpp"
#include "import/io/source.hpp"
#include "import/match/growing_blocks.hpp"
#include "import/match/joined_sites.hpp"
#include "import/match/ploidy_rule.hpp"
#include "import/match/sex_check.hpp"
#include "import/match/variants_only.hpp"
#include "panel/build_detector.hpp"
#include "panel/site_class.hpp"

namespace fastid::imports {
namespace {

constexpr std::string_view kPopulation = "cohort";
constexpr std::size_t kLeastPeople = 2;
constexpr std::size_t kFewestOfOne = 20;        // sites on one chromosome; fewer are a small test
constexpr std::size_t kMostReserved = 1 << 20;  // sites for which memory is reserved in advance

/// Collects sites, and counts what is left out and why.
class PanelMaker {
 public:
  /// \param pool  packs calls in parallel with reading
  PanelMaker(const Source& source, GenotypeReader& reader, const ImportOptions& options, bool with_calls,
             ThreadPool& pool)
      : source_(source),
        reader_(reader),
        calls_(reader.samples().size()),
        joined_(std::min<std::uint64_t>(reader.n_records(), kMostReserved)) {
    frequencies_.name = kPopulation;
    const std::size_t expected = std::min<std::uint64_t>(reader.n_records(), kMostReserved);
    sites_.reserve(expected);
    alleles_.reserve(expected);
    ids_.reserve(expected);
    numbers_.reserve(expected);
    frequencies_.minor_freq.reserve(expected);
    if (with_calls)
      blocks_.emplace(reader.samples().size(), encoding_of(options, reader), reader.n_records(), pool);
    if (options.individuals) ploidy_.emplace(reader);
  }

  void take(const SiteRecord& record) {
    ++records_;
    const auto& alleles = record.alleles;
    const bool is_snp = alleles.size() == 2 && complement(alleles[0]) != 0 && complement(alleles[1]) != 0;
    if (!is_snp || alleles[0] == alleles[1]) {
      ++not_snps_;
      if (reader_.has_two_bases()) joined_.add_other(record);
      return leave_out(record);
    }
    if (sites_.size() == kMostSites)
      throw InputError(source_.name(), reader_.place(record.number),
                       fmt::format("there are more than {} sites", with_commas(kMostSites)),
                       "give a panel with --panel");
    std::string id = id_of(record);
    const SiteClass site_class = class_of(record.chrom, record.pos, reader_.build());
    const auto counts = count(site_class, reader_);
    if (id.empty() || counts.first + counts.second == 0) {
      ++(id.empty() ? nameless_ : uncalled_);
      return leave_out(record);
    }
    add(std::move(id), record, site_class, counts);
  }

  /// Joins sites that share a position into one, in two more passes over the file: who carries which allele
  /// there, then the counts of alleles among all others. \param open  gives a reader for a pass
  void join(const std::function<std::unique_ptr<GenotypeReader>()>& open) {
    if (!joined_.find()) return;
    auto reader = open();
    while (const SiteRecord* record = reader->next()) joined_.note_carriers(*record, *reader, sites_);
    reader = open();
    std::optional<PloidyRule> ploidy;
    if (ploidy_) ploidy.emplace(*reader);
    while (const SiteRecord* record = reader->next())
      joined_.count(*record, *reader, ploidy ? &*ploidy : nullptr);
    const auto choices = joined_.choices();
    std::vector<bool> left_out(sites_.size(), false);
    for (const auto& [site, copies, others] : choices) {
      for (const std::size_t other : others) left_out[other] = true;
      joined_sites_ += others.size();
      if (copies.first + copies.second == 0)
        left_out[site] = true;
      else
        set_frequency(site, copies);
    }
    drop(left_out);
    blocks_.reset();  // they hold the calls of single records
  }

  Panel finish() {
    if (sites_.empty())
      throw InputError(source_.name(), "", "holds no biallelic SNP with a called genotype",
                       "give a panel: --panel");
    log::note(
        "{}: a panel of {} of {} sites; left out: {} no biallelic SNPs, {} never called, {} without id and "
        "position",
        source_.name(), with_commas(sites_.size()), with_commas(records_), with_commas(not_snps_),
        with_commas(uncalled_), with_commas(nameless_));
    if (joined_sites_ > 0)
      log::warn(
          "{}: {} at a position of another: those of one position are one site of the panel, and who carries "
          "a third "
          "allele there is not called",
          source_.name(), counted(joined_sites_, "record"));
    BuildDetector detector;
    for (const Site& site : sites_) detector.see(site.id, site.pos);
    const GenomeBuild stated = reader_.build();
    try {
      return Panel(std::move(sites_), {std::move(frequencies_)},
                   stated == GenomeBuild::kUnknown ? detector.found() : stated, source_.name());
    } catch (const InputError&) {
      refuse_twins();
      throw;
    }
  }

  /// The people on the panel; nothing where a record that the panel leaves out is at one of its sites,
  /// because it may change the calls there. Call after finish().
  std::optional<BitBlocks> take_blocks(const Panel& panel) {
    if (!blocks_ || has_blocks_) return std::nullopt;
    counts_.file_sites = records_;
    if (other_classes(panel)) return std::nullopt;
    for (const LeftOut& out : left_out_)
      if (!panel.find_range(out.chrom, out.pos, out.end).empty() || panel.find_id(out.ids))
        return std::nullopt;
    return blocks_->take();
  }
  /// Warnings about the ploidy of the people's genotypes. \throws InputError as PloidyRule::finish()
  std::vector<std::string> check_ploidy(const BitBlocks& people, const SiteClasses& classes) const {
    if (!ploidy_) return {};
    return ploidy_->finish(people, classes.mask(SiteClass::kAutosomal), source_.name());
  }
  const ImportCounts& counts() const { return counts_; }
  std::span<const ReferenceTally> tallies() const { return tallies_; }

 private:
  struct LeftOut {
    std::string ids, chrom;
    std::uint32_t pos = 0, end = 0;  ///< the positions that it speaks for
  };
  static constexpr std::size_t kMostLeftOut = 1 << 20;

  /// Copies of the current record's alleles, without people who have too few or too many of them.
  GenotypeReader::AlleleCounts count(SiteClass site_class, GenotypeReader& reader) {
    const SampleBits* const breakers = ploidy_ ? ploidy_->breakers(site_class) : nullptr;
    return breakers == nullptr ? reader.count_alleles() : reader.count_alleles_without(*breakers);
  }

  /// Whether the build found at the end puts a site into another class than was assumed on the way.
  bool other_classes(const Panel& panel) const {
    return panel.build() != reader_.build() && std::ranges::any_of(panel.sites(), [&](const Site& site) {
             return class_of(site.chrom, site.pos, panel.build()) !=
                    class_of(site.chrom, site.pos, reader_.build());
           });
  }

  static std::string_view first_id(const SiteRecord& record) {
    return std::string_view(record.ids).substr(0, record.ids.find(';'));
  }
  static std::string id_of(const SiteRecord& record) {
    const std::string_view first = first_id(record);
    if (!first.empty() && first != ".") return std::string(first);
    if (record.pos == 0 || record.chrom == "0") return {};
    return fmt::format("{}:{}", record.chrom, record.pos);
  }

  void leave_out(const SiteRecord& record) {
    has_blocks_ |= record.block_end > 0;
    if (left_out_.size() == kMostLeftOut) blocks_.reset();  // too many to remember
    if (blocks_)
      left_out_.push_back({record.ids, record.chrom, record.pos, std::max(record.pos, record.span_end)});
  }

  /// \throws InputError where two records have the same id
  void refuse_twins() const {
    std::unordered_map<std::string_view, std::uint64_t> seen;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const auto [twin, fresh] = seen.try_emplace(ids_[i], numbers_[i]);
      if (fresh) continue;
      throw InputError(
          source_.name(), reader_.place(numbers_[i]),
          fmt::format("the id '{}' is there already, in {}", printable(ids_[i]), reader_.place(twin->second)),
          "rename or remove one");
    }
  }

  void add(std::string id, const SiteRecord& record, SiteClass site_class,
           const GenotypeReader::AlleleCounts& counts) {
    joined_.add(record, sites_.size());
    sites_.push_back({std::move(id), record.chrom, record.pos, record.alleles[0], record.alleles[1]});
    alleles_.push_back({record.alleles[0], record.alleles[1]});
    ids_.push_back(sites_.back().id);
    numbers_.push_back(record.number);
    frequencies_.minor_freq.push_back(0);
    frequencies_.counted.push_back(0);
    set_frequency(sites_.size() - 1, counts);
    if (blocks_) add_calls(sites_.back(), record, site_class, (counts.first + counts.second) / 2);
  }

  /// Which of the record's alleles is the minor one, and how frequent it is.
  void set_frequency(std::size_t place, const GenotypeReader::AlleleCounts& counts) {
    const bool first_is_minor =
        counts.first < counts.second || (counts.first == counts.second && reader_.minor_at_tie() == 0);
    const std::uint64_t minor = first_is_minor ? counts.first : counts.second;
    sites_[place].major = alleles_[place][first_is_minor ? 1 : 0];
    sites_[place].minor = alleles_[place][first_is_minor ? 0 : 1];
    frequencies_.counted[place] = static_cast<std::uint32_t>(counts.first + counts.second);
    frequencies_.minor_freq[place] =
        static_cast<double>(minor) / static_cast<double>(counts.first + counts.second);
  }

  /// Removes the marked sites.
  void drop(const std::vector<bool>& left_out) {
    const auto drop_from = [&](auto& column) {
      std::size_t i = 0;
      std::erase_if(column, [&](const auto&) { return left_out[i++]; });
    };
    drop_from(sites_);
    drop_from(alleles_);
    drop_from(ids_);
    drop_from(numbers_);
    drop_from(frequencies_.minor_freq);
    drop_from(frequencies_.counted);
  }

  /// \param diploid  number of people who are called, where all are diploid
  void add_calls(const Site& site, const SiteRecord& record, SiteClass site_class, std::uint64_t diploid) {
    std::uint64_t called = diploid;
    if (const auto codes = reader_.codes(); !codes.empty()) {
      blocks_->add(codes, record.alleles[0] == site.minor);
    } else {
      reader_.read_onto(site, calls_);
      if (ploidy_) ploidy_->apply(site_class, record, calls_);
      blocks_->add(calls_);
      called = calls_.count_called();
    }
    const bool swapped = record.alleles[reader_.reference_allele()] == site.minor;
    if (reader_.may_hold_variants_only())
      tally_reference(called, swapped || site_class != SiteClass::kAutosomal);
    ++counts_.matched;
    counts_.matched_by_position += first_id(record) != site.id;
    counts_.palindromic += site.palindromic();
    counts_.no_calls += reader_.samples().size() - called;
    counts_.swapped += swapped;
    counts_.samples = reader_.samples().size();
  }

  /// Adds the tally of calls_, the calls of the site just added. \param not_judged  the site is not
  /// autosomal, or its major allele is not the reference
  void tally_reference(std::uint64_t called, bool not_judged) {
    const auto n = static_cast<std::uint32_t>(called);
    tallies_.push_back(not_judged ? ReferenceTally{}
                                  : ReferenceTally{n, n - static_cast<std::uint32_t>(calls_.minor.count())});
  }

  const Source& source_;
  GenotypeReader& reader_;
  std::vector<Site> sites_;
  std::vector<std::array<char, 2>> alleles_;  ///< of their records
  std::vector<std::string> ids_;              ///< of the sites, which finish() moves into the panel
  std::vector<std::uint64_t> numbers_;        ///< of their records
  Population frequencies_;
  CallRow calls_;
  std::optional<PloidyRule> ploidy_;  ///< of people
  std::optional<GrowingBlocks> blocks_;
  std::vector<LeftOut> left_out_;
  std::vector<ReferenceTally> tallies_;  ///< of a file that may hold variants only
  JoinedSites joined_;
  std::uint64_t joined_sites_ = 0;
  bool has_blocks_ = false;
  ImportCounts counts_;
  std::uint64_t records_ = 0, not_snps_ = 0, uncalled_ = 0, nameless_ = 0;
};

/// Whether the options need a separate pass to read the people onto the panel.
bool needs_own_pass(const ImportOptions& options) {
  return options.palindromic != PalindromicRule::kKeep || options.report || options.depths ||
         options.absent_as_reference || options.ignore_build;
}

/// A panel from the first of several files, one for each chromosome, has no site for the others.
void warn_of_one_chromosome(const Panel& panel, const Source& source) {
  if (panel.n_sites() < kFewestOfOne || panel.only_chromosome().empty()) return;
  log::warn(
      "{}: all of its sites are on chromosome {}, and so is the panel: if other files hold other "
      "chromosomes, {}",
      source.name(), panel.only_chromosome(), kJoinChromosomes);
}

void check_sexes(ImportedProfiles& profiles, const SiteClasses& classes) {
  const PeopleOnPanel people{profiles.blocks, classes, profiles.ids};
  profiles.counts.one_copy_hets = one_copy_hets(people);
  if (std::string warning = warn_of_sexes(people, profiles.stated_sexes, display_name(profiles.file));
      !warning.empty())
    profiles.warnings.push_back(std::move(warning));
}

/// The panel with frequencies of X, Y and M by copies, which need the people's sexes. Where the profiles do
/// not show the sexes, genotypes are read once more.
Panel by_copies(const std::string& path, const PanelAndProfiles& derived, const ImportOptions& options) {
  std::optional<ImportedProfiles> again;
  if (!derived.profiles || derived.profiles->blocks.shape().encoding != Encoding::kAlleles) {
    ImportOptions genotypes = options;
    genotypes.encoding = Encoding::kAlleles;
    genotypes.depths.reset();
    genotypes.palindromic = PalindromicRule::kKeep;
    genotypes.report.reset();
    again = import_profiles(path, derived.panel, genotypes);
  }
  const ImportedProfiles& profiles = again ? *again : *derived.profiles;
  if (profiles.blocks.shape().encoding != Encoding::kAlleles) return derived.panel;
  std::vector<Population> populations = derived.panel.populations();
  const SiteClasses classes(derived.panel);
  count_by_copies({profiles.blocks, classes, profiles.ids}, populations.front().minor_freq);
  return Panel(derived.panel.sites(), std::move(populations), derived.panel.build(), path);
}

void refuse_few_people(const Source& source, FileFormat format, std::size_t people, const std::string& cure) {
  if (format == FileFormat::kText || people < kLeastPeople)
    throw InputError(source.name(), "",
                     "holds one person's genotypes, which cannot say which alleles are rare", cure);
}

}  // namespace

PanelAndProfiles derive_panel_and_profiles(const std::string& path, const ImportOptions& options,
                                           const std::string& cure) {
  const Source source(path);
  const FileFormat format = detect_format(source);
  ReaderOptions how = reader_options(options);
  const bool one_pass = !needs_own_pass(options);
  how.depths.reset();  // genotypes decide which allele is rare
  std::shared_future<std::string> sha256;
  ThreadPool alone(1);
  ThreadPool& pool = options.pool ? *options.pool : alone;
  // Started before anything else is read, because nothing takes longer.
  if (one_pass) sha256 = hash_content(files_of(source, format), source.name(), pool);
  const auto reader = open_genotypes(source, format, how);
  refuse_few_people(source, format, reader->samples().size(), cure);
  if (one_pass) check_ids(reader->samples(), source.name());
  PanelMaker maker(source, *reader, options, one_pass, pool);
  while (const SiteRecord* record = reader->next()) maker.take(*record);
  maker.join([&] { return open_genotypes(source, format, how); });
  PanelAndProfiles result{maker.finish(), std::nullopt};
  warn_of_one_chromosome(result.panel, source);
  const SiteClasses classes(result.panel);
  if (auto blocks = maker.take_blocks(result.panel)) {
    std::vector<std::string> warnings = maker.check_ploidy(*blocks, classes);
    refuse_variants_only(result.panel, maker.tallies(), people_of(options), source.name());
    std::ranges::move(reader->warnings(), std::back_inserter(warnings));
    result.profiles = ImportedProfiles{.file = path,
                                       .sha256 = sha256,
                                       .ids = reader->samples(),
                                       .blocks = std::move(*blocks),
                                       .counts = maker.counts(),
                                       .warnings = std::move(warnings)};
    const std::span<const std::optional<Sex>> stated = reader->stated_sexes();
    result.profiles->stated_sexes.assign(stated.begin(), stated.end());
    if (options.individuals) check_sexes(*result.profiles, classes);
  }
  if (options.individuals && !options.haplotypes && !classes.all_autosomal())
    result.panel = by_copies(path, result, options);
  return result;
}

Panel derive_panel(const std::string& path) {
  ImportOptions options;
  options.absent_as_reference = true;  // only the panel is wanted: skips the profiles and their checks
  return derive_panel_and_profiles(path, options).panel;
}

}  // namespace fastid::imports
