// fastid db simulate: makes a database of any size, and cases whose right answers are known.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>

#include "bank/commands.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "panel/panel.hpp"
#include "simulate/simulate.hpp"

namespace fastid::bank {
namespace {

struct SimulateArguments {
  simulate::SimulateOptions simulate;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

void add_people(cli::Command app, simulate::SimulateOptions& options) {
  app.add_option("-o,--output", options.output, "The database to write; it appears whole or not at all")
      .required()
      .value_name("DB")
      .brief("The database to write");
  cli::add_number(app, "--profiles", options.profiles, "How many people (required, but for --disaster)")
      .check(cli::within(std::uint64_t{1}, UINT64_MAX >> 16))
      .value_name("N")
      .brief();
  const cli::Option sites = cli::add_number(app, "--sites", options.sites, "Sites of a made-up panel (1024)")
                                .check(cli::within(std::uint32_t{1}, static_cast<std::uint32_t>(kMostSites)))
                                .value_name("N")
                                .brief();
  app.add_option("--panel", options.panel_path,
                 "Sites and frequencies of this panel (TSV, or a name of `fastid panel list`) instead")
      .excludes(sites)
      .value_name("FILE")
      .brief("TSV, or a name of `fastid panel list`, instead");
  cli::add_encoding(app, options.encoding);
  cli::add_number(app, "--seed", options.seed, "The same seed gives the same people (1)")
      .value_name("S")
      .brief();
  cli::add_number(app, "--no-call-rate", options.no_call_rate,
                  "Share of the database's genotypes that are missing (0)")
      .value_name("RATE");
  cli::add_number(app, "--error-rate", options.error_rate,
                  "Share of the database's alleles that are misread (0)")
      .value_name("RATE");
  cli::add_threads(app, options.threads);
}

void add_pairs(cli::Command app, simulate::SimulateOptions& options, const char* flag,
               simulate::Relation relation, const char* what) {
  cli::add_number(app, flag, options.pairs[static_cast<std::size_t>(relation)], what)
      .check(cli::within(std::uint32_t{1}, simulate::kMostPairs))
      .value_name("N");
}

/// Sets the planted pairs by `text`: RELATION=N, separated by commas, and all=N for all relations that are
/// not named.
void plant(const std::string& text, simulate::SimulateOptions& options) {
  std::set<std::string_view> names;
  std::uint32_t of_all = 0;
  for (const std::string_view asked : split(text, ',')) {
    const std::size_t sign = asked.find('=');
    const std::string_view name = trim(asked.substr(0, sign));
    const auto number = sign == std::string_view::npos
                            ? std::nullopt
                            : parse_number<std::uint32_t>(trim(asked.substr(sign + 1)));
    if (!number || *number < 1 || *number > simulate::kMostPairs)
      throw UsageError(fmt::format("--relatives: '{}' is not RELATION=N with N from 1 to {}",
                                   printable(asked), with_commas(simulate::kMostPairs)));
    const auto relation = simulate::planted_relation(name);
    if (!relation && name != "all")
      throw UsageError(fmt::format(
          "--relatives: '{}' is no relation; name one that `fastid kin` does, or all", printable(name)));
    if (!names.insert(name).second)
      throw UsageError(
          fmt::format("--relatives: {} is asked for twice; give it one number", printable(name)));
    if (relation)
      options.pairs[static_cast<std::size_t>(*relation)] = *number;
    else
      of_all = *number;
  }
  for (const simulate::Relation each : simulate::planted_relations()) {
    std::uint32_t& pairs = options.pairs[static_cast<std::size_t>(each)];
    if (pairs == 0 && each != simulate::Relation::kTwin) pairs = of_all;
  }
}

void add_relatives(cli::Command app, simulate::SimulateOptions& options) {
  app.group("Relatives and populations");
  add_pairs(app, options, "--duplicates", simulate::Relation::kDuplicate,
            "Plant N people who are in the database a second time; DB.relatives.tsv says where these and the "
            "next ones are (0)");
  add_pairs(app, options, "--twins", simulate::Relation::kTwin, "Plant N pairs of twins from one egg (0)");
  add_pairs(app, options, "--parent-child", simulate::Relation::kParentChild,
            "Plant N pairs of a parent and a child (0)");
  add_pairs(app, options, "--full-siblings", simulate::Relation::kFullSiblings,
            "Plant N pairs of full siblings (0)");
  add_pairs(app, options, "--half-siblings", simulate::Relation::kHalfSiblings,
            "Plant N pairs of half siblings (0)");
  add_pairs(app, options, "--first-cousins", simulate::Relation::kFirstCousins,
            "Plant N pairs of first cousins (0)");
  app.take<std::string>(
         "--relatives", [&options](const std::string& text) { plant(text, options); },
         "Plant so many pairs of each relation, to the fifth degree, by the names of `fastid kin` "
         "(grandparent=50,second-cousin=50); all=N: of all 19")
      .value_name("RELATION=N,...");
  app.add_flag("--unlinked-meioses", options.unlinked_meioses,
               "Have relatives share each site by itself, not stretches of chromosomes");
  cli::add_number(app, "--duplicate-error-rate", options.duplicate_error_rate,
                  "Share of a duplicate's alleles that are misread (0.005)")
      .value_name("RATE");
  const cli::Option populations =
      cli::add_number(app, "--populations", options.populations,
                      "Draw each profile from one of N populations that have drifted apart; "
                      "DB.populations.tsv says from which (off)")
          .check(cli::within(std::uint32_t{1}, simulate::kMostPopulations))
          .value_name("N");
  cli::add_number(app, "--fst", options.fst, "How far, by the model of Balding and Nichols (0.1)")
      .needs(populations)
      .value_name("F");
}

void add_trait(cli::Command app, simulate::SimulateOptions& options) {
  app.group("A trait");
  cli::Choices<simulate::EpistasisModel> models;
  for (const simulate::EpistasisModel model :
       {simulate::EpistasisModel::kThreshold, simulate::EpistasisModel::kXor,
        simulate::EpistasisModel::kMajority})
    models.emplace_back(simulate::name_of(model), model);
  const auto trait = [&options]() -> simulate::PlantedTrait& {
    if (!options.epistasis) options.epistasis.emplace();
    return *options.epistasis;
  };
  const cli::Option model =
      app.take<std::string>(
             "--epistasis",
             [trait, models](const std::string& word) { trait().model = cli::choice_of(word, models); },
             "Plant a trait that goes with three sites together: threshold (a minor allele at each), xor "
             "(heterozygous at one or at all three), majority (a minor allele at two or three); "
             "DB.phenotypes.tsv "
             "says who is a case")
          .check(cli::one_of(cli::words_of(models)))
          .value_name("MODEL");
  const auto add_share = [&](const char* flag, double simulate::PlantedTrait::*share, const char* what) {
    return app
        .take<double>(
            flag, [trait, share](const double& value) { trait().*share = value; }, what)
        .check(cli::decimal())
        .needs(model);
  };
  add_share("--heritability", &simulate::PlantedTrait::heritability,
            "Share of the trait's variance that the three sites explain (0.1)")
      .value_name("H");
  add_share("--prevalence", &simulate::PlantedTrait::prevalence, "Share of people who are cases (0.5)")
      .value_name("P");
}

void add_disaster(cli::Command app, simulate::SimulateOptions& options) {
  app.group("A disaster");
  const auto disaster = [&options]() -> simulate::PlantedDisaster& {
    if (!options.disaster) options.disaster.emplace();
    return *options.disaster;
  };
  const auto add = [&](const char* flag, std::uint32_t simulate::PlantedDisaster::*n, std::uint32_t most,
                       const char* what) {
    return app
        .take<std::uint32_t>(
            flag, [disaster, n](const std::uint32_t& value) { disaster().*n = value; }, what)
        .check(cli::within(1U, most))
        .value_name("N");
  };
  const cli::Option families =
      add("--disaster", &simulate::PlantedDisaster::families, simulate::kMostFamilies,
          "Simulate the remains of a disaster instead, of whose victims N families look for some; "
          "DB.families.ped and DB.typed.h5 are what `fastid dvi` reads, DB.remains.tsv and DB.samples.tsv "
          "say whose each sample is")
          .excludes(app.option("--profiles"))
          .brief("The remains of a disaster of N families instead");
  add("--strangers", &simulate::PlantedDisaster::strangers, simulate::kMostStrangers,
      "Bodies of people whom nobody looks for (0)")
      .needs(families);
  add("--unlisted-siblings", &simulate::PlantedDisaster::unlisted_siblings, simulate::kMostFamilies,
      "Families in which a sibling died too whom DB.families.ped does not name (0)")
      .needs(families);
  add("--wrong-fathers", &simulate::PlantedDisaster::wrong_fathers, simulate::kMostFamilies,
      "Families in which somebody unrelated is typed as the father (0)")
      .needs(families);
  add("--exchanged-fathers", &simulate::PlantedDisaster::exchanged_fathers, simulate::kMostFamilies / 2,
      "Pairs of families whose fathers' samples are exchanged (0)")
      .needs(families);
}

void add_cases(cli::Command app, simulate::SimulateOptions& options) {
  app.group("Cases");
  const cli::Option cases =
      cli::add_number(app, "--cases", options.cases,
                      "Also write N query files of each kind: identity (someone of the database), "
                      "absent (someone who is not in it), mixture (2 to 5 people of it), and "
                      "truth.tsv with the answers")
          .check(cli::within(1u, 999999u))
          .value_name("N")
          .brief("Also write N queries of each kind, and truth.tsv");
  const cli::Option folder =
      app.add_option("--cases-dir", options.cases_dir, "The folder for them and for stains; made if need be")
          .value_name("DIR")
          .brief();
  cases.needs(folder);
}

void add_stains(cli::Command app, simulate::SimulateOptions& options) {
  app.group("Stains");
  const auto stains = [&options]() -> simulate::PlantedStains& {
    if (!options.stains) options.stains.emplace();
    return *options.stains;
  };
  const cli::Option number =
      app.take<std::uint32_t>(
             "--stains", [stains](const std::uint32_t& n) { stains().stains = n; },
             "Also write N mixtures of what --shares and --drop-out say, and stains.tsv with who left what")
          .check(cli::within(1U, simulate::kMostStains))
          .needs(app.option("--cases-dir"))
          .value_name("N")
          .brief("Also write N mixtures, and stains.tsv");
  const auto add_list = [&](const char* flag, std::vector<double> simulate::PlantedStains::*list,
                            const char* what) {
    return app
        .take<std::vector<std::string>>(
            flag,
            [stains, list](const std::vector<std::string>& texts) {
              for (const std::string& text : texts) (stains().*list).push_back(*parse_number<double>(text));
            },
            what)
        .check(cli::decimal())
        .list()
        .needs(number);
  };
  const cli::Option shares =
      add_list("--shares", &simulate::PlantedStains::shares,
               "Share of a stain that each contributor left; the files are tables of reads")
          .value_name("S,...");
  add_list("--drop-out", &simulate::PlantedStains::drop_outs,
           "How often an allele copy of each contributor leaves nothing (0); without --shares the files have "
           "the alleles that are shown")
      .value_name("D,...");
  const auto add_rate = [&](const char* flag, double simulate::PlantedStains::*rate, const char* what) {
    return app
        .take<double>(
            flag, [stains, rate](const double& value) { stains().*rate = value; }, what)
        .check(cli::decimal());
  };
  add_rate("--depth", &simulate::PlantedStains::depth, "Mean number of reads of a site (60)")
      .needs(shares)
      .value_name("N");
  add_rate("--read-error-rate", &simulate::PlantedStains::read_error_rate,
           "Share of reads that show the other allele (0.002)")
      .needs(shares)
      .value_name("RATE");
  add_rate("--drop-in", &simulate::PlantedStains::drop_in,
           "How often an allele is shown that nobody left (0.005)")
      .needs(number)
      .excludes(shares)
      .value_name("E");
  const auto add_switch = [&](const char* flag, bool simulate::PlantedStains::*on, const char* what) {
    app.add_flag(
           flag, [stains, on] { stains().*on = true; }, what)
        .needs(number);
  };
  add_switch("--related-contributors", &simulate::PlantedStains::related_contributors,
             "Two contributors are a planted pair of relatives");
  add_switch("--stored-relatives", &simulate::PlantedStains::stored_relatives,
             "Contributors have planted relatives in the database");
}

void say_disaster(const simulate::SimulateOptions& options) {
  const std::string& of = options.output;
  log::note("{}: remains of a disaster simulated, seed {}", of, options.seed);
  log::note("{}, {}: {} families and their samples", simulate::families_path(of), simulate::typed_path(of),
            with_commas(options.disaster->families));
  log::note("{}, {}: whose each sample is", simulate::remains_path(of), simulate::samples_path(of));
}

void say_truth(const simulate::SimulateOptions& options) {
  const std::uint64_t pairs = std::accumulate(options.pairs.begin(), options.pairs.end(), std::uint64_t{0});
  if (pairs > 0)
    log::note("{}: {} of relatives", simulate::relatives_path(options.output), counted(pairs, "pair"));
  if (std::error_code none; std::filesystem::exists(simulate::sexes_path(options.output), none))
    log::note("{}: sexes of {}", simulate::sexes_path(options.output), counted(options.profiles, "profile"));
  if (options.populations > 0)
    log::note("{}: {}, fst {}", simulate::populations_path(options.output),
              counted(options.populations, "population"), options.fst);
}

void say_trait(const simulate::SimulateOptions& options) {
  if (options.epistasis)
    log::note("{}: cases of a trait by model {}, heritability {}", simulate::phenotypes_path(options.output),
              simulate::name_of(options.epistasis->model), options.epistasis->heritability);
}

ExitCode run_simulate(SimulateArguments& arguments) {
  arguments.verbosity.apply();
  simulate::SimulateOptions& options = arguments.simulate;
  std::vector<cli::WrittenFile> written = {{"-o", options.output, false, cli::Content::kDatabase, "hdf5"},
                                           {"the truth of -o", simulate::relatives_path(options.output)},
                                           {"the truth of -o", simulate::populations_path(options.output)},
                                           {"the truth of -o", simulate::phenotypes_path(options.output)},
                                           {"the truth of -o", simulate::sexes_path(options.output)}};
  if (options.disaster) {
    written.push_back({"the families of -o", simulate::families_path(options.output)});
    written.push_back(
        {"the families of -o", simulate::typed_path(options.output), false, cli::Content::kDatabase, "hdf5"});
    written.push_back({"the truth of -o", simulate::remains_path(options.output)});
    written.push_back({"the truth of -o", simulate::samples_path(options.output)});
  } else if (options.profiles == 0) {
    throw UsageError("say how many people by --profiles N, or how many families by --disaster N");
  }
  if (!options.cases_dir.empty() && options.cases == 0 && !options.stains)
    throw UsageError("--cases-dir requires --cases or --stains; see `fastid db simulate --help`");
  for (const std::string& path : simulate::case_files(options))
    written.push_back({"--cases-dir", path, true,
                       path.ends_with("truth.tsv") || path.ends_with("stains.tsv")
                           ? cli::Content::kResult
                           : cli::Content::kProfiles});
  written.push_back(cli::audit_file(arguments.account));
  cli::check_files(written, {options.panel_path});
  options.progress = arguments.verbosity.progress;
  options.command = cli::command_line();
  const cli::Audit audit(arguments.account, {}, options.output);
  audit.record_action("simulate", options.command);
  simulate::simulate_database(options);
  if (options.disaster) {
    say_disaster(options);
    return ExitCode::kDone;
  }
  log::note("{}: {} simulated, seed {}", options.output, counted(options.profiles, "profile"), options.seed);
  say_truth(options);
  say_trait(options);
  if (options.stains)
    log::note("{}: {}; stains.tsv says who left them", options.cases_dir,
              counted(options.stains->stains, "stain"));
  if (options.cases > 0)
    log::note("{}: {} cases of each kind; truth.tsv has the answers", options.cases_dir,
              with_commas(options.cases));
  return ExitCode::kDone;
}

}  // namespace

void add_simulate(cli::Command db) {
  const cli::Command app = db.add_command("simulate", "Simulate people, and cases with known answers");
  const auto arguments = std::make_shared<SimulateArguments>();
  add_people(app, arguments->simulate);
  add_relatives(app, arguments->simulate);
  add_trait(app, arguments->simulate);
  add_disaster(app, arguments->simulate);
  add_cases(app, arguments->simulate);
  add_stains(app, arguments->simulate);
  app.group("Options");
  cli::add_writing(app);
  cli::add_accountability(app, arguments->account);
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db simulate -o million.h5 --profiles 1000000\n"
      "  fastid db simulate -o small.h5 --profiles 5000 --panel panel.tsv\n"
      "  fastid db simulate -o known.h5 --profiles 5000 --cases 10 --cases-dir cases\n"
      "  fastid db simulate -o kin.h5 --profiles 5000 --full-siblings 50 --twins 9\n"
      "  fastid db simulate -o s.h5 --profiles 900 --stains 9 --shares .9,.1 --cases-dir s\n"
      "  fastid db simulate -o far.h5 --profiles 5000 --relatives all=30\n"
      "  fastid db simulate -o trait.h5 --profiles 4000 --epistasis xor\n"
      "  fastid db simulate -o remains.h5 --disaster 40 --strangers 20\n\n"
      "Two alleles a site, drawn by the panel's frequencies, sites independent of each other. On a panel "
      "with "
      "sites of X, Y or M half of the people are men, relatives share these by descent, and DB.sexes.tsv "
      "says "
      "who is a man.");
  app.runs([arguments] { return run_simulate(*arguments); });
}

}  // namespace fastid::bank
