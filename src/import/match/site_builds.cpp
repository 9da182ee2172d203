// Checks that a file has the panel's genome build: by what both state, by well-known SNPs, by ids at other
// positions, and by alleles that do not fit.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/match/chance.hpp"
#include "import/match/site_matcher.hpp"

namespace fastid::imports {
namespace {

constexpr std::uint64_t kMovedShare = 10;  ///< more than one id in so many has moved: another build
constexpr std::string_view kBuildCure =
    "use a file of the panel's build, or --ignore-build to match by id alone; fastid does not lift positions "
    "over (CrossMap and bcftools +liftover do)";
constexpr double kLeastFit = 0.95;    ///< of shared positions; in another build about half fit by chance
constexpr double kAnotherBuild = -3;  ///< log10 of the probability that so few fit

}  // namespace

void SiteMatcher::check_builds() const {
  const GenomeBuild file = reader_.build(), panel = panel_.build();
  if (file == GenomeBuild::kUnknown || panel == GenomeBuild::kUnknown || file == panel) return;
  if (!options_.ignore_build)
    throw InputError(file_, "header",
                     fmt::format("is of build {}, the panel of {}", name_of(file), name_of(panel)),
                     kBuildCure);
}

void SiteMatcher::tally_position(const Site& site, const SiteRecord& record) {
  if (site.pos == 0 || site.chrom == "0" || record.pos == 0 || record.chrom == "0") return;
  ++shared_ids_;
  if (site.pos == record.pos && place_chromosome(site.chrom) == place_chromosome(record.chrom)) return;
  if (++moved_ids_ == 1)
    moved_example_ = fmt::format("{} {} against {}", site.id, position_text(record.chrom, record.pos),
                                 position_text(site.chrom, site.pos));
}

void SiteMatcher::note_fit(const Candidate& candidate, Fate fate) {
  if (candidate.origin != Origin::kPosition || fate == Fate::kDropped || !reader_.has_two_bases()) return;
  SiteState& state = states_[candidate.site];
  (fate == Fate::kRead ? state.fits : state.misfits) = true;
}

/// Checks the build that positions of well-known SNPs show, whatever the header says.
void SiteMatcher::check_detected_build() const {
  const GenomeBuild detected = detector_.found();
  if (detected == GenomeBuild::kUnknown || options_.ignore_build) return;
  if (reader_.build() != GenomeBuild::kUnknown && reader_.build() != detected)
    throw InputError(file_, "header",
                     fmt::format("says build {}, but its positions are those of {}", name_of(reader_.build()),
                                 name_of(detected)),
                     kBuildCure);
  const GenomeBuild panel = panel_.build() == GenomeBuild::kUnknown ? detect_build(panel_) : panel_.build();
  if (panel != GenomeBuild::kUnknown && panel != detected)
    throw InputError(file_, "",
                     fmt::format("has the positions of build {}, the panel those of {}", name_of(detected),
                                 name_of(panel)),
                     kBuildCure);
}

bool SiteMatcher::fits_at_position_of(std::uint32_t site) const {
  const Site& where = panel_.sites()[site];
  return std::ranges::any_of(panel_.find_position(where.chrom, where.pos),
                             [this](std::uint32_t s) { return states_[s].fits; });
}

/// Checks the build by alleles where no id shows it: at another build's positions they fit only by chance.
void SiteMatcher::check_fits() const {
  if (options_.ignore_build || shared_ids_ > 0) return;
  std::uint64_t fit = 0, positions = 0;
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) {
    const bool fits = states_[s].fits;
    fit += fits;
    positions += fits || (states_[s].misfits && !fits_at_position_of(s));
  }
  if (positions == 0 || log10_chance(static_cast<double>(fit) / static_cast<double>(positions), positions,
                                     kLeastFit) > kAnotherBuild)
    return;
  throw InputError(
      file_, "",
      fmt::format("only {} of {} shared positions have the panel's alleles, as by chance: another genome "
                  "build",
                  with_commas(fit), with_commas(positions)),
      kBuildCure);
}

void SiteMatcher::check_positions() {
  check_detected_build();
  check_fits();
  const GenomeBuild file = reader_.build(), panel = panel_.build();
  const bool other_build = file != GenomeBuild::kUnknown && panel != GenomeBuild::kUnknown && file != panel;
  const std::string moved = fmt::format(
      "{} of {} shared ids lie at other positions{}", with_commas(moved_ids_), with_commas(shared_ids_),
      moved_ids_ == 0 ? "" : fmt::format(" (for example {})", moved_example_));
  const bool many_moved = moved_ids_ * kMovedShare > shared_ids_;
  if (many_moved && !options_.ignore_build)
    throw InputError(file_, "", moved + ": another genome build", kBuildCure);
  if (options_.ignore_build && (other_build || moved_ids_ > 0))
    warnings_.push_back(fmt::format("{}: {}; matched by id alone (--ignore-build)", file_, moved));
  const bool unstated = (file == GenomeBuild::kUnknown && detector_.found() == GenomeBuild::kUnknown) ||
                        panel == GenomeBuild::kUnknown;
  if (unstated && shared_ids_ == 0 && counts_.matched_by_position > 0)
    warnings_.push_back(fmt::format(
        "{}: matched by position alone, and nothing says that its genome build is the panel's", file_));
}

}  // namespace fastid::imports
