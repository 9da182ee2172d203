#include "panel/build_detector.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace fastid {
namespace {

/// A SNP that most arrays and panels hold, and its position in each build.
struct Marker {
  std::uint32_t rs;  ///< its id without "rs"
  std::uint32_t ncbi36, grch37, grch38;
};

/// Sorted by number. The positions are dbSNP's.
constexpr std::array kMarkers = {
    Marker{4680, 18331271, 19951271, 19963748},       Marker{6025, 167785673, 169519049, 169549811},
    Marker{7412, 50103919, 45412079, 44908822},       Marker{429358, 50103781, 45411941, 44908684},
    Marker{762551, 72828970, 75041917, 74749576},     Marker{964481, 27566744, 27656823, 27638706},
    Marker{1057910, 96731043, 96741053, 94981296},    Marker{1329546, 135302086, 135474420, 136392261},
    Marker{1426654, 46213776, 48426484, 48134287},    Marker{1799945, 26199158, 26091179, 26090951},
    Marker{1799971, 154402490, 154360797, 154039662}, Marker{1800562, 26201120, 26093141, 26092913},
    Marker{1801133, 11778965, 11856378, 11796321},    Marker{1815739, 66084671, 66328095, 66560624},
    Marker{2341354, 908436, 918573, 983193},          Marker{2500347, 143649677, 144938320, 148946169},
    Marker{3094315, 742429, 752566, 817186},          Marker{3850290, 22315141, 23245301, 22776092},
    Marker{4149056, 21222816, 21331549, 21178615},    Marker{4988235, 136325116, 136608646, 135851076},
    Marker{7903146, 114748339, 114758349, 112998590}, Marker{9923231, 31015190, 31107689, 31096368},
    Marker{9939609, 52378028, 53820527, 53786615},    Marker{11928389, 50908372, 50927009, 50889578},
    Marker{12913832, 26039213, 28365618, 28120472},   Marker{16891982, 33987450, 33951693, 33951588},
};
static_assert(std::ranges::is_sorted(kMarkers, {}, &Marker::rs));

/// 123 for the id "rs123"; no value for other ids.
std::optional<std::uint32_t> rs_number(std::string_view id) {
  if (!id.starts_with("rs") || id.substr(2).starts_with('0')) return std::nullopt;
  return parse_number<std::uint32_t>(id.substr(2));
}

std::uint32_t position_in(const Marker& marker, GenomeBuild build) {
  switch (build) {
    case GenomeBuild::kNCBI36:
      return marker.ncbi36;
    case GenomeBuild::kGRCh37:
      return marker.grch37;
    case GenomeBuild::kGRCh38:
      return marker.grch38;
    case GenomeBuild::kUnknown:
      break;
  }
  return 0;
}

constexpr std::array kBuilds = {GenomeBuild::kNCBI36, GenomeBuild::kGRCh37, GenomeBuild::kGRCh38};

}  // namespace

void BuildDetector::see(std::string_view id, std::uint32_t pos) {
  if (pos == 0) return;
  const auto number = rs_number(id);
  if (!number) return;
  const auto marker = std::ranges::lower_bound(kMarkers, *number, {}, &Marker::rs);
  if (marker == kMarkers.end() || marker->rs != *number) return;
  for (const GenomeBuild build : kBuilds)
    if (position_in(*marker, build) == pos) ++votes_[static_cast<std::size_t>(build)];
}

GenomeBuild BuildDetector::found() const {
  GenomeBuild found = GenomeBuild::kUnknown;
  for (const GenomeBuild build : kBuilds) {
    if (votes_[static_cast<std::size_t>(build)] == 0) continue;
    if (found != GenomeBuild::kUnknown) return GenomeBuild::kUnknown;
    found = build;
  }
  return found;
}

GenomeBuild detect_build(const Panel& panel) {
  BuildDetector detector;
  for (const Site& site : panel.sites()) detector.see(site.id, site.pos);
  return detector.found();
}

}  // namespace fastid
