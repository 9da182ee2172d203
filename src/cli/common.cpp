#include "cli/common.hpp"
#include "cli/team.hpp"
#include "db/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/shell_words.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "import/site_report.hpp"

namespace fastid::cli {
namespace {

std::string g_command_line;

}  // namespace

const std::string& command_line() {
  return g_command_line;
}

void set_command_line(int argc, char** argv) {
  g_command_line = "fastid";
  for (int i = 1; i < argc; ++i) g_command_line += ' ' + shell_word(argv[i]);
}

void add_threads(Command app, std::size_t& threads, const std::string& what) {
  add_number(app, "--threads", threads,
             what + " (default: one for each CPU this process may use; FASTID_THREADS)")
      .variable("FASTID_THREADS")
      .check(within(1, 4096))
      .value_name("N");
}

void Verbosity::apply() const {
  set_color(color);
  if (follows()) return log::set_level(log::Level::kErrors);
  log::set_level(quiet ? log::Level::kQuiet : verbose ? log::Level::kVerbose : log::Level::kNormal);
}

void add_verbosity(Command app, Verbosity& verbosity) {
  app.group("Messages");
  const Option quiet =
      app.add_flag("-q,--quiet", verbosity.quiet, "Only warnings and errors on standard error");
  app.add_flag("-v,--verbose", verbosity.verbose, "Say what is done, on which device, and how long it took")
      .excludes(quiet);
  add_choice(
      app, "--progress", verbosity.progress, "Progress on standard error: auto (a terminal), always, never",
      {{"auto", ProgressMode::kAuto}, {"always", ProgressMode::kAlways}, {"never", ProgressMode::kNever}})
      .value_name("WHEN");
  add_choice(app, "--color", verbosity.color,
             "Colours: auto (on terminals, unless NO_COLOR is set), always, never",
             {{"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}})
      .value_name("WHEN");
}

std::optional<std::uint64_t> parse_size(const std::string& text) {
  constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = text;
  int shift = 0;
  if (!digits.empty()) {
    const std::size_t unit =
        kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(digits.back()))));
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      digits.remove_suffix(1);
    }
  }
  const auto value = parse_number<std::uint64_t>(digits);
  if (!value || *value == 0 || *value > UINT64_MAX >> shift) return std::nullopt;
  return *value << shift;
}

void add_device(Command app, asking::DeviceOptions& options, DeviceUse use) {
  const bool streams = use == DeviceUse::kStreams, likelihoods = use == DeviceUse::kLikelihoods;
  app.group("Device");
  app.add_option(
         "--device", options.device,
         std::string("Where to compute: auto (default; ") +
             (likelihoods ? "the cpu" : "where it is predicted to take least time") +
             "), cpu, reference, opencl, opencl:SELECTOR, opencl:all; the answer is the same everywhere" +
             (likelihoods ? " to 1e-5" : "") + " (FASTID_DEVICE)")
      .variable("FASTID_DEVICE")
      .check(suggested({"auto", "cpu", "reference", "opencl", "opencl:all"}))
      .value_name("DEVICE")
      .brief("auto, cpu, opencl, opencl:SELECTOR or opencl:all");
  if (streams || use == DeviceUse::kCountsSites)
    app.add_option("--config", options.engine.config_file,
                   "Config header for the OpenCL device, in place of the one `fastid devices` names")
        .value_name("FILE");
  add_threads(app, options.engine.threads);
  if (!likelihoods)
    app.take<std::string>(
           "--memory",
           [&options](const std::string& text) {
             options.engine.memory = parse_size(text);
             if (!options.engine.memory) refuse_value("--memory", text + " is no size such as 512M or 2G");
           },
           streams ? "Most memory for tiles of the database, such as 512M"
                   : "Most memory for what is compared, such as 512M; an error says where that is too little")
        .value_name("SIZE");
  if (!streams) return;
  app.take<std::uint64_t>(
         "--buffers", [&options](const std::size_t& n) { options.engine.buffers = n; },
         "Tiles in flight on an OpenCL device (for measurements)")
      .check(decimal())
      .check(within(1, 64))
      .value_name("N");
  app.take<std::uint64_t>(
         "--tile-blocks", [&options](const std::size_t& blocks) { options.engine.tile_blocks = blocks; },
         "Cut the database into tiles of N blocks of 32 profiles (for measurements)")
      .check(decimal())
      .check(within(std::size_t{1}, std::size_t{1} << 32))
      .value_name("N");
}

void add_encoding(Command app, Encoding& encoding) {
  encoding = Encoding::kAlleles;
  add_choice(
      app, "--encoding", encoding,
      "What the database says of a site: alleles (default; which alleles were seen), minor (only whether "
      "a minor allele was: FastID's published encoding)",
      {{"alleles", Encoding::kAlleles}, {"minor", Encoding::kMinor}})
      .value_name("WHAT");
}

