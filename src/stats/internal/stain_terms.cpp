#include "stats/internal/stain_terms.hpp"

#include <algorithm>

namespace fastid::stats {
namespace {

using Terms = std::array<double, kMostOtherAlleles + kAllelesOfTwo + 1>;

/// Adds factor * p^minor (1 - p)^major times the polynomial. \param size  of `of`
void add_times(Terms& terms, std::size_t minor, double factor, const double* of, std::size_t size) {
  for (std::size_t m = 0; m < size; ++m) terms[minor + m] += factor * of[m];
}

/// Times 1, as p + (1 - p), so that all terms have as many alleles.
void raise(Terms& terms, std::size_t& size) {
  for (std::size_t m = size; m > 0; --m) terms[m] += terms[m - 1];
  ++size;
}

}  // namespace

void joint_terms(const SlotTerms& slot, const Readings& read, std::span<JointTerms> terms) {
  const std::size_t size = slot.alleles + 1;
  Terms unrelated{}, major{}, minor{};  // slots of somebody, and of who has this allele and another one
  for (std::size_t g = 0; g < kGenotypes; ++g)
    add_times(unrelated, g, kOrdersOfCopies[g], slot.of[g].data(), size);
  for (std::size_t other = 0; other < 2; ++other) {
    add_times(major, other, 1, slot.of[other].data(), size);
    add_times(minor, other, 1, slot.of[1 + other].data(), size);
  }
  std::ranges::fill(terms, JointTerms{});
  for (std::size_t g = 0; g < kGenotypes; ++g) {
    std::array<Terms, 3> person{};  // [identical by descent]
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

}  // namespace fastid::stats
