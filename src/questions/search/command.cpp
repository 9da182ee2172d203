// fastid search, fastid mixture: turn arguments into SearchOptions and print the table.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "cli/common.hpp"
#include "cli/question.hpp"
#include "questions/search/command.hpp"
#include "questions/search/reads.hpp"
#include "questions/search/run.hpp"
#include "stats/mixture.hpp"
#include "stats/stain.hpp"

namespace fastid::search {
namespace {

struct SearchArguments {
  cli::Question question;
  bool reverse = false;
};

/// Where no number of contributors is given, that of the drop-outs is, and known people are in it.
void complete(stats::StainParameters& mixtures, std::size_t known) {
  if (!mixtures.estimated) return;
  if (const auto given = static_cast<unsigned>(mixtures.shares.size()); given > 0) {
    mixtures.least = mixtures.most = given;
    mixtures.estimated = false;
    return;
  }
  if (const auto given = static_cast<unsigned>(mixtures.drop_outs.size()); given > 1) {
    mixtures.least = mixtures.most = given;
    mixtures.estimated = false;
    return;
  }
  mixtures.most =
      std::min(std::max(mixtures.most, static_cast<unsigned>(known) + 1), stats::kMostContributors);
}

/// Reads are kept where they may be weighed. A stored mixture has none.
void take_model(asking::SearchOptions& options, imports::ImportOptions& import) {
  stats::StainParameters& mixtures = options.evidence.mixtures;
  const bool asked = mixtures.model == stats::StainModelChoice::kContinuous ||
                     mixtures.model == stats::StainModelChoice::kGamma || !mixtures.shares.empty() ||
                     mixtures.threshold.has_value();
  if (options.comparison == engine::Comparison::kReverseMixture && asked)
    throw UsageError(
        "--model continuous and gamma, --shares and --analytical-threshold are of reads, which stored "
        "mixtures do not "
        "have; leave them or --reverse out");
  if (options.comparison == engine::Comparison::kReverseMixture && !options.evidence.deconvolve.empty())
    throw UsageError(
        "--deconvolve is of mixtures that are asked about, not of stored ones; leave it or --reverse out");
  import.signals = options.comparison == engine::Comparison::kMixture &&
                   !goes_by_alleles(mixtures, options.evidence.known.size());
}

ExitCode run_search(SearchArguments& arguments) {
  asking::SearchOptions& options = arguments.question.search;
  const std::string usage =
      options.comparison == engine::Comparison::kIdentity
          ? "name at least one query and, last, the database: fastid search QUERY... DB"
          : "name at least one mixture and, last, the database: fastid mixture MIXTURE... DB";
  stats::check_parameters(options.evidence.parameters);
  complete(options.evidence.mixtures, options.evidence.known.size());
  stats::check_parameters(options.evidence.mixtures, options.evidence.known.size());
  if (options.evidence.linked.unlinked && options.evidence.linked.asks_for_map())
    throw UsageError(fmt::format(
        "--map{} for relatives along the genetic map, and --unlinked takes sites as unlinked; leave {} out",
        options.comparison == engine::Comparison::kIdentity ? " and --thin are" : " is",
        options.comparison == engine::Comparison::kIdentity ? "them" : "one of them"));
  cli::check_contamination(arguments.question.reading.import);
  if (arguments.reverse) options.comparison = engine::Comparison::kReverseMixture;
  take_model(options, arguments.question.reading.import);
  return cli::answer(arguments.question, usage, options.evidence.known, {options.evidence.linked.map_file()},
                     [&](asking::PairFinder& finder) { return search(options, finder); });
}

void parse_chance_matches(const std::string& text, asking::EvidenceOptions& options) {
  options.max_chance_matches = parse_number<double>(text);
  if (!options.max_chance_matches || !(*options.max_chance_matches > 0))
    cli::refuse_value("--max-chance-matches", text + " is no number above 0");
}

void parse_contributors(const std::string& text, stats::StainParameters& mixtures) {
  if (text == "auto") return;
  const std::size_t dash = text.find('-');
  const auto least = parse_number<std::uint32_t>(text.substr(0, dash));
  const auto most = dash == std::string::npos ? least : parse_number<std::uint32_t>(text.substr(dash + 1));
  if (!least || !most || *least < 1 || *most > stats::kMostContributors || *least > *most)
    cli::refuse_value(
        "--contributors",
        fmt::format("{} is neither a number from 1 to {}, nor two such numbers with the lower one first "
                    "(2-3), nor 'auto'",
                    text, stats::kMostContributors));
  mixtures.least = *least;
  mixtures.most = *most;
  mixtures.estimated = false;
}

/// Numbers separated by commas; none: 'auto'.
std::vector<double> parse_list(const std::string& option, const std::string& text, const char* what) {
  std::vector<double> numbers;
  if (text == "auto") return numbers;
  for (const std::string_view piece : split(text, ',')) {
    const std::optional<double> number = parse_number<double>(piece);
    if (!number) cli::refuse_value(option, text + what);
    numbers.push_back(*number);
  }
  return numbers;
}

void parse_threshold(const std::string& text, stats::StainParameters& mixtures) {
  constexpr std::uint32_t kMost = 10'000;
  mixtures.threshold.reset();
  if (text == "auto") return;
  mixtures.threshold = parse_number<std::uint32_t>(text);
  if (!mixtures.threshold || *mixtures.threshold < 1 || *mixtures.threshold > kMost)
    cli::refuse_value("--analytical-threshold",
                      fmt::format("{} is neither a number of reads from 1 to {} nor 'auto'", text, kMost));
}

void add_mixture_evidence(cli::Command app, asking::EvidenceOptions& options) {
  stats::StainParameters& mixtures = options.mixtures;
  app.take<std::string>(
         "--contributors", [&mixtures](const std::string& text) { parse_contributors(text, mixtures); },
         "How many people made the mixture, those of --known included: N, from N to M, or auto (default): "
         "each "
         "number by its probability")
      .value_name("N|N-M|auto")
      .brief("How many people made the mixture");
  cli::add_choice(
      app, "--model", mixtures.model,
      "What is weighed of a mixture: reads of each allele (continuous), which alleles it shows "
      "(semi-continuous), heights of peaks (gamma), or auto (default): reads where its file has some",
      {{"auto", stats::StainModelChoice::kAuto},
       {"semi-continuous", stats::StainModelChoice::kSemiContinuous},
       {"continuous", stats::StainModelChoice::kContinuous},
       {"gamma", stats::StainModelChoice::kGamma}})
      .value_name("MODEL");
  app.take<std::string>(
         "--shares",
         [&mixtures](const std::string& text) {
           mixtures.shares =
               parse_list("--shares", text, " is neither a share for each contributor (.8,.2) nor 'auto'");
         },
         "By reads: each contributor's share, those of --known first; auto (default): by the reads")
      .value_name("S,...|auto");
  app.take<std::string>(
         "--analytical-threshold", [&mixtures](const std::string& text) { parse_threshold(text, mixtures); },
         "By reads: fewer of an allele than N are not counted; auto (default): 10 where the median depth is "
         "above "
         "200, else 1; lower peaks are not seen (gamma; 50)")
      .value_name("N|auto");
  const cli::Option deconvolve =
      app.add_option(
             "--deconvolve", options.deconvolve,
             "Also write each contributor as a sample of a VCF, with GT, GQ, GP and PL: no typed profile")
          .value_name("VCF")
          .brief("Also write each contributor's genotypes as a VCF");
  cli::add_number(app, "--min-posterior", options.min_posterior,
                  "The least probability of a genotype that is called (0.99; needs --deconvolve)")
      .check(cli::within(0.5, 1.0))
      .needs(deconvolve)
      .value_name("P");
  app.take<std::string>(
         "--drop-out",
         [&mixtures](const std::string& text) {
           mixtures.drop_outs = parse_list("--drop-out", text,
                                           " is neither a number from 0 to below 1, nor one for each "
                                           "contributor (.1,.5), nor 'auto'");
         },
         "How often an allele copy does not show: of all contributors, or of each, those of --known first; "
         "auto "
         "(default): by what the mixture shows")
      .value_name("D,...|auto");
  cli::add_number(app, "--drop-in", mixtures.drop_in,
                  "How often an allele (by bits: a minor one) shows that is of no contributor (0.005)")
      .value_name("E");
  app.add_option("--known", options.known,
                 "The profile of somebody who has contributed in any case, as a victim has; may be repeated")
      .one_at_a_time()
      .value_name("FILE")
      .brief("The profile of a known contributor; may be repeated");
}

void add_evidence(cli::Command app, bool mixture, asking::EvidenceOptions& options) {
  using stats::Relation;
  cli::add_populations(app, options.population, options.parameters, true);
  cli::add_blocks(app, options.blocks);
  cli::add_choice(
      app, "--alternative", options.alternative,
      mixture ? "Who contributed if not the person, for log10_lr: somebody unrelated (default), or a "
                "sibling, parent-child, half-sibling or cousin of the person"
              : "Whose profile it is if not the query's own, for log10_lr: somebody unrelated (default), "
                "or a sibling, parent-child, half-sibling or cousin",
      {{"unrelated", Relation::kUnrelated},
       {"sibling", Relation::kSibling},
       {"parent-child", Relation::kParentChild},
       {"half-sibling", Relation::kHalfSibling},
       {"cousin", Relation::kCousin}})
      .value_name("RELATION");
  cli::add_choice(
      app, "--sort", options.by_rate,
      mixture
          ? "List by evidence (default): the highest log10_lr first, of a shortlist by what explains the "
            "mixture; or by rate: the share that is not seen alone"
          : "List by evidence (default): the highest log10_lr first, of a shortlist by average weight; or "
            "by rate: the share that differs alone",
      {{"evidence", false}, {"rate", true}})
      .value_name("ORDER");
  app.take<std::string>(
         "--max-chance-matches", [&options](const std::string& text) { parse_chance_matches(text, options); },
         mixture ? "List only profiles of which chance would bring at most E among unrelated people (off)"
                 : "List only profiles of which chance would bring at most E among unrelated people; picks a "
                   "limit for each query (off)")
      .value_name("E")
      .brief("Only profiles expected at most E times by chance");
  if (mixture) {
    cli::add_map(app, options.linked,
                 "Take sites as unlinked of a contributor's siblings too: multiply them one by one", false);
    return add_mixture_evidence(app, options);
  }
  cli::add_map(app, options.linked,
               "Take sites as unlinked in log10_lr_sibling and suggests too: multiply them one by one");
}

cli::Command add_common(cli::Command app, const std::string& name, const std::string& what,
                        engine::Comparison comparison, const part::PartSet* parts) {
  const cli::Command command = app.add_command(name, what);
  const auto arguments = std::make_shared<SearchArguments>();
  cli::Question& question = arguments->question;
  question.search.comparison = comparison;
  question.sharding.parts = parts;
  const bool mixture = comparison == engine::Comparison::kMixture;
  cli::add_files_and_rule(command, question, mixture ? "Mixture" : "Query", [&] {
    cli::add_number(
        command, mixture ? "--max-not-seen" : "--max-mismatches", question.search.rule.max_count,
        mixture ? "List only profiles with at most N alleles (by bits: minor alleles) that the mixture does "
                  "not show (off)"
                : "List only profiles with at most N mismatches: alleles (by bits: sites) that differ (off)")
        .value_name("N")
        .brief(mixture ? "Only profiles with at most N alleles not seen (off)"
                       : "Only profiles with at most N mismatches (off)");
  });
  cli::add_choice<std::optional<Encoding>>(
      command, "--by", question.search.by,
      "Compare alleles: both that were seen at each site; or bits: whether a minor one was (default: alleles "
      "where the database and all queries say which were seen)",
      {{"alleles", Encoding::kAlleles}, {"bits", Encoding::kMinor}})
      .value_name("WHAT");
  cli::add_choice<std::optional<SiteClass>>(
      command, "--class", question.search.counted,
      "Count and rank the autosomal sites (default), or those of Y or M: one haplotype each, of which there "
      "is "
      "no likelihood ratio",
      {{"autosomal", SiteClass::kAutosomal}, {"Y", SiteClass::kY}, {"M", SiteClass::kM}})
      .value_name("CLASS");
  if (mixture)
    command
        .add_flag("--reverse", arguments->reverse,
                  "The database holds mixtures: rank those that each query (a person) may be part of")
        .brief("The database holds mixtures, the queries are people");
  add_evidence(command, mixture, question.search.evidence);
  if (!mixture) cli::add_likelihoods(command, question.reading.import);
  cli::add_common_options(command, question, comparison);
  command.runs([arguments] { return run_search(*arguments); });
  return command;
}

}  // namespace

void add_search(cli::Command app, const part::PartSet* parts) {
  add_common(app, "search", "Whose profile is this? Rank profiles by identity with each query",
             engine::Comparison::kIdentity, parts)
      .footer(
          "Examples:\n"
          "  fastid search scene.snp people.h5\n"
          "  fastid search cases/*.vcf.gz people.h5 --format json -o cases.json\n"
          "  fastid search scene.snp people.h5 --max-chance-matches 0.01 -o scene.tsv\n"
          "  fastid search scene.snp people.h5 --format html -o scene.html\n"
          "  zcat scene.snp.gz | fastid search - people.h5 --max-mismatches 20 --top all\n\n"
          "Profiles are shortlisted by what they share with the query, at its average weight, and listed by\n"
          "log10_lr, then in the shortlist's order. With --sort rate, and without allele frequencies, the "
          "order\n"
          "is that of mismatches / compared, then more compared, then the lower row.");
}

void add_mixture(cli::Command app, const part::PartSet* parts) {
  add_common(app, "mixture", "Who contributed to this mixture? Rank profiles as contributors",
             engine::Comparison::kMixture, parts)
      .footer(
          "Examples:\n"
          "  fastid mixture stain.snp people.h5\n"
          "  fastid mixture stain.snp people.h5 --max-not-seen 5 --top all\n"
          "  fastid mixture stain.snp people.h5 --known victim.snp --contributors 2 --drop-out 0.2\n"
          "  fastid mixture --reverse person.snp stains.h5\n"
          "  fastid mixture stain.snp stains.h5\n\n"
          "Profiles are shortlisted by what the mixture's likeliest explanations say of them, with\n"
          "--max-not-seen by alleles that it does not show, and listed by log10_lr, then in the shortlist's\n"
          "order. With --sort rate, and without allele frequencies, the order is that of the share not "
          "seen,\n"
          "then more alleles, then more compared sites, then the lower row.");
}

}  // namespace fastid::search
