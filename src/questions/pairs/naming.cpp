#include "questions/pairs/naming.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "asking/stored_profiles.hpp"
#include "base/checked.hpp"
#include "base/thread_pool.hpp"

namespace fastid::pairs {
namespace {

/// \param others  the pairs' first profiles
void list_stretches(const PairQuestion& of, const RowView& asked, const ProfileRows& others,
                    std::span<match::NamedPair> pairs) {
  std::vector<RowView> views;
  for (std::size_t i = 0; i < pairs.size(); ++i) views.push_back(others.row(i));
  std::map<std::size_t, std::vector<std::size_t>> by_population;
  const std::vector<asking::LinkedFindings> weighed = of.linked->weigh(asked, views);
  for (std::size_t i = 0; i < pairs.size(); ++i) by_population[weighed[i].population].push_back(i);
  for (const auto& [population, some] : by_population) {
    std::vector<RowView> people;
    for (const std::size_t i : some) people.push_back(views[i]);
    std::vector<std::vector<match::SharedStretch>> stretches =
        of.linked->stretches(asked, people, population);
    for (std::size_t k = 0; k < some.size(); ++k)
      pairs[some[k]].pair.linked->figures.stretches = std::move(stretches[k]);
  }
}

/// Fills in the stretches that these pairs share, where they are asked for, reading the profiles again.
void list_stretches(const PairQuestion& of, std::span<match::NamedPair> pairs) {
  constexpr std::size_t kTogether = 8;  // take little longer than one
  if (!of.options.linked.stretches || pairs.empty()) return;
  std::vector<std::size_t> pieces{0};  // where they begin: pairs with one second profile each
  for (std::size_t i = 1; i < pairs.size(); ++i)
    if (pairs[i].pair.second != pairs[i - 1].pair.second || i - pieces.back() == kTogether)
      pieces.push_back(i);
  pieces.push_back(pairs.size());
  in_parallel(pieces.size() - 1, of.threads(), [&](std::size_t piece) {
    const auto some = pairs.subspan(pieces[piece], pieces[piece + 1] - pieces[piece]);
    asking::StoredProfiles seconds(of.second_profiles);
    BlockReader blocks(*of.first);
    ProfileRows firsts(0, of.facts.n_sites, Encoding::kAlleles);
    for (const match::NamedPair& named : some) {
      const std::uint64_t lane = named.pair.first % kLanes;
      firsts.append(blocks.block_of(named.pair.first), {&lane, 1});
    }
    list_stretches(of, seconds.read(some[0].pair.second), firsts, some);
  });
}

/// Fills in what is reported of X, Y and M, reading the profiles of these pairs again.
void report_beside(const PairQuestion& question, std::span<match::NamedPair> pairs) {
  constexpr std::size_t kPiece = 256;
  if (!question.beside) return;
  const asking::Beside& beside = *question.beside;
  in_parallel(ceil_div(pairs.size(), kPiece), question.threads(), [&](std::size_t piece) {
    asking::StoredProfiles firsts(*question.first), seconds(question.second_profiles);
    const std::size_t begin = piece * kPiece;
    for (match::NamedPair& of : pairs.subspan(begin, std::min(kPiece, pairs.size() - begin))) {
      const RowView one = firsts.read(of.pair.first), two = seconds.read(of.pair.second);
      of.beside = beside.of_people(one, beside.sex_of(one), two, beside.sex_of(two),
                                   asking::x_relation_named(of.pair.relation, of.pair.linked.has_value()));
    }
  });
}

}  // namespace

std::vector<match::NamedPair> name_pairs(const PairQuestion& question, std::vector<match::ClosePair> pairs) {
  for (match::ClosePair& pair : pairs)
    if (question.sides.one_database() && pair.second < pair.first) std::swap(pair.first, pair.second);
  const auto ids = [&](const db::Reader& reader, std::uint64_t match::ClosePair::*row) {
    std::vector<std::uint64_t> rows;
    for (const match::ClosePair& pair : pairs) rows.push_back(pair.*row);
    return reader.profile_ids(rows);
  };
  std::vector<std::string> firsts = ids(*question.first, &match::ClosePair::first),
                           seconds = ids(question.second, &match::ClosePair::second);
  std::vector<match::NamedPair> named;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    named.push_back({std::move(pairs[i]), std::move(firsts[i]), std::move(seconds[i])});
  report_beside(question, named);
  list_stretches(question, named);
  return named;
}

}  // namespace fastid::pairs
