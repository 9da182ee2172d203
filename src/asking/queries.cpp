#include "asking/queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "import/in_order.hpp"
#include "import/site_report.hpp"

namespace fastid::asking {
namespace {

/// Whether a sample goes by its likelihoods, and these say something.
bool by_likelihoods(const imports::ImportedProfiles& file, std::uint64_t sample) {
  return !file.likelihoods.empty() && file.likelihoods[sample] && !file.likelihoods[sample]->sites().empty();
}

/// The samples of a file that have a called site, or one of which likelihoods say something; warns about the
/// others.
std::vector<std::uint64_t> usable(const imports::ImportedProfiles& file) {
  std::vector<std::uint64_t> samples;
  for (std::uint64_t i = 0; i < file.ids.size(); ++i) {
    if (by_likelihoods(file, i) || file.blocks.called_sites(i) > 0)
      samples.push_back(i);
    else
      log::warn("{}, sample {}: no site of the panel is called; it is left out", display_name(file.file),
                printable(file.ids[i]));
  }
  return samples;
}

/// Two files may hold one person under the same name; the name of the file then distinguishes them.
void qualify_shared_names(std::vector<match::QuerySource>& sources) {
  std::map<std::string, int> uses;
  for (const match::QuerySource& source : sources) ++uses[source.name];
  for (match::QuerySource& source : sources)
    if (uses[source.name] > 1) source.name = source.file + ":" + source.name;
}

/// What is said of the files, one after the other or, of many, of all together.
class Notes {
 public:
  Notes(std::size_t n_files, std::uint32_t n_sites) : n_files_(n_files), n_sites_(n_sites) {}

  void add(const imports::ImportedProfiles& file) {
    const std::string text =
        fmt::format("{}: {}", display_name(file.file), imports::describe(file.counts, n_sites_));
    if (n_files_ > kMost)
      log::detail("{}", text);
    else
      log::note("{}", text);
    fewest_ = std::min(fewest_, file.counts.matched);
    most_ = std::max(most_, file.counts.matched);
    no_calls_ += file.counts.no_calls;
  }

  void finish(std::size_t n_queries) const {
    if (n_files_ > kMost && n_queries > 0)
      log::note("{} of {}: sites matched {} to {} of {}, no calls {}",
                n_queries == 1 ? std::string("1 query") : with_commas(n_queries) + " queries",
                counted(n_files_, "file"), with_commas(fewest_), with_commas(most_), with_commas(n_sites_),
                with_commas(no_calls_));
  }

 private:
  static constexpr std::size_t kMost = 20;  ///< files that have a line each

