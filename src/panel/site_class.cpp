#include "panel/site_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace fastid {
namespace {

/// A chromosome's ends that X and Y share: positions up to `first_end`, and from `second_start` on.
struct SharedEnds {
  std::uint32_t first_end, second_start;
};
struct BuildEnds {
  GenomeBuild build;
  SharedEnds x, y;
};
constexpr BuildEnds kShared[] = {{GenomeBuild::kNCBI36, {2'709'521, 154'584'237}, {2'709'520, 57'443'438}},
                                 {GenomeBuild::kGRCh37, {2'699'520, 154'931'044}, {2'649'520, 59'034'050}},
                                 {GenomeBuild::kGRCh38, {2'781'479, 155'701'383}, {2'781'479, 56'887'903}}};

/// Whether a position lies in a shared end by this build, or, where the build is not known, in the same end
/// by all builds.
bool in_shared_end(std::uint32_t pos, GenomeBuild build, SharedEnds BuildEnds::*chromosome) {
  if (pos == 0) return false;
  const auto speaks = [build](const BuildEnds& ends) {
    return build == GenomeBuild::kUnknown || ends.build == build;
  };
  const auto outside_first = [&](const BuildEnds& ends) {
    return speaks(ends) && pos > (ends.*chromosome).first_end;
  };
  const auto outside_second = [&](const BuildEnds& ends) {
    return speaks(ends) && pos < (ends.*chromosome).second_start;
  };
  return std::ranges::none_of(kShared, outside_first) || std::ranges::none_of(kShared, outside_second);
}

}  // namespace

std::string_view name_of(SiteClass site_class) {
  constexpr std::array<std::string_view, kSiteClasses> kNames = {"autosomal", "X", "Y", "M", "none"};
  return kNames[static_cast<std::size_t>(site_class)];
}

std::string_view name_of(Sex sex) {
  return sex == Sex::kMale ? "male" : sex == Sex::kFemale ? "female" : "undecided";
}

std::optional<Sex> parse_sex(std::string_view given) {
  const std::string text = ascii_lower(trim(given));
  if (text == "m" || text == "male" || text == "1" || text == "xy") return Sex::kMale;
  if (text == "f" || text == "female" || text == "2" || text == "xx") return Sex::kFemale;
  return std::nullopt;
}

bool in_par(std::string_view chrom, std::uint32_t pos, GenomeBuild build) {
  if (chrom == "PAR" || chrom == "PAR1" || chrom == "PAR2") return true;
  return chrom == "X" && in_shared_end(pos, build, &BuildEnds::x);
}

SiteClass class_of(std::string_view chrom, std::uint32_t pos, GenomeBuild build) {
  if (in_par(chrom, pos, build)) return SiteClass::kAutosomal;
  if (chrom == "X") return SiteClass::kX;
  if (chrom == "Y") return in_shared_end(pos, build, &BuildEnds::y) ? SiteClass::kNone : SiteClass::kY;
  return chrom == "M" ? SiteClass::kM : SiteClass::kAutosomal;
}

unsigned copies_of(SiteClass site_class, Sex sex) {
  switch (site_class) {
    case SiteClass::kAutosomal:
      return 2;
    case SiteClass::kX:
      return sex == Sex::kMale ? 1 : 2;
    case SiteClass::kY:
      return sex == Sex::kFemale ? 0 : 1;
    case SiteClass::kM:
      return 1;
    case SiteClass::kNone:
      break;
  }
  return 0;
}

SiteClasses::SiteClasses(const Panel& panel) : classes_(panel.n_sites()) {
  for (std::vector<Word>& mask : masks_) mask.resize(ceil_div<std::size_t>(panel.n_sites(), kWordBits));
  std::string_view chrom = "1";  // of the site before: most sites have the same chromosome
  bool of_sexes = false;
  for (std::size_t s = 0; s < classes_.size(); ++s) {
    const Site& site = panel.sites()[s];
    if (site.chrom != chrom) {
      chrom = site.chrom;
      of_sexes = place_chromosome(chrom) == "X" || chrom == "Y" || chrom == "M";
    }
    if (of_sexes) {
      classes_[s] = class_of(site.chrom, site.pos, panel.build());
      if (in_par(site.chrom, site.pos, panel.build())) ++par_;
    }
    const auto place = static_cast<std::size_t>(classes_[s]);
    ++counts_[place];
    masks_[place][s / kWordBits] |= Word{1} << s % kWordBits;
    const auto word = static_cast<std::uint32_t>(s / kWordBits);
    if (classes_[s] != SiteClass::kAutosomal && (words_beside_.empty() || words_beside_.back() != word))
      words_beside_.push_back(word);
  }
}

std::vector<std::uint32_t> SiteClasses::sites(SiteClass site_class) const {
  std::vector<std::uint32_t> places;
  places.reserve(count(site_class));
  for (std::uint32_t s = 0; s < n_sites(); ++s)
    if (classes_[s] == site_class) places.push_back(s);
  return places;
}

std::string SiteClasses::describe() const {
  const std::string all = counted(n_sites(), "site"), by_class = parts();
  return by_class.empty() ? all : fmt::format("{} ({})", all, by_class);
}

std::string SiteClasses::parts() const {
  std::string parts;
  if (all_autosomal() && par_ == 0) return parts;
  const auto add = [&parts](std::uint32_t n, std::string_view what) {
    if (n > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", with_commas(n), what);
  };
  add(count(SiteClass::kAutosomal),
      par_ > 0 ? fmt::format("autosomal, {} of them in PAR", with_commas(par_)) : "autosomal");
  for (const SiteClass of : {SiteClass::kX, SiteClass::kY, SiteClass::kM}) add(count(of), name_of(of));
  add(count(SiteClass::kNone), "on Y's copy of PAR, left out");
  return parts;
}

}  // namespace fastid
