#include "questions/pairs/cohort_output.hpp"

#include <filesystem>
#include <system_error>

#include "questions/pairs/cohort_print.hpp"
#include "stats/kinship.hpp"

namespace fastid::pairs {
namespace {

std::unique_ptr<OutputFile> opened(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<OutputFile>(path);
}

/// KING's bound below relatives of a degree. \param degree  from 1 to 3
double kinship_of_degree(unsigned degree) {
  return stats::least_kinship(static_cast<stats::Degree>(degree));
}

void make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed || !std::filesystem::is_directory(path, failed))
    throw Failure(fmt::format("--multiqc {}: cannot be made a folder ({}); name another one", path,
                              failed ? failed.message() : "it is a file"));
}

}  // namespace

bool CohortArguments::asked() const {
  return !(page.empty() && expect.empty() && groups.empty() && unrelated.empty() && multiqc.empty()) ||
         fail_if_unexpected;
}

void CohortArguments::apply(PairsOptions& options) const {
  if (fail_if_unexpected && expect.empty())
    throw UsageError("--fail-if-unexpected compares with what --expect FILE says; give it too");
  const bool all = options.second.empty() && options.against.empty() && options.new_since == 0;
  if (!unrelated.empty() && !all)
    throw UsageError(
        "--unrelated is chosen of profiles that were all compared with each other; leave out the second "
        "database, --against and --new-since");
  if (!degree) return;
  if (unrelated.empty())
    throw UsageError("--degree says how near no two of --unrelated FILE are; give it too");
  if (options.max_mismatch_rate || options.by == Encoding::kMinor)
    throw UsageError("--degree is told by kinship; leave out --max-mismatch-rate and --by bits");
  const double bound = kinship_of_degree(*degree);
  if (options.duplicates || options.min_kinship > bound)
    throw UsageError(
        fmt::format("--degree {} needs all pairs of a kinship of {}; {}", *degree, bound,
                    options.duplicates ? "leave out --duplicates" : "lower --min-kinship, or leave it out"));
  if (!options.min_kinship) options.min_kinship = bound;
}

std::vector<cli::WrittenFile> CohortArguments::written() const {
  std::vector<cli::WrittenFile> files = {
      {.option = "--cohort", .path = page, .format = "html"},
      {.option = "--groups", .path = groups, .format = "tsv"},
      {.option = "--unrelated", .path = unrelated, .content = cli::Content::kList, .format = "tsv"}};
  if (!multiqc.empty())
    for (const fastid::pairs::MultiqcFile& file : fastid::pairs::multiqc_files({}))
      files.push_back({"--multiqc", std::filesystem::path(multiqc) / file.name});
  return files;
}

CohortOutput::CohortOutput(const CohortArguments& arguments, const PairSearch& search)
    : arguments_(arguments), ids_(search.ids()), second_ids_(search.second_ids()) {
  analysis_ = std::make_unique<CohortAnalysis>(CohortOptions{
      .facts = search.facts(),
      .ids = ids_,
      .second_ids = second_ids_,
      .compared = [&search](std::uint64_t first,
                            std::uint64_t second) { return search.compares(first, second); },
      .takes_part = [&search](std::uint64_t row) { return search.takes_part(row); },
      .sexes = [&search](std::size_t database,
                         std::span<const std::uint64_t> rows) { return search.sexes(database, rows); },
      .expect = arguments.expect,
      .unrelated = !arguments.unrelated.empty(),
      .unrelated_kinship =
          arguments.degree ? std::optional(kinship_of_degree(*arguments.degree)) : std::nullopt});
  page_ = opened(arguments.page);
  groups_ = opened(arguments.groups);
  unrelated_ = opened(arguments.unrelated);
  if (!arguments.multiqc.empty()) make_folder(arguments.multiqc);
}

void CohortOutput::take(std::span<const match::NamedPair> pairs) {
  for (const match::NamedPair& pair : pairs) pairs_.push_back(pair.pair);
}

/// Writes the files for MultiQC. Files of an earlier run that this run does not write are removed, so that
/// they are not taken for its own.
void CohortOutput::write_multiqc() const {
  const std::filesystem::path folder = arguments_.multiqc;
  for (const fastid::pairs::MultiqcFile& file : fastid::pairs::multiqc_files(table_)) {
    const std::string path = folder / file.name;
    if (file.text.empty()) {
      std::error_code failed;
      std::filesystem::remove(path, failed);
      if (failed) throw Failure(fmt::format("{}: cannot be removed ({})", path, failed.message()));
      continue;
    }
    OutputFile out(path);
    out.write(file.text);
    out.commit();
  }
}

void CohortOutput::write(const match::RunInfo& run) {
  table_ = analysis_->table(std::move(pairs_));
  if (page_) page_->write(cohort_html(table_, run));
  if (groups_) groups_->write(groups_tsv(table_));
  if (unrelated_) unrelated_->write(unrelated_list(table_));
}

ExitCode CohortOutput::commit() {
  for (OutputFile* const file : {page_.get(), groups_.get(), unrelated_.get()})
    if (file != nullptr) file->commit();
  if (!arguments_.multiqc.empty()) write_multiqc();
  for (const std::string& line : fastid::pairs::cohort_summary(table_)) log::note("{}", line);
  const bool failed = arguments_.fail_if_unexpected && !table_.expectation->met();
  return failed ? ExitCode::kNoMatch : ExitCode::kDone;
}

void add_cohort(cli::Command app, CohortArguments& arguments) {
  app.group("What the pairs come to");
  app.add_option("--expect", arguments.expect,
                 "What should be found: lines of two ids (and their relation), of an id and its group (one "
                 "person's samples, or with a third column of this relation), a .fam or PED file, or the "
                 "DB.relatives.tsv of `fastid db simulate`")
      .value_name("FILE")
      .brief("Pairs that should be found, or a .fam or PED file");
  app.add_flag(
      "--fail-if-unexpected", arguments.fail_if_unexpected,
      "Exit with 5 where an expected pair is missing or otherwise related, another one is found, or a "
      "profile is not of its stated sex");
  app.add_option("--cohort", arguments.page,
                 "Write a page (html): groups, what was expected, labels that seem to be exchanged, pairs")
      .value_name("FILE")
      .brief("Write a page (html) of groups, swaps and pairs");
  app.add_option("--groups", arguments.groups, "Write the groups of connected profiles (tsv)")
      .value_name("FILE");
  app.add_option(
         "--unrelated", arguments.unrelated,
         "Write the ids of the largest set of profiles of which no two are a pair that is listed, or as "
         "near as --degree says")
      .value_name("FILE")
      .brief("Write the ids of a largest set without relatives");
  app.take<unsigned>(
         "--degree", [&arguments](const unsigned& degree) { arguments.degree = degree; },
         "No two of --unrelated are relatives of the first to the N-th degree, by KING's bounds of kinship: "
         ".177, .0884, .0442 for 1, 2, 3 (default: as --min-kinship says)")
      .check(cli::within(1u, 3u))
      .value_name("N");
  app.add_option("--multiqc", arguments.multiqc, "Write files for MultiQC (*_mqc.tsv) into this folder")
      .value_name("DIR");
}

}  // namespace fastid::pairs