void add_writing(Command app) {
  app.add_flag("--force", allow_any_replacement,
               "Replace a database, or a file of another kind, that is where one is to be written");
  app.add_flag(
      "--shared", [] { set_privacy(Privacy::kUmask); },
      "Files that are made may be read by whom the umask lets, not by the owner alone");
}

Option add_reason(Command app, std::string& reason) {
  const auto too_long = [](const std::string& text) {
    const bool fits = text.size() <= db::kLongestLogText;
    return fits ? "" : fmt::format("{} bytes, at most {} are kept", text.size(), db::kLongestLogText);
  };
  return app.add_option("--reason", reason, "Why, for the database's log")
      .check({too_long, {}})
      .value_name("TEXT")
      .brief();
}

void say_overwritten(const std::string& database, const std::string& why_not) {
  if (why_not.empty())
    log::note("{}: the old file was overwritten before its space was freed", database);
  else
    log::warn("{}: the old file's space was freed, but not overwritten: {}", database, why_not);
}

void add_row_rule(Command app, db::RowRule& rule, RowLists lists) {
  app.add_option("--only", rule.only, "Only profiles whose tags are so, as in 'kit=FORCE && consent=yes'")
      .value_name("EXPRESSION")
      .brief("Only profiles with such tags, as kit=FORCE");
  if (lists == RowLists::kBoth)
    app.add_option("--ids", rule.ids, "Only profiles whose ids FILE lists, one on each line")
        .value_name("FILE");
  app.add_option("--exclude", rule.exclude, "No profile whose id FILE lists").value_name("FILE");
}

void ReadingOptions::refuse_idle(const std::vector<std::string>& files) const {
  if (files.empty()) return;
  const imports::ReadOptions& reads = import.reads;
  std::vector<std::string> given;
  if (reads.min_mapping_quality) given.emplace_back("--min-mapping-quality");
  if (reads.damage > 0) given.emplace_back("--damage");
  if (reads.single_stranded) given.emplace_back("--single-stranded");
  if (!reads.known.empty()) given.emplace_back("--known-variants");
  if (reads.contamination != 0.0) given.emplace_back("--contamination");
  const auto none = [&](auto is_such) {
    return std::ranges::none_of(files,
                                [&](const std::string& file) { return !file.empty() && is_such(file); });
  };
  if (!given.empty() && none(imports::holds_reads))
    throw UsageError(given.front() +
                     ": no file holds aligned reads (BAM, CRAM, SAM); leave out what is for them alone");
  const bool all_databases = none([](const std::string& file) { return !db::is_database(file); });
  if (!all_databases) return;
  if (import.min_genotype_quality) given.emplace_back("--min-gq");
  if (import.depths) given.emplace_back("--min-reads or --min-share");
  if (import.absent_as_reference) given.emplace_back("--absent-as-reference");
  if (import.ignore_build) given.emplace_back("--ignore-build");
  if (import.palindromic != imports::PalindromicRule::kKeep) given.emplace_back("--palindromic");
  if (!import.reference.empty()) given.emplace_back("--reference");
  if (!report.empty()) given.emplace_back("--report");
  if (!given.empty())
    throw UsageError(given.front() + ": a database is not read so; give the option to `fastid db build`");
}

void ReadingOptions::open_report(std::vector<WrittenFile> written, const std::vector<std::string>& genotypes,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> read = with_siblings(genotypes);
  for (const std::string& file : with_index(import.reference)) read.push_back(file);
  read.push_back(import.reads.known);
  read.insert(read.end(), others.begin(), others.end());
  written.push_back({.option = "--report", .path = report, .format = "tsv"});
  check_files(written, read);
  if (!report.empty()) import.report = std::make_shared<imports::SiteReport>(report);
}

void add_depth_rule(Command app, imports::ImportOptions& options, const std::string& of, bool always) {
  const auto depths = [&options]() -> imports::DepthRule& {
    return options.depths ? *options.depths : options.depths.emplace();
  };
  app.take<std::uint32_t>(
         "--min-reads,--min-depth", [depths](const std::uint32_t& n) { depths().min_depth = n; },
         of + "; a site of fewer is not called " + (always ? "(10)" : "(off; with --min-share 10)"))
      .check(decimal())
      .value_name("N");
  app.take<double>(
         "--min-share,--min-allele-fraction",
         [depths](const double& share) { depths().min_fraction = share; },
         std::string("Numbers of reads: an allele is seen that has this share of a site's reads ") +
             (always ? "(0.02)" : "(off; with --min-reads 0.02)"))
      .check(decimal())
      .check(within(0.0, 1.0))
      .value_name("F");
}

