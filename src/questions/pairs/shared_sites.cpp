#include "questions/pairs/shared_sites.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid::pairs {
namespace {

constexpr std::string_view kBuildCure =
    "lift one of them over, or name its build by --build (fastid db build), or give --ignore-build to match "
    "sites by id alone";

constexpr std::string_view kPanelCure =
    "build it again with the --panel of the other (db export --what panel)";

/// Whether two sites have the same alleles: no value where not; true where major and minor are swapped.
std::optional<bool> swapped(const Site& site, const Site& other) {
  const auto is = [&](char major, char minor) -> std::optional<bool> {
    if (site.major == major && site.minor == minor) return false;
    if (site.major == minor && site.minor == major) return true;
    return std::nullopt;
  };
  if (const auto same_strand = is(other.major, other.minor)) return same_strand;
  return is(complement(other.major), complement(other.minor));
}

class Matcher {
 public:
  Matcher(const db::Reader& first, const db::Reader& second, bool ignore_build)
      : first_(first), second_(second), by_position_(!ignore_build && same_build()) {
    if (!ignore_build) check_builds();
  }

  std::vector<SiteOrigin> match(bool ignore_build) {
    std::vector<SiteOrigin> origins;
    std::size_t moved = 0;
    for (const Site& site : first_.panel().sites()) {
      const SiteOrigin origin = origin_of(site);
      origins.push_back(origin);
      if (origin.site == SiteOrigin::kNone) continue;
      const Site& other = second_.panel().sites()[origin.site];
      ++shared_;
      moved += site.pos != 0 && other.pos != 0 && site.pos != other.pos;
    }
    if (shared_ + other_alleles_ == 0)
      throw InputError(second_.path(), "", fmt::format("has no site of {}", first_.path()), kPanelCure);
    if (other_alleles_ > shared_)
      throw InputError(second_.path(), "",
                       fmt::format("has other alleles than {} at {} of {} of one id", first_.path(),
                                   with_commas(other_alleles_), counted(shared_ + other_alleles_, "site")),
                       kPanelCure);
    if (!ignore_build && 2 * moved > shared_)
      throw InputError(second_.path(), "",
                       fmt::format("has other positions than {} for {} of {} of one id: another build",
                                   first_.path(), with_commas(moved), counted(shared_, "site")),
                       kBuildCure);
    return origins;
  }

  std::size_t shared() const { return shared_; }

 private:
  GenomeBuild build_of(const db::Reader& reader) const { return reader.panel().build(); }
  bool same_build() const {
    return build_of(first_) == build_of(second_) && build_of(first_) != GenomeBuild::kUnknown;
  }

  void check_builds() const {
    const GenomeBuild of_first = build_of(first_), of_second = build_of(second_);
    if (of_first == of_second || of_first == GenomeBuild::kUnknown || of_second == GenomeBuild::kUnknown)
      return;
    throw InputError(
        second_.path(), "",
        fmt::format("is of build {}, and {} of {}", name_of(of_second), first_.path(), name_of(of_first)),
        kBuildCure);
  }

  SiteOrigin with_alleles(const Site& site, std::uint32_t place) const {
    const auto is_swapped = swapped(site, second_.panel().sites()[place]);
    return is_swapped ? SiteOrigin{place, *is_swapped} : SiteOrigin{};
  }

  SiteOrigin origin_of(const Site& site) {
    if (const auto place = second_.panel().find_id(site.id)) {
      const SiteOrigin origin = with_alleles(site, *place);
      other_alleles_ += origin.site == SiteOrigin::kNone;
      return origin;
    }
    if (!by_position_) return {};
    for (const std::uint32_t place : second_.panel().find_position(site.chrom, site.pos))
      if (const SiteOrigin origin = with_alleles(site, place); origin.site != SiteOrigin::kNone)
        return origin;
    return {};
  }

  const db::Reader& first_;
  const db::Reader& second_;
  bool by_position_;
  std::size_t shared_ = 0, other_alleles_ = 0;
};

}  // namespace

std::optional<std::vector<SiteOrigin>> shared_sites(const db::Reader& first, const db::Reader& second,
                                                    bool ignore_build) {
  if (first.header().panel_sha256 == second.header().panel_sha256) return std::nullopt;
  Matcher matcher(first, second, ignore_build);
  std::vector<SiteOrigin> origins = matcher.match(ignore_build);
  const bool alleles = second.shape().encoding == Encoding::kAlleles;
  const auto n_swapped = static_cast<std::uint64_t>(std::ranges::count(origins, true, &SiteOrigin::swapped));
  log::note("{} and {}: compared at {} that both have, of {} and {}{}; frequencies are those of {}",
            first.path(), second.path(), counted(matcher.shared(), "site"),
            with_commas(first.shape().n_sites), with_commas(second.shape().n_sites),
            n_swapped == 0 ? ""
                           : fmt::format(", {} with the other allele as the minor one{}",
                                         with_commas(n_swapped), alleles ? "" : ", which are not compared"),
            first.path());
  bool as_they_are = origins.size() == second.shape().n_sites;
  for (std::uint32_t site = 0; as_they_are && site < origins.size(); ++site)
    as_they_are = origins[site] == SiteOrigin{site, false};
  if (as_they_are) return std::nullopt;
  return origins;
}

}  // namespace fastid::pairs
