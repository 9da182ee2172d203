#include "stats/internal/stain_terms.hpp"

#include <algorithm>

namespace fastid::stats {
namespace {

constexpr std::size_t kMostOfSlot = kMostOtherAlleles + kAllelesOfTwo + 1;

/// Adds factor * p^minor (1 - p)^major times the polynomial `of`. \param size  length of `of`
void add_times(std::span<double> terms, std::size_t minor, double factor, const double* of,
               std::size_t size) {
  for (std::size_t m = 0; m < size; ++m) terms[minor + m] += factor * of[m];
}

/// Multiplies by 1 = p + (1 - p), so that all terms have the same number of alleles.
void raise(std::span<double> terms, std::size_t& size) {
  for (std::size_t m = size; m > 0; --m) terms[m] += terms[m - 1];
  ++size;
}

/// A slot's terms, summed over both alleles of an unrelated person (anybody), or over one allele beside a
/// given major or minor one.
struct SlotOf {
  std::size_t size;  ///< of the slot's terms; `anybody` has two more, `major` and `minor` one
  std::array<double, kMostOfSlot> anybody{}, major{}, minor{};

  explicit SlotOf(const SlotTerms& slot) : size(slot.alleles + 1) {
    for (std::size_t g = 0; g < kGenotypes; ++g)
      add_times(anybody, g, kOrdersOfCopies[g], slot.of[g].data(), size);
    for (std::size_t other = 0; other < 2; ++other) {
      add_times(major, other, 1, slot.of[other].data(), size);
      add_times(minor, other, 1, slot.of[1 + other].data(), size);
    }
  }
};

}  // namespace

void joint_terms(const SlotTerms& slot, const Readings& read, std::span<JointTerms> terms) {
  const auto [size, unrelated, major, minor] = SlotOf(slot);
  std::ranges::fill(terms, JointTerms{});
  for (std::size_t g = 0; g < kGenotypes; ++g) {
    std::array<std::array<double, kMostOfSlot>, 3> person{};  // [identical by descent]
    auto& [none, one, two] = person;
    std::size_t of_one = g + size + 1, of_two = g + size;
    add_times(none, g, 1, unrelated.data(), size + 2);
    add_times(one, g, 1 - static_cast<double>(g) / 2, major.data(), size + 1);
    add_times(one, g, static_cast<double>(g) / 2, minor.data(), size + 1);
    raise(one, of_one);
    add_times(two, g, 1, slot.of[g].data(), size);
    raise(two, of_two);
    raise(two, of_two);
    for (std::size_t y = 0; y < kGenotypes; ++y) {
      const double seen = kOrdersOfCopies[g] * read[g][y];
      for (std::size_t ibd = 0; ibd < person.size(); ++ibd)
        for (std::size_t j = 0; j < terms.size(); ++j) terms[j][ibd * kJointRow + y] += seen * person[ibd][j];
    }
  }
}

void pair_terms(const SlotTerms& one, const SlotTerms& other, std::size_t y, std::span<JointTerms> terms) {
  const SlotOf first(one), second(other);
  std::array<std::array<double, kMostOfSlot + kMostOtherAlleles>, 3> of{};  // [identical by descent]
  const auto add_product = [&](std::size_t ibd, std::size_t minor, double factor, const double* a,
                               const double* b, std::size_t more) {
    for (std::size_t m = 0; m < first.size + more; ++m)
      add_times(of[ibd], minor + m, factor * a[m], b, second.size + more);
  };
  add_product(0, 0, 1, first.anybody.data(), second.anybody.data(), 2);
  add_product(1, 0, 1, first.major.data(), second.major.data(), 1);
  add_product(1, 1, 1, first.minor.data(), second.minor.data(), 1);
  for (std::size_t g = 0; g < kGenotypes; ++g)
    add_product(2, g, kOrdersOfCopies[g], one.of[g].data(), other.of[g].data(), 0);
  const std::size_t of_anybody = first.size + second.size + 3;
  for (std::size_t ibd = 1; ibd < of.size(); ++ibd)
    for (std::size_t size = of_anybody - ibd; size < of_anybody;) raise(of[ibd], size);
  for (std::size_t ibd = 0; ibd < of.size(); ++ibd)
    for (std::size_t j = 0; j < of_anybody; ++j) terms[j][ibd * kJointRow + y] = of[ibd][j];
}

}  // namespace fastid::stats
