#include "questions/pairs/part.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <queue>
#include <utility>

#include "base/text.hpp"

namespace fastid::pairs {
namespace {

constexpr std::string_view kPairs = "pairs";
constexpr std::size_t kSection = 1 << 13;  ///< pairs of a section
constexpr std::size_t kAtOnce = 1 << 15;   ///< pairs that are handed on together
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A pair in a part; figures without a value are NaN.
struct StoredPair {
  std::uint64_t first = 0, second = 0;
  std::uint32_t compared = 0, differing = 0, both_het = 0, ibs0 = 0;
  double kinship = kNone;
  std::array<double, 5> log10_lr{kNone, kNone, kNone, kNone, kNone};  ///< in the order of RelationFigures
  double log10_chance_pairs = kNone;
  std::array<char, 32> relation{};  ///< ended by zero bytes
  // Along the map; log10_any is NaN elsewhere.
  double log10_any = kNone, margin = kNone;
  std::array<double, 19> log10_of_relation{};
  double any_cm = kNone, two_cm = kNone, longest_cm = kNone;
  std::uint64_t segments = 0;
  std::array<char, 8> degree{};
  std::array<char, 24> degree_range{};
};
static_assert(sizeof(StoredPair) == 352);

template <std::size_t kSize>
void store(const std::string& text, std::array<char, kSize>& into) {
  if (text.size() >= into.size()) throw Failure("a relation's name is too long for a part");
  std::ranges::copy(text, into.begin());
}

template <std::size_t kSize>
std::string restored(const std::array<char, kSize>& from) {
  return {from.begin(), std::ranges::find(from, '\0')};
}

void store(const match::ClosePair::AlongMap& from, StoredPair& to) {
  to.log10_any = from.log10_any;
  to.margin = from.margin;
  for (std::size_t i = 0; i < to.log10_of_relation.size(); ++i)
    to.log10_of_relation[i] = from.figures.log10_lr[i].value_or(kNone);
  store(from.figures.degree, to.degree);
  store(from.figures.degree_range, to.degree_range);
  if (const auto& shared = from.figures.shared) {
    to.any_cm = shared->any_cm, to.two_cm = shared->two_cm, to.longest_cm = shared->longest_cm;
    to.segments = shared->segments;
  }
}

match::ClosePair::AlongMap along_map(const StoredPair& from) {
  match::ClosePair::AlongMap to{.figures = {}, .log10_any = from.log10_any, .margin = from.margin};
  for (const double ratio : from.log10_of_relation)
    to.figures.log10_lr.push_back(std::isnan(ratio) ? std::nullopt : std::optional(ratio));
  to.figures.degree = restored(from.degree);
  to.figures.degree_range = restored(from.degree_range);
  if (!std::isnan(from.any_cm))
    to.figures.shared = {.any_cm = from.any_cm,
                         .two_cm = from.two_cm,
                         .segments = from.segments,
                         .longest_cm = from.longest_cm};
  return to;
}

StoredPair stored(const match::ClosePair& pair) {
  StoredPair to{.first = pair.first,
                .second = pair.second,
                .compared = pair.compared,
                .differing = pair.differing,
                .both_het = pair.both_het,
                .ibs0 = pair.ibs0,
                .kinship = pair.kinship,
                .log10_chance_pairs = pair.log10_chance_pairs.value_or(kNone)};
  if (const auto& lr = pair.log10_lr)
    to.log10_lr = {lr->same, lr->parent_child, lr->sibling, lr->half_sibling, lr->cousin};
  store(pair.relation, to.relation);
  if (pair.linked) store(*pair.linked, to);
  return to;
}

match::ClosePair restored(const StoredPair& from) {
  match::ClosePair pair{.first = from.first,
                        .second = from.second,
                        .compared = from.compared,
                        .differing = from.differing,
                        .both_het = from.both_het,
                        .ibs0 = from.ibs0,
                        .kinship = from.kinship};
  const auto& [same, parent_child, sibling, half_sibling, cousin] = from.log10_lr;
  if (!std::isnan(same)) pair.log10_lr = {same, parent_child, sibling, half_sibling, cousin};
  if (!std::isnan(from.log10_chance_pairs)) pair.log10_chance_pairs = from.log10_chance_pairs;
  pair.relation = restored(from.relation);
  if (!std::isnan(from.log10_any)) pair.linked = along_map(from);
  return pair;
}

std::pair<std::uint64_t, std::uint64_t> place_of(const StoredPair& pair) {
  return {pair.first, pair.second};
}

/// One part's pairs, section by section.
class Stream {
 public:
  using IsOwn = std::function<bool(const match::ClosePair& pair)>;
  Stream(const part::File& part, IsOwn is_own)
      : part_(part), is_own_(std::move(is_own)), sections_(part.sections(kPairs)) {
    fill();
  }

  bool done() const { return at_ == pairs_.size(); }
  auto place() const { return place_of(pairs_[at_]); }

  match::ClosePair next() {
    const StoredPair now = pairs_[at_];
    match::ClosePair pair = restored(now);
    if (!is_own_(pair) || pair.compared == 0 || !is_printable_utf8(pair.relation) ||
        (pair.linked && !is_printable_utf8(pair.linked->figures.degree + pair.linked->figures.degree_range)))
      part_.refuse(kPairs, "has a pair that is not of this shard");
    if (++at_ == pairs_.size()) fill();
    if (!done() && place() <= place_of(now)) part_.refuse(kPairs, "has pairs that are not in their order");
    return pair;
  }

 private:
  void fill() {
    pairs_.clear();
    at_ = 0;
    while (pairs_.empty() && next_ < sections_.size()) pairs_ = part_.read<StoredPair>(*sections_[next_++]);
  }

  const part::File& part_;
  IsOwn is_own_;
  std::vector<const part::Section*> sections_;
  std::size_t next_ = 0, at_ = 0;
  std::vector<StoredPair> pairs_;
};

}  // namespace

void PairsWriter::add(std::span<const match::ClosePair> pairs) {
  waiting_.insert(waiting_.end(), pairs.begin(), pairs.end());
  if (waiting_.size() >= kSection) finish();
}

void PairsWriter::finish() {
  std::vector<StoredPair> all;
  for (const match::ClosePair& pair : waiting_) all.push_back(stored(pair));
  for (std::size_t at = 0; at < all.size(); at += kSection)
    to_.add<StoredPair>(kPairs, std::span(all).subspan(at, std::min(kSection, all.size() - at)));
  waiting_.clear();
}

void for_all_pairs(const part::PartSet& parts,
                   const std::function<bool(std::size_t i, const match::ClosePair& pair)>& is_own,
                   const std::function<void(std::vector<match::ClosePair> pairs)>& take) {
  std::vector<Stream> streams;
  for (std::size_t i = 0; i < parts.size(); ++i)
    streams.emplace_back(parts.part(i),
                         [&is_own, i](const match::ClosePair& pair) { return is_own(i, pair); });
  const auto later = [](const Stream* a, const Stream* b) { return a->place() > b->place(); };
  std::priority_queue<Stream*, std::vector<Stream*>, decltype(later)> next(later);
  for (Stream& stream : streams)
    if (!stream.done()) next.push(&stream);
  std::vector<match::ClosePair> some;
  while (!next.empty()) {
    Stream* const stream = next.top();
    next.pop();
    some.push_back(stream->next());
    if (!stream->done()) next.push(stream);
    if (some.size() == kAtOnce || next.empty()) take(std::exchange(some, {}));
  }
}

}  // namespace fastid::pairs