  std::size_t n_files_;
  std::uint32_t n_sites_;
  std::uint64_t fewest_ = UINT64_MAX, most_ = 0, no_calls_ = 0;
};

/// Says that queries go by their likelihoods, and drops the list of these where none does.
void settle_likelihoods_of(match::Queries& queries) {
  const auto has = [](const auto& of) { return of.has_value(); };
  const auto n = static_cast<std::size_t>(std::ranges::count_if(queries.likelihoods, has));
  if (n == 0) return queries.likelihoods.clear();
  const std::string who = queries.sources.size() == 1   ? std::string("the query")
                          : n == queries.sources.size() ? std::string("all queries")
                                                        : fmt::format("{} of {} queries", with_commas(n),
                                                                      with_commas(queries.sources.size()));
  log::note("{} {} by how probable each genotype is, not by calls (--likelihoods off: by calls)", who,
            n == 1 ? "goes" : "go");
}

void add_queries(const imports::ImportedProfiles& file, match::Queries& queries) {
  const std::vector<std::uint64_t> samples = usable(file);
  queries.rows.append(file.blocks.view(), samples);
  for (const std::uint64_t i : samples) {
    queries.sources.push_back({file.ids[i], file.file, file.sha256.get(), file.blocks.view().shape.encoding});
    queries.likelihoods.push_back(by_likelihoods(file, i) ? file.likelihoods[i] : std::nullopt);
    if (file.signals.empty()) continue;
    queries.signals.push_back(file.signals[i]);
    queries.few_reads.push_back(file.few_reads.empty() ? std::vector<SiteRead>() : file.few_reads[i]);
  }
}

}  // namespace

match::Queries read_queries(const std::vector<std::string>& files, const Panel& panel,
                            const imports::ImportOptions& options, std::vector<match::FailedInput>* failed,
                            std::size_t threads) {
  imports::ImportOptions with_alleles = options;
  with_alleles.encoding = Encoding::kAlleles;
  match::Queries queries{{}, ProfileRows(0, panel.n_sites())};
  Notes notes(files.size(), panel.n_sites());
  imports::ImportSteps steps{.check = nullptr,
                             .take =
                                 [&](std::size_t, imports::ImportedProfiles file) {
                                   imports::publish(file, with_alleles);
                                   notes.add(file);
                                   add_queries(file, queries);
                                 },
                             .failed = nullptr};
  if (failed != nullptr)
    steps.failed = [&](std::size_t i, const std::exception_ptr& problem) {
      try {
        std::rethrow_exception(problem);
      } catch (const InputError& error) {
        failed->push_back({files[i], error.what()});
      }
    };
  ThreadPool pool(options.reads.engine ? 1 : std::min(threads, files.size()));  // the engine has one caller
  imports::import_in_order(files, panel, with_alleles, pool, steps);
  notes.finish(queries.sources.size());
  settle_likelihoods_of(queries);
  if (options.report) options.report->commit();
  if (queries.sources.empty() && failed != nullptr && !failed->empty())
    throw InputError(fmt::format("none of {} can be read; the first: {}", counted(files.size(), "file"),
                                 failed->front().problem));
  if (queries.sources.empty())
    throw InputError(display_name(files.front()), "",
                     "no query has a called site of the database's panel: nothing to compare",
                     "check that the file was typed for this panel (`fastid db info` shows it)");
  qualify_shared_names(queries.sources);
  return queries;
}

match::Queries queries_of(const SearchOptions& options, const db::Reader& reader, PairFinder& finder,
                          match::MatchTable& table) {
  std::vector<match::FailedInput>* const failed = options.keep_going ? &table.failed : nullptr;
  const auto read = [&] {
    return read_queries(options.queries, reader.panel(), options.import, failed, threads_of(options));
  };
  return finder.read("queries", reader.shape().n_sites, read, failed);
}

const match::QuerySource* without_alleles(const match::Queries& queries) {
  const auto first = std::ranges::find(queries.sources, Encoding::kMinor, &match::QuerySource::encoding);
  return first == queries.sources.end() ? nullptr : &*first;
}

Encoding compared_by(const SearchOptions& options, const db::Reader& reader, const match::Queries& queries,
                     const match::Queries& known) {
  if (options.by == Encoding::kMinor) return Encoding::kMinor;
  const bool demanded = options.by == Encoding::kAlleles;
  if (reader.shape().encoding == Encoding::kMinor) {
    if (demanded)
      throw InputError(reader.path(), "", "says only where a minor allele was seen, not which alleles were",
                       "build it with --encoding alleles, or leave --by alleles out");
    log::detail("compared by bits: {} says only where a minor allele was seen", reader.path());
    return Encoding::kMinor;
  }
  const match::QuerySource* lacking = without_alleles(queries);
  if (lacking == nullptr) lacking = without_alleles(known);
  if (lacking == nullptr) return Encoding::kAlleles;
  if (demanded)
    throw InputError(display_name(lacking->file), "",
                     "says only where a minor allele was seen, not which alleles were",
                     "give a file with genotypes, or leave --by alleles out");
  log::warn("{}: says only where a minor allele was seen, so that all is compared by bits, which weigh less",
            display_name(lacking->file));
  return Encoding::kMinor;
}

}  // namespace fastid::asking
