#include "panel/panel.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "panel/site_class.hpp"

namespace fastid {
namespace {

constexpr std::size_t kLongestId = 255;
constexpr std::size_t kLongestPopulation = 64;

bool is_graphic(char c) {
  return c > 0x20 && c < 0x7F;
}

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kLongestId && id.front() != '#' && std::ranges::all_of(id, is_graphic);
}

bool is_chromosome(std::string_view chrom) {
  return chrom.size() <= kLongestId && std::ranges::all_of(chrom, is_graphic) &&
         normal_chromosome(chrom) == chrom;
}

bool is_population(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '.' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestPopulation && name != "." && name != ".." &&
         std::ranges::all_of(name, fits);
}

/// \param checked  a chromosome that was checked before: most sites have the same one as the site before
void check_site(const Site& site, std::string_view checked, std::size_t place, std::string_view source) {
  const auto refuse = [&](std::string_view problem, std::string_view cure) {
    throw InputError(source, fmt::format("site {} ('{}')", place + 1, printable(site.id)), problem, cure);
  };
  if (!is_id(site.id))
    refuse("its id is not 1 to 255 printable characters without blanks or a leading '#'", "rename it");
  if (site.chrom != checked && !is_chromosome(site.chrom))
    refuse(fmt::format("chromosome '{}' is not a name", printable(site.chrom)),
           "write 1 to 22, X, Y, M or 0");
  if (complement(site.major) == 0 || complement(site.minor) == 0 || site.major == site.minor)
    refuse("major and minor must be two different letters of A, C, G, T", "leave the site out or mend it");
}

/// The first eight bytes of an id as a number that sorts in the same order.
std::uint64_t head_of(std::string_view id) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < sizeof head; ++i)
    head = head << 8 | (i < id.size() ? static_cast<unsigned char>(id[i]) : 0u);
  return head;
}

/// Appends the bytes of a number in the order that the checksum uses on every machine.
void append_bytes(fmt::memory_buffer& to, double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < sizeof bits; ++i, bits >>= 8) to.push_back(static_cast<char>(bits & 0xFF));
}

/// Passes the gathered bytes on to the checksum once there are `least`: in large pieces, since each call
/// costs as much as hashing many bytes.
void hand_over(fmt::memory_buffer& gathered, Sha256& sha, std::size_t least) {
  if (gathered.size() < least) return;
  sha.update(gathered.data(), gathered.size());
  gathered.clear();
}

}  // namespace

Panel::Panel(std::vector<Site> sites, std::vector<Population> populations, GenomeBuild build,
             std::string_view source)
    : sites_(std::move(sites)), populations_(std::move(populations)), build_(build) {
  check_sites(source);
  check_populations(source);
  index_ids(source);
  index_positions();
  sha256_ = compute_sha256();
}

void Panel::check_sites(std::string_view source) const {
  if (sites_.empty()) throw InputError(source, "", "the panel has no sites", "give at least one");
  if (sites_.size() > kMostSites)
    throw InputError(source, "", fmt::format("the panel has {} sites", with_commas(sites_.size())),
                     fmt::format("fastid takes at most {}", with_commas(kMostSites)));
  std::string_view checked = "0";  // a valid name
  for (std::size_t s = 0; s < sites_.size(); checked = sites_[s++].chrom)
    check_site(sites_[s], checked, s, source);
}

void Panel::check_populations(std::string_view source) const {
  if (populations_.size() > kMostPanelPopulations)
    throw InputError(
        source, "", fmt::format("the panel has {} populations", with_commas(populations_.size())),
        fmt::format("leave some out: fastid takes at most {}", with_commas(kMostPanelPopulations)));
  for (std::size_t p = 0; p < populations_.size(); ++p) {
    const std::string& name = populations_[p].name;
    const std::vector<double>& freq = populations_[p].minor_freq;
    const std::string place = fmt::format("population '{}'", printable(name));
    if (!is_population(name))
      throw InputError(source, place, "a population's name is 1 to 64 of A-Z a-z 0-9 _ . -", "rename it");
    const auto same_name = [&](const Population& other) { return other.name == name; };
    if (std::any_of(populations_.begin(), populations_.begin() + static_cast<std::ptrdiff_t>(p), same_name))
      throw InputError(source, place, "is given twice", "rename one");
    const std::size_t counted = populations_[p].counted.size();
    if (freq.size() != sites_.size() || (counted > 0 && counted != sites_.size()))
      throw InputError(source, place, "does not have one frequency for each site", "complete it");
    for (std::size_t s = 0; s < freq.size(); ++s)
      if (!(freq[s] >= 0 && freq[s] <= 1))
        throw InputError(source, fmt::format("site {} ('{}')", s + 1, printable(sites_[s].id)),
                         fmt::format("its frequency in '{}' is not between 0 and 1", name), "mend it");
  }
}

