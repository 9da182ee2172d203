// A part of a run, as a merge reads it. An input is a head and the contents of sections; what the fuzzer
// cannot make are checksums, so that parts are built of its pieces here: one with its head, which is read,
// and one with a head that is right, whose sections are. What is handed on is of this shard.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "fuzz/fuzz.hpp"
#include "part/candidates.hpp"
#include "part/stored_queries.hpp"
#include "questions/epistasis/part.hpp"
#include "questions/ld/part.hpp"
#include "questions/pairs/part.hpp"

namespace {

using namespace fastid;

constexpr std::uint64_t kRows = 12;   ///< of the seeds, tests/cli/fixtures/cohort.vcf
constexpr std::uint32_t kSites = 60;  ///< of the panel
constexpr std::size_t kQueries = 2, kTop = 5;
constexpr std::string_view kOfQueries = "queries";
/// In the order of an input's pieces, which follow the head's.
constexpr std::array<std::string_view, 9> kSections = {"candidates",     "ties",           "histograms",
                                                       "pairs",          "linked sites",   "combinations",
                                                       "queries: names", "queries: shape", "queries: rows"};

void hold(bool what) {
  if (!what) std::abort();
}

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// A part of one section, with a head that may be anything.
void read_head(std::string_view head, std::string_view section) {
  std::string all(part::kMagic);
  all += bytes_of(part::kFormatVersion);
  all.append(section).append(head);
  all += bytes_of(std::uint64_t{head.size()});
  all += bytes_of(xxh3_64(head.data(), head.size()));
  all += "fastid-part end\n";
  const part::File file("part", std::move(all));
  hold(file.head().shard.index >= 1 && file.head().shard.index <= file.head().shard.of);
  for (const part::Section* const of : file.sections(kSections[0])) file.read_texts(*of, 1 << 10);
}

part::File made_of(const std::vector<std::string_view>& sections) {
  part::Writer to;
  for (std::size_t i = 0; i < sections.size(); ++i)
    to.add<char>(kSections[i], std::span(sections[i].data(), sections[i].size()));
  to.finish({.command = "search", .shard = {1, 1}, .held = kTop});
  return part::File("part", to.take());
}

void read_candidates(const part::PartSet& parts) {
  const match::KeepRule rule{.top = kTop};
  const auto rows = [](const Shard&) { return Range{0, kRows}; };
  const std::vector<match::RankedPairs> ranked = part::merged(parts, kQueries, rule, {}, rows, 1);
  hold(ranked.size() == kQueries);
  for (const match::RankedPairs& query : ranked) {
    hold(query.pairs.size() <= kTop);
    for (const engine::Pair& pair : query.pairs) hold(pair.row < kRows);
  }
}

void read_histograms(const part::PartSet& parts) {
  match::CountHistograms counts(kQueries, kSites);
  part::read_histograms(parts, kQueries, counts);
}

void read_pairs(const part::PartSet& parts) {
  std::optional<std::pair<std::uint64_t, std::uint64_t>> last;
  fastid::pairs::for_all_pairs(
      parts,
      [](std::size_t, const match::ClosePair& pair) { return std::max(pair.first, pair.second) < kRows; },
      [&](const std::vector<match::ClosePair>& pairs) {
        for (const match::ClosePair& pair : pairs) {
          hold(std::max(pair.first, pair.second) < kRows &&
               (!last || *last < std::pair(pair.first, pair.second)));
          last.emplace(pair.first, pair.second);
        }
      });
}

void read_linked(const part::PartSet& parts) {
  std::uint64_t n = 0;
  fastid::ld::for_all_linked(
      parts,
      [](std::size_t, const ld::SitePair& pair) {
        return pair.sites.first < pair.sites.second && pair.sites.second < kSites;
      },
      [&](std::span<const ld::SitePair> pairs) { n += pairs.size(); });
  hold(n <= kSites * (kSites - 1) / 2);
}

void read_combinations(const part::PartSet& parts) {
  engine::BestCombinations best(kTop);
  fastid::epistasis::offer_all(
      parts, kTop,
      [](std::size_t, const engine::SiteCombination& sites) { return std::ranges::max(sites) < kSites; },
      best);
  hold(best.kept().size() <= kTop);
}

void read_queries(const part::PartSet& parts) {
  std::vector<match::FailedInput> failed;
  const match::Queries queries = part::read_queries(kOfQueries, parts.part(0), kSites, &failed);
  hold(queries.sources.size() == queries.rows.n_rows() && part::digest_of(queries).size() == 64);
}

}  // namespace

FASTID_FUZZ_TARGET {
  const std::vector<std::string_view> all = fuzz::pieces(bytes, kSections.size() + 1);
  fuzz::may_refuse([&] { part::File("part", std::string(bytes)); });
  fuzz::may_refuse([&] { read_head(all[0], all[1]); });
  std::vector<part::File> files;
  files.push_back(made_of({all.begin() + 1, all.end()}));
  const part::PartSet parts(std::move(files));
  for (const auto& read :
       {read_candidates, read_histograms, read_pairs, read_linked, read_combinations, read_queries})
    fuzz::may_refuse([&] { read(parts); });
}
