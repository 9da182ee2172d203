#include "stats/internal/allele_mixture.hpp"

#include <array>
#include <utility>

#include "stats/internal/minor_copies.hpp"

namespace fastid::stats {
namespace {

/// The alleles of the known people who are called at a site.
Seen alleles_of(std::span<const RowView> known, std::size_t site) {
  Seen seen;
  for (const RowView& row : known)
    if (const auto g = static_cast<unsigned>(shown_at(row, site)); g != kNeither) {
      seen.minor += g;
      seen.major += 2 - g;
    }
  return seen;
}

}  // namespace

AlleleContribution::AlleleContribution(const PopulationModel& model, std::span<const RowView> known,
                                       unsigned n, Relation contributor, const MixtureParameters& parameters)
    : Contribution(model, Encoding::kAlleles, n, parameters) {
  for (std::size_t site = 0; site < model.n_sites(); ++site) {
    const Seen seen = alleles_of(known, site);
    for (unsigned g = 0; g < kGenotypes; ++g)
      add_copies(
          model.minor_freq()[site], model.parameters().theta,
          {{seen.minor + g, seen.major + 2 - g}, g, 2 * n - seen.minor - seen.major, ibd_of(contributor)}, 1,
          copies(site, g).subspan(seen.minor));
  }
}

Contribution::Stain AlleleContribution::stain(double drop_out) const {
  Stain stain{};
  std::array<double, 2 * kMostContributors + 1> hidden{};  // of an allele with so many copies
  double lost = 1 - drop_in();
  for (std::size_t copies = 0; copies < terms(); ++copies) {
    hidden[copies] = lost;
    lost *= drop_out;
  }
  for (std::size_t c = 0; c < terms(); ++c) {
    const double no_minor = hidden[c], no_major = hidden[terms() - 1 - c];
    stain[kNeither][c] = no_minor * no_major;
    stain[kMajorOnly][c] = no_minor * (1 - no_major);
    stain[kMinorOnly][c] = (1 - no_minor) * no_major;
    stain[kBothAlleles][c] = (1 - no_minor) * (1 - no_major);
  }
  return stain;
}

double AlleleContribution::probability(std::size_t site, Shown mixture, Shown person, double drop_out) const {
  return Contribution::probability(std::as_const(*this).copies(site, person), mixture, stain(drop_out));
}

}  // namespace fastid::stats