void Panel::index_ids(std::string_view source) {
  struct Key {
    std::uint64_t head;
    std::uint32_t site;
  };
  std::vector<Key> keys;
  keys.reserve(sites_.size());
  for (std::uint32_t s = 0; s < sites_.size(); ++s) keys.push_back({head_of(sites_[s].id), s});
  const auto before = [this](const Key& a, const Key& b) {
    return a.head != b.head ? a.head < b.head : sites_[a.site].id < sites_[b.site].id;
  };
  if (!std::ranges::is_sorted(keys, before)) std::ranges::stable_sort(keys, before);
  by_id_.reserve(keys.size());
  for (const Key& key : keys) by_id_.push_back(key.site);
  const auto id = [this](std::uint32_t s) -> std::string_view { return sites_[s].id; };
  const auto twin = std::ranges::adjacent_find(by_id_, {}, id);
  if (twin != by_id_.end())
    throw InputError(source, fmt::format("sites {} and {}", twin[0] + 1, twin[1] + 1),
                     fmt::format("both have the id '{}'", id(*twin)), "rename or remove one");
}

/// Makes use of the fact that the sites of a chromosome are mostly together and in order.
void Panel::index_positions() {
  std::map<std::string_view, std::vector<std::uint32_t>> of_chromosome;
  for (std::uint32_t s = 0; s < sites_.size();) {
    const std::string_view chrom = sites_[s].chrom;
    std::vector<std::uint32_t>& places = of_chromosome[place_chromosome(chrom)];
    for (; s < sites_.size() && sites_[s].chrom == chrom; ++s)
      if (sites_[s].pos != 0 && chrom != "0") places.push_back(s);
  }
  const auto pos = [this](std::uint32_t s) { return sites_[s].pos; };
  by_position_.reserve(sites_.size());
  for (auto& [chrom, places] : of_chromosome) {
    if (!std::ranges::is_sorted(places, {}, pos)) std::ranges::stable_sort(places, {}, pos);
    by_position_.insert(by_position_.end(), places.begin(), places.end());
  }
}

std::optional<std::uint32_t> Panel::find_id(std::string_view id) const {
  const auto id_of = [this](std::uint32_t s) -> std::string_view { return sites_[s].id; };
  const auto found = std::ranges::lower_bound(by_id_, id, {}, id_of);
  if (found == by_id_.end() || id_of(*found) != id) return std::nullopt;
  return *found;
}

std::span<const std::uint32_t> Panel::find_position(std::string_view chrom, std::uint32_t pos) const {
  return find_range(chrom, pos, pos);
}

std::span<const std::uint32_t> Panel::find_range(std::string_view chrom, std::uint32_t begin,
                                                 std::uint32_t end) const {
  if (end < begin) return {};
  using Position = std::tuple<std::string_view, std::uint32_t>;
  const auto position = [this](std::uint32_t s) {
    return Position(place_chromosome(sites_[s].chrom), sites_[s].pos);
  };
  const std::string_view place = place_chromosome(chrom);
  const auto first = std::ranges::lower_bound(by_position_, Position(place, begin), {}, position);
  const auto last = std::ranges::upper_bound(by_position_, Position(place, end), {}, position);
  return {first, last};
}

std::optional<std::uint32_t> Panel::median_distance() const {
  std::vector<std::uint32_t> distances;
  const Site* before = nullptr;
  for (const std::uint32_t place : by_position_) {
    const Site& here = sites_[place];
    if (class_of(here.chrom, here.pos, build_) != SiteClass::kAutosomal) continue;
    if (before != nullptr && place_chromosome(before->chrom) == place_chromosome(here.chrom))
      distances.push_back(here.pos - before->pos);
    before = &here;
  }
  if (distances.empty()) return std::nullopt;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::ranges::nth_element(distances, middle);
  return *middle;
}

std::string_view Panel::only_chromosome() const {
  if (by_position_.empty()) return {};
  const std::string_view first = place_chromosome(sites_[by_position_.front()].chrom);
  // by_position_ is sorted by chromosome.
  return place_chromosome(sites_[by_position_.back()].chrom) == first ? first : std::string_view();
}

std::string density_warning(const Panel& panel) {
  constexpr std::uint32_t kLinked = 50'000;
  const auto distance = panel.median_distance();
  if (!distance || *distance >= kLinked) return {};
  return fmt::format(
      "the panel's sites lie {} base pairs apart at the median: below {} they are linked, and evidence is "
      "overstated; weigh blocks of them as one (fastid ld --blocks 0.1, then --blocks FILE), or build a "
      "database of "
      "unlinked ones (fastid ld --prune 0.1, then db build --sites FILE)",
      with_commas(*distance), with_commas(kLinked));
}

std::string Panel::compute_sha256() const {
  constexpr std::size_t kPiece = std::size_t{1} << 14;
  Sha256 sha;
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), "fastid-panel 1\nbuild {}\n", name_of(build_));
  for (const Site& site : sites_) {
    fmt::format_to(fmt::appender(text), FMT_COMPILE("{}\t{}\t{}\t{}\t{}\n"), site.id, site.chrom, site.pos,
                   site.major, site.minor);
    hand_over(text, sha, kPiece);
  }
  for (const Population& population : populations_) {
    fmt::format_to(fmt::appender(text), "population {}\n", population.name);
    for (const double value : population.minor_freq) {
      append_bytes(text, value);
      hand_over(text, sha, kPiece);
    }
  }
  hand_over(text, sha, 0);
  return sha.hex();
}

}  // namespace fastid
