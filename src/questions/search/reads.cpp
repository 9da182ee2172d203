#include "questions/search/reads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "stats/stain.hpp"

namespace fastid::search {
namespace {

constexpr std::string_view kHeights =
    "give a table with columns of heights (Height.1, Height.2 ...), or --model semi-continuous";
constexpr std::string_view kSources =
    "give a UAS report, a VCF with AD, aligned reads (BAM, CRAM, SAM), or a table with whole numbers in "
    "columns "
    "of heights; or --model semi-continuous";

/// Whether the options leave it to a mixture whether its reads are weighed.
bool may_go_by_alleles(const stats::StainParameters& parameters) {
  return parameters.model == stats::StainModelChoice::kAuto && parameters.shares.empty() &&
         !parameters.threshold;
}

bool is_set(std::span<const Word> row, std::size_t site) {
  return (row[site / kWordBits] >> site % kWordBits & 1) != 0;
}

/// The reads of the sites that are counted; others have none.
SampleSignal counted_signal(const SampleSignal& whole, const asking::CountedSites& sites) {
  SampleSignal signal = whole;
  for (std::size_t site = 0; site < signal.size(); ++site)
    if (!is_set(sites.mask(), site)) signal[site] = {};
  return signal;
}

/// Of the sites that a mixture calls, half or more have reads.
bool has_enough(const SampleSignal& signal, std::uint32_t called_sites) {
  const auto with = std::ranges::count_if(signal, [](const AlleleSignal& at) { return at.total() > 0; });
  return with > 0 && 2 * static_cast<std::uint64_t>(with) >= called_sites;
}

/// Makes a row what is seen at each site. \param seen_at  seen_at(site): a Seen
template <class SeenAt>
void show(std::size_t query, ProfileRows& rows, const SeenAt& seen_at) {
  for (std::size_t word = 0; word < rows.n_words(); ++word) {
    Word minor = 0, major = 0;
    const std::size_t first = word * kWordBits,
                      end = std::min<std::size_t>(first + kWordBits, rows.n_sites());
    for (std::size_t site = first; site < end; ++site) {
      const Seen seen = seen_at(site);
      minor |= Word{(seen & kMinorSeen) != 0} << (site - first);
      major |= Word{(seen & kMajorSeen) != 0} << (site - first);
    }
    rows.set_word(query, word, minor, minor | major, major);
  }
}

Seen seen_of(bool minor, bool major) {
  return static_cast<Seen>((minor ? kMinorSeen : 0) | (major ? kMajorSeen : 0));
}

/// Makes the row what the reads show; sites of too few reads lose them.
void show_reads(const imports::DepthRule& rule, std::size_t query, stats::MeasuredStain& stain,
                ProfileRows& rows) {
  show(query, rows, [&](std::size_t site) {
    stats::AlleleReads& reads = stain.reads[site];
    const double least = rule.least_reads(static_cast<double>(reads.total()));
    const Seen seen = seen_of(reads.minor >= least, reads.major >= least);
    if (seen == kNoneSeen) reads = {};
    return seen;
  });
}

void show_peaks(std::size_t query, const stats::MeasuredStain& stain, ProfileRows& rows) {
  show(query, rows, [&](std::size_t site) {
    return seen_of(stain.shows_peak(site, &AlleleSignal::minor),
                   stain.shows_peak(site, &AlleleSignal::major));
  });
}

[[noreturn]] void refuse(const match::QuerySource& source, std::string_view problem,
                         std::string_view cure = kSources) {
  throw InputError(display_name(source.file), fmt::format("sample '{}'", printable(source.name)), problem,
                   cure);
}

}  // namespace

bool goes_by_alleles(const stats::StainParameters& parameters, std::size_t known) {
  return parameters.model == stats::StainModelChoice::kSemiContinuous ||
         (parameters.model == stats::StainModelChoice::kAuto &&
          (!parameters.drop_outs.empty() ||
           std::max<std::size_t>(parameters.least, known + 1) > stats::kMostByShares));
}

MeasuredQueries take_reads(const asking::SearchOptions& options, const asking::CountedSites& sites,
                           match::Queries& queries) {
  const stats::StainParameters& parameters = options.evidence.mixtures;
  if (options.comparison != engine::Comparison::kMixture || sites.counted() != SiteClass::kAutosomal ||
      goes_by_alleles(parameters, options.evidence.known.size()))
    return {};
  const bool optional = may_go_by_alleles(parameters);
  MeasuredQueries measured(queries.sources.size());
  const imports::DepthRule rule = options.import.depths.value_or(imports::DepthRule{.min_depth = 1});
  for (std::size_t q = 0; q < measured.size(); ++q) {
    const bool any = q < queries.signals.size() && queries.signals[q];
    const SampleSignal signal = any ? counted_signal(*queries.signals[q], sites) : SampleSignal();
    const bool some = has_enough(signal, queries.rows.called_sites(q)),
               reads = some && stats::holds_reads(signal);
    if (parameters.model == stats::StainModelChoice::kGamma) {
      if (!some) refuse(queries.sources[q], "has no heights of alleles at half of its sites", kHeights);
      measured[q] = stats::measured_peaks({signal}, parameters.threshold, parameters.drop_in);
      show_peaks(q, *measured[q], queries.rows);
      if (queries.rows.called_sites(q) == 0)
        refuse(queries.sources[q], fmt::format("has no peak of {} or more", measured[q]->threshold),
               "give a lower --analytical-threshold");
      continue;
    }
    if (!reads && optional) continue;
    if (!some)
      refuse(queries.sources[q], "has no reads of each allele at half of its sites, which are weighed");
    if (!reads) refuse(queries.sources[q], "has heights that are no numbers of reads");
    measured[q] = stats::measured_stain(signal, parameters.threshold, queries.few_reads[q]);
    show_reads(rule, q, *measured[q], queries.rows);
    if (queries.rows.called_sites(q) == 0)
      refuse(queries.sources[q],
             fmt::format("has no site with {} reads of an allele",
                         std::max(measured[q]->threshold, rule.min_depth)),
             "give a lower --analytical-threshold or --min-reads");
  }
  if (std::ranges::none_of(measured, [](const auto& of) { return of.has_value(); })) return {};
  return measured;
}

}  // namespace fastid::search
