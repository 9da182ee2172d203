#include "panel/panel.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <tuple>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

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

void check_site(const Site& site, std::size_t place, std::string_view source) {
  const auto refuse = [&](std::string_view problem, std::string_view cure) {
    throw InputError(source, fmt::format("site {} ('{}')", place + 1, printable(site.id)), problem, cure);
  };
  if (!is_id(site.id))
    refuse("its id is not 1 to 255 printable characters without blanks or a leading '#'", "rename it");
  if (!is_chromosome(site.chrom))
    refuse(fmt::format("chromosome '{}' is not a name", printable(site.chrom)),
           "write 1 to 22, X, Y, M or 0");
  if (complement(site.major) == 0 || complement(site.minor) == 0 || site.major == site.minor)
    refuse("major and minor must be two different letters of A, C, G, T", "leave the site out or mend it");
}

/// Bytes of a number as every machine writes them into the checksum.
void update_with(Sha256& sha, double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  unsigned char bytes[sizeof bits];
  for (unsigned char& byte : bytes) {
    byte = static_cast<unsigned char>(bits & 0xFF);
    bits >>= 8;
  }
  sha.update(bytes, sizeof bytes);
}

}  // namespace

Panel::Panel(std::vector<Site> sites, std::vector<Population> populations, GenomeBuild build,
             std::string_view source)
    : sites_(std::move(sites)), populations_(std::move(populations)), build_(build) {
  check_sites(source);
  check_populations(source);
  index_sites(source);
  sha256_ = compute_sha256();
}

void Panel::check_sites(std::string_view source) const {
  if (sites_.empty()) throw InputError(source, "", "the panel has no sites", "give at least one");
  if (sites_.size() > kMostSites)
    throw InputError(source, "", fmt::format("the panel has {} sites", with_commas(sites_.size())),
                     fmt::format("fastid takes at most {}", with_commas(kMostSites)));
  for (std::size_t s = 0; s < sites_.size(); ++s) check_site(sites_[s], s, source);
}

void Panel::check_populations(std::string_view source) const {
  for (std::size_t p = 0; p < populations_.size(); ++p) {
    const std::string& name = populations_[p].name;
    const std::vector<double>& freq = populations_[p].minor_freq;
    const std::string place = fmt::format("population '{}'", printable(name));
    if (!is_population(name))
      throw InputError(source, place, "a population's name is 1 to 64 of A-Z a-z 0-9 _ . -", "rename it");
    const auto same_name = [&](const Population& other) { return other.name == name; };
    if (std::any_of(populations_.begin(), populations_.begin() + static_cast<std::ptrdiff_t>(p), same_name))
      throw InputError(source, place, "is given twice", "rename one");
    if (freq.size() != sites_.size())
      throw InputError(source, place, "does not have one frequency for each site", "complete it");
    for (std::size_t s = 0; s < freq.size(); ++s)
      if (!(freq[s] >= 0 && freq[s] <= 1))
        throw InputError(source, fmt::format("site {} ('{}')", s + 1, printable(sites_[s].id)),
                         fmt::format("its frequency in '{}' is not between 0 and 1", name), "mend it");
  }
}

void Panel::index_sites(std::string_view source) {
  by_id_.resize(sites_.size());
  std::iota(by_id_.begin(), by_id_.end(), 0u);
  const auto id = [this](std::uint32_t s) -> std::string_view { return sites_[s].id; };
  std::ranges::stable_sort(by_id_, {}, id);
  const auto twin = std::ranges::adjacent_find(by_id_, {}, id);
  if (twin != by_id_.end())
    throw InputError(source, fmt::format("sites {} and {}", twin[0] + 1, twin[1] + 1),
                     fmt::format("both have the id '{}'", id(*twin)), "rename or remove one");

  for (std::uint32_t s = 0; s < sites_.size(); ++s)
    if (sites_[s].pos != 0 && sites_[s].chrom != "0") by_position_.push_back(s);
  std::ranges::stable_sort(by_position_, {}, [this](std::uint32_t s) {
    return std::tuple<std::string_view, std::uint32_t>(sites_[s].chrom, sites_[s].pos);
  });
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
  const auto position = [this](std::uint32_t s) { return Position(sites_[s].chrom, sites_[s].pos); };
  const auto first = std::ranges::lower_bound(by_position_, Position(chrom, begin), {}, position);
  const auto last = std::ranges::upper_bound(by_position_, Position(chrom, end), {}, position);
  return {first, last};
}

std::string Panel::compute_sha256() const {
  Sha256 sha;
  sha.update(fmt::format("fastid-panel 1\nbuild {}\n", name_of(build_)));
  fmt::memory_buffer line;
  for (const Site& site : sites_) {
    line.clear();
    fmt::format_to(fmt::appender(line), FMT_COMPILE("{}\t{}\t{}\t{}\t{}\n"), site.id, site.chrom, site.pos,
                   site.major, site.minor);
    sha.update(line.data(), line.size());
  }
  for (const auto& [name, freq] : populations_) {
    sha.update(fmt::format("population {}\n", name));
    for (const double value : freq) update_with(sha, value);
  }
  return sha.hex();
}

}  // namespace fastid
