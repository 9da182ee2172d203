#include "panel/sex.hpp"

#include <cmath>

#include "bits/popcount.hpp"

namespace fastid {
namespace {

constexpr double kWomansHets = 0.2;                         // of X
constexpr double kCalledOfMan = 0.9, kCalledOfWoman = 0.1;  // Y, of what is called elsewhere
constexpr double kSpeaks = 2;                               // log10

/// Adds up words of a profile in which X, Y or M has sites; `at(word)` gives the sites called there, and the
/// sites where both alleles were seen.
template <class At>
SexCounts count_words(std::uint32_t called_sites, const SiteClasses& classes, const At& at) {
  SexCounts counts;
  std::uint32_t beside = 0;
  const auto x = classes.mask(SiteClass::kX), y = classes.mask(SiteClass::kY),
             m = classes.mask(SiteClass::kM), none = classes.mask(SiteClass::kNone);
  const auto add = [](std::uint32_t& to, Word bits) { to += static_cast<std::uint32_t>(bits_set(bits)); };
  for (const std::uint32_t word : classes.words_beside()) {
    const auto [called, both] = at(word);
    add(counts.x_called, called & x[word]);
    add(counts.x_het, both & x[word]);
    add(counts.y_called, called & y[word]);
    add(counts.y_het, both & y[word]);
    add(counts.m_called, called & m[word]);
    add(counts.m_het, both & m[word]);
    add(beside, called & none[word]);
  }
  beside += counts.x_called + counts.y_called + counts.m_called;
  counts.autosomal_called = called_sites - beside;
  return counts;
}

struct CalledAndBoth {
  Word called, both;
};

}  // namespace

SexCounts count_sex(const BlocksView& profiles, std::uint64_t profile, std::uint32_t called_sites,
                    const SiteClasses& classes) {
  return count_words(called_sites, classes, [&](std::size_t word) -> CalledAndBoth {
    const Word called = profiles.called_word(profile, word);
    if (profiles.shape.encoding != Encoding::kAlleles) return {called, 0};
    return {called, profiles.bits_word(profile, word) & profiles.major_word(profile, word)};
  });
}

SexCounts count_sex(const RowView& row, const SiteClasses& classes) {
  std::uint32_t called_sites = 0;
  for (const Word word : row.called) called_sites += static_cast<std::uint32_t>(bits_set(word));
  return count_words(called_sites, classes, [&](std::size_t word) -> CalledAndBoth {
    return {row.called[word], row.bits[word] & row.major_word(word)};
  });
}

double log10_woman_by_x(const SexCounts& counts, double error_rate) {
  const double mans_hets = 2 * error_rate * (1 - error_rate);
  return counts.x_het * std::log10(kWomansHets / mans_hets) +
         (counts.x_called - counts.x_het) * std::log10((1 - kWomansHets) / (1 - mans_hets));
}

double log10_man_by_y(const SexCounts& counts, const SiteClasses& classes) {
  if (counts.y_called == 0) return 0;
  const std::uint32_t autosomal = classes.count(SiteClass::kAutosomal);
  const double rate = counts.autosomal_called == 0
                          ? 1
                          : static_cast<double>(counts.autosomal_called) / static_cast<double>(autosomal);
  const double man = kCalledOfMan * rate, woman = kCalledOfWoman * rate;
  return counts.y_called * std::log10(man / woman) +
         (classes.count(SiteClass::kY) - counts.y_called) * std::log10((1 - man) / (1 - woman));
}

SexCall sex_by(double log10_woman, double log10_man, bool has_x_or_y) {
  SexCall call;
  if (!has_x_or_y) return call;
  if (log10_woman >= kSpeaks) call.x_copies = 2;
  if (log10_woman <= -kSpeaks) call.x_copies = 1;
  const bool woman = log10_woman >= kSpeaks || log10_man <= -kSpeaks;
  const bool man = log10_woman <= -kSpeaks || log10_man >= kSpeaks;
  call.sex = woman == man ? Sex::kUndecided : woman ? Sex::kFemale : Sex::kMale;
  return call;
}

SexCall sex_of(const SexCounts& counts, const SiteClasses& classes, bool says_alleles) {
  return sex_by(says_alleles ? log10_woman_by_x(counts) : 0, log10_man_by_y(counts, classes),
                classes.has(SiteClass::kX) || classes.has(SiteClass::kY));
}

}  // namespace fastid
