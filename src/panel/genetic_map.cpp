#include "panel/genetic_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/embedded.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "panel/table_lines.hpp"

namespace fastid {
namespace {

constexpr double kCentimorgansABase = 100 * kMorgansABase;
constexpr std::array<std::string_view, 3> kMapColumns = {"chrom", "pos", "cM"};
constexpr TableForm kForm{kMapColumns, "a genetic map",
                          "begin with a header line of tab-separated chrom pos cM",
                          "write chrom, pos and cM"};
constexpr double kMostCentimorgans = 1e6;  // of a chromosome: more is no map

/// A sort key of chromosomes: numbers in order, then names.
std::pair<std::uint32_t, std::string_view> order_of(std::string_view chrom) {
  const auto number = parse_number<std::uint32_t>(chrom);
  return number ? std::pair(*number, std::string_view()) : std::pair(UINT32_MAX, chrom);
}

}  // namespace

double recombination(double morgans) {
  return (1 - std::exp(-2 * morgans)) / 2;
}

/// Parses the lines of a map one by one.
class GeneticMap::Parser {
 public:
  explicit Parser(const std::string& source) : source_(source), lines_(source, kForm) {}

  void take(std::string_view line) {
    if (const auto cells = lines_.take(line)) take_point(*cells);
  }

  GeneticMap finish() && {
    if (map_.chromosomes_.empty())
      throw InputError(source_, "", "has no point of a map",
                       "give a header line of tab-separated chrom pos cM, then a line for each point");
    map_.build_ = lines_.build();
    return std::move(map_);
  }

 private:
  void take_point(std::span<const std::string_view> cells) {
    const auto pos = parse_number<std::uint32_t>(cells[1]);
    const auto cm = parse_number<double>(cells[2]);
    if (!pos || *pos == 0)
      lines_.refuse(fmt::format("position '{}' is not a number from 1", printable(cells[1])),
                    "mend the line");
    if (!cm || std::abs(*cm) > kMostCentimorgans)
      lines_.refuse(fmt::format("'{}' is not a number of centimorgans", printable(cells[2])),
                    "mend the line");
    add(normal_chromosome(cells[0]), {*pos, *cm});
  }

  void add(const std::string& name, const Point& point) {
    std::vector<Chromosome>& all = map_.chromosomes_;
    if (all.empty() || all.back().name != name) {
      if (map_.has(name))
        lines_.refuse(fmt::format("comes back to chromosome {}", printable(name)),
                      "sort the points by chromosome");
      all.push_back({name, {}});
    }
    std::vector<Point>& points = all.back().points;
    if (!points.empty() && point.pos <= points.back().pos)
      lines_.refuse(fmt::format("position {} is not above the one before, {}", point.pos, points.back().pos),
                    "sort each chromosome's points by position, each position once");
    if (!points.empty() && point.cm < points.back().cm)
      lines_.refuse(fmt::format("{} cM is below the {} cM of the point before", point.cm, points.back().cm),
                    "cumulative centimorgans never fall: mend the line");
    points.push_back(point);
  }

  const std::string& source_;
  TableLines lines_;
  GeneticMap map_;
};

GeneticMap GeneticMap::parse(std::string_view text, const std::string& source) {
  Parser parser(source);
  for (const std::string_view line : split(text, '\n')) parser.take(line);
  return std::move(parser).finish();
}

std::optional<GeneticMap> GeneticMap::shipped(GenomeBuild build) {
  const std::string path = fmt::format("data/maps/{}.tsv", name_of(build));
  if (std::ranges::find(embedded_files(), path, &EmbeddedFile::path) == embedded_files().end())
    return std::nullopt;
  return parse(embedded_text(path), path);
}

const GeneticMap::Chromosome* GeneticMap::find(std::string_view chrom) const {
  const auto found = std::ranges::find(chromosomes_, chrom, &Chromosome::name);
  return found == chromosomes_.end() ? nullptr : &*found;
}

double GeneticMap::cm(std::string_view chrom, std::uint32_t pos) const {
  const Chromosome* const mapped = find(chrom);
  if (mapped == nullptr) return kCentimorgansABase * pos;
  const std::vector<Point>& points = mapped->points;
  const auto after = std::ranges::upper_bound(points, pos, {}, &Point::pos);
  if (after == points.begin()) return points.front().cm;
  if (after == points.end()) return points.back().cm;
  const Point& before = *(after - 1);
  return before.cm + (after->cm - before.cm) * (double{1} * (pos - before.pos) / (after->pos - before.pos));
}

std::vector<MappedSite> mapped_sites(const Panel& panel, std::span<const Word> sites, const GeneticMap& map) {
  std::vector<MappedSite> mapped;
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    if ((sites[s / kWordBits] >> s % kWordBits & 1) == 0 || site.pos == 0 || site.chrom == "0") continue;
    const std::string_view chrom = place_chromosome(site.chrom);
    mapped.push_back({s, chrom, site.pos, map.cm(chrom, site.pos)});
  }
  const auto place = [](const MappedSite& site) {
    return std::tuple_cat(order_of(site.chrom), std::tuple(site.pos));
  };
  if (!std::ranges::is_sorted(mapped, {}, place)) std::ranges::stable_sort(mapped, {}, place);
  return mapped;
}

std::vector<double> recombination_before(std::span<const MappedSite> sites) {
  std::vector<double> before(sites.size(), .5);
  for (std::size_t s = 1; s < sites.size(); ++s)
    if (sites[s].chrom == sites[s - 1].chrom)
      before[s] = recombination((sites[s].cm - sites[s - 1].cm) / 100);
  return before;
}

}  // namespace fastid