void add_read_options(Command app, imports::ImportOptions& options, const std::string& known,
                      bool among_others) {
  imports::ReadOptions& reads = options.reads;
  const auto help = [among_others](const char* first, const char* text) {
    return among_others ? first + std::string(text) : ascii_upper({text, 1}) + (text + 1);
  };
  constexpr const char* kReads = "BAM, CRAM, SAM: ";
  constexpr const char* kOfReads = "Reads: ";
  app.take<std::uint32_t>(
         "--min-gq", [&options](const std::uint32_t& q) { options.min_genotype_quality = q; },
         among_others ? "BAM, CRAM, SAM, and of a VCF GQ, RGQ or GP: a genotype of less quality is no call "
                        "(20 of reads, off of VCFs)"
                      : "A genotype of less quality is no call (20)")
      .check(decimal())
      .check(within(0u, 99u))
      .value_name("Q");
  app.take<std::uint32_t>(
         "--min-mapping-quality", [&reads](const std::uint32_t& q) { reads.min_mapping_quality = q; },
         help(kReads, "reads of less mapping quality are left out (20)"))
      .check(decimal())
      .check(within(0u, 254u))
      .value_name("Q");
  const Option damage =
      add_number(
          app, "--damage", reads.damage,
          help(kOfReads,
               "old DNA, in which a share D of C is read as T at a molecule's first base, and of G as A at "
               "its last, and less with each base from there (0)"))
          .check(within(0.0, 0.99))
          .value_name("D");
  app.add_flag("--single-stranded", reads.single_stranded,
               help(kOfReads, "with --damage: the library is of single strands, with T for C at both ends"))
      .needs(damage);
  app.add_option(known, reads.known,
                 help(kOfReads, "a VCF of variants that the sample may have beside the panel's sites"))
      .value_name("VCF");
}

namespace {

void parse_contamination(const std::string& text, imports::ReadOptions& reads) {
  reads.contamination = text == "auto" ? std::nullopt : parse_number<double>(text);
  if (text != "auto" && !reads.contamination)
    refuse_value("--contamination", text + " is neither a number from 0 to 0.5 nor 'auto'");
}

}  // namespace

void add_likelihoods(Command app, imports::ImportOptions& options) {
  options.likelihoods = imports::LikelihoodRule::kAuto;
  add_choice(app, "--likelihoods", options.likelihoods,
             "Weigh how probable each genotype is in place of calls: auto (default; of reads, and of a VCF's "
             "samples that have PL or GL and are called at less than half of these sites), PL, GL or GP "
             "(that field of a VCF), off",
             {{"auto", imports::LikelihoodRule::kAuto},
              {"PL", imports::LikelihoodRule::kPl},
              {"GL", imports::LikelihoodRule::kGl},
              {"GP", imports::LikelihoodRule::kGp},
              {"off", imports::LikelihoodRule::kOff}})
      .value_name("WHAT");
  app.take<std::string>(
         "--contamination", [&options](const std::string& text) { parse_contamination(text, options.reads); },
         "Reads that are weighed by likelihoods: the share of another, unrelated person's (0); auto: as they "
         "show")
      .value_name("C|auto");
}

void check_contamination(const imports::ImportOptions& import) {
  const bool called = imports::rule_of_likelihoods(import) == imports::LikelihoodRule::kOff;
  if (import.reads.contamination != 0.0 && called)
    throw UsageError(fmt::format(
        "--contamination is of reads that are weighed by likelihoods, and {} has them called; leave one out",
        import.min_genotype_quality ? "--min-gq" : "--likelihoods off"));
}

void add_reading(Command app, ReadingOptions& reading) {
  imports::ImportOptions& options = reading.import;
  app.group("Reading genotypes");
  app.add_flag("--ignore-build", options.ignore_build, "Match sites by id alone where genome builds differ");
  app.add_flag("--absent-as-reference", options.absent_as_reference,
               "Read a site that a file does not hold as called, without the minor allele");
  add_choice(
      app, "--palindromic", options.palindromic,
      "A/T and C/G sites, whose strands look alike: keep (default; as they are), drop, frequency (the strand "
      "that the panel's frequencies make 1,000 times as likely, else drop)",
      {{"keep", imports::PalindromicRule::kKeep},
       {"drop", imports::PalindromicRule::kDrop},
       {"frequency", imports::PalindromicRule::kFrequency}})
      .value_name("RULE");
  add_depth_rule(
      app, options,
      "VCF, reports of kits, tables of evidence: read numbers of reads (VCF: AD) instead of genotypes",
      false);
  add_read_options(app, options, "--known-variants", true);
  app.add_option(
         "--reference", options.reference,
         "The genome (FASTA with its .fai): aligned reads are compared with it, and it says what a gVCF's "
         "block of reference calls means")
      .value_name("FILE")
      .brief("The genome (FASTA), for BAM, CRAM and SAM");
  app.add_option("--report", reading.report, "Write the fate of each site of the panel in each file (TSV)")
      .value_name("FILE");
}

}  // namespace fastid::cli
