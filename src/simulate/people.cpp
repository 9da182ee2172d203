#include "simulate/people.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "panel/population_name.hpp"
#include "simulate/internal/class_streams.hpp"

namespace fastid::simulate {
namespace {

static_assert(kMostPopulations <= kMostGroups);

constexpr std::uint32_t kChromosomes = 22;
constexpr std::uint32_t kFirstPosition = 1'000'000;
constexpr std::uint32_t kSpan = 45'000'000;  ///< fits the smallest autosome, 21

constexpr std::uint64_t kMillionths = 1'000'000;  ///< frequencies have six decimals
constexpr std::uint64_t kRarest = kMillionths / 20, kCommonest = kMillionths / 2;

SiteAlleles halves(std::uint64_t draw) {
  return {static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32)};
}

/// Reads alleles of a site as the other ones; an only copy is read once. \param misread  a bit for each
/// allele
void misread_site(const SiteAlleles& misread, const LaneCopies& copies, SiteAlleles& site) {
  site.first ^= misread.first;
  site.second ^= (misread.second & copies.two) | (misread.first & ~copies.two);
}

/// One of 32 people.
class Lane {
 public:
  explicit Lane(std::uint64_t lane) : bit_(std::uint32_t{1} << lane) {}

  /// \param first, second  0 or 1 in the lowest bit; other bits are ignored
  void put(SiteAlleles& site, std::uint32_t first, std::uint32_t second) const {
    site.first = (site.first & ~bit_) | ((first & 1) != 0 ? bit_ : 0);
    site.second = (site.second & ~bit_) | ((second & 1) != 0 ? bit_ : 0);
  }

 private:
  std::uint32_t bit_;
};

}  // namespace

Panel simulate_panel(std::uint32_t n_sites, std::uint64_t seed) {
  static constexpr std::string_view kLetters = "ACGT";
  Stream stream(seed, Purpose::kPanel, 0);
  std::vector<Site> sites;
  Population population{"simulated", {}};
  const std::uint32_t per_chromosome = n_sites / kChromosomes + 1;
  const std::uint32_t step = std::max(1u, kSpan / per_chromosome);
  for (std::uint32_t s = 0; s < n_sites; ++s) {
    const std::uint64_t major = stream.below(4), minor = (major + 1 + stream.below(3)) % 4;
    sites.push_back({fmt::format("sim{:06}", s + 1), std::to_string(1 + s / per_chromosome),
                     kFirstPosition + s % per_chromosome * step, kLetters[major], kLetters[minor]});
    population.minor_freq.push_back(static_cast<double>(kRarest + stream.below(kCommonest - kRarest + 1)) /
                                    static_cast<double>(kMillionths));
  }
  return Panel(std::move(sites), {std::move(population)}, GenomeBuild::kUnknown, "simulated panel");
}

Panel autosomal_panel(const Panel& panel) {
  std::vector<Site> sites;
  std::vector<Population> populations;
  for (const Population& of : panel.populations()) populations.push_back({of.name, {}});
  for (const std::uint32_t s : SiteClasses(panel).sites(SiteClass::kAutosomal)) {
    sites.push_back(panel.sites()[s]);
    for (std::size_t p = 0; p < populations.size(); ++p)
      populations[p].minor_freq.push_back(panel.populations()[p].minor_freq[s]);
  }
  return Panel(std::move(sites), std::move(populations), panel.build(), "autosomal sites");
}

const std::vector<double>& frequencies_of(const Panel& panel, const std::string& population,
                                          const std::string& source) {
  if (panel.populations().empty())
    throw InputError(source, "", "the panel has no frequencies to simulate from",
                     "add a column of minor-allele frequencies, named by its population");
  if (population.empty()) return panel.populations().front().minor_freq;
  if (const Population* const found = find_population(panel, population)) return found->minor_freq;
  std::string names;
  for (const Population& known : panel.populations()) names += (names.empty() ? "" : ", ") + known.name;
  throw InputError(source, "", fmt::format("the panel has no population '{}'", printable(population)),
                   "it has " + names);
}

LaneCopies copies_at(SiteClass site_class, std::uint32_t men) {
  const auto lanes = [&](unsigned least) {
    return (copies_of(site_class, Sex::kMale) >= least ? men : 0) |
           (copies_of(site_class, Sex::kFemale) >= least ? ~men : 0);
  };
  return {lanes(1), lanes(2)};
}

People::People(const Panel& panel, const std::vector<std::vector<double>>& minor_freqs, Rates rates,
               std::uint64_t seed, Relatives relatives, Meioses meioses)
    : classes_(panel),
      n_populations_(minor_freqs.size()),
      no_call_(rates.no_call),
      error_(rates.error),
      duplicate_error_(rates.duplicate_error),
      seed_(seed),
      relatives_(std::move(relatives)) {
  if (meioses == Meioses::kLinked && !relatives_.all().empty()) crossovers_.emplace(panel, classes_);
  for (std::size_t s = 0; s < minor_freqs[0].size(); ++s)
    for (const std::vector<double>& population : minor_freqs) minor_.emplace_back(population[s]);
  for (const std::uint32_t s : classes_.sites(SiteClass::kX)) x_.push_back({s, panel.sites()[s].pos});
  std::ranges::stable_sort(x_, {}, &SiteOfX::pos);
  for (const auto& [of, haplotypes] : {std::pair(SiteClass::kY, &y_), std::pair(SiteClass::kM, &m_)}) {
    if (!classes_.has(of)) continue;
    haplotypes->sites = classes_.sites(of);
    for (std::size_t k = 0; k < n_populations_; ++k) {
      std::vector<double> freq;
      for (const std::uint32_t s : haplotypes->sites) freq.push_back(minor_freqs[k][s]);
      haplotypes->lineages.emplace_back(
          freq, Stream(seed, Purpose::kTrees, kSiteClasses * k + static_cast<std::size_t>(of)));
    }
  }
}

bool People::has_sexes() const {
  return classes_.has(SiteClass::kX) || classes_.has(SiteClass::kY) || classes_.has(SiteClass::kM);
}

bool People::all_called() const {
  return no_call_.never() && !classes_.has(SiteClass::kY) && !classes_.has(SiteClass::kNone);
}

LanePopulations People::draw_populations(const Draws& draws, std::uint64_t block) const {
  LanePopulations populations{};
  if (n_populations_ == 1) return populations;
  Stream stream(seed_, draws.populations, block);
  for (std::uint8_t& population : populations)
    population = static_cast<std::uint8_t>(stream.below(n_populations_));
  return populations;
}

LanePopulations People::populations_of(std::uint64_t block) const {
  LanePopulations populations = draw_populations(kStored, block);
  for (const Plant& plant : relatives_.in_block(block))
    populations[plant.row % kLanes] = draw_populations(kStored, plant.of / kLanes)[plant.of % kLanes];
  return populations;
}

std::uint32_t People::draw_men(const Draws& draws, std::uint64_t block) const {
  return static_cast<std::uint32_t>(Stream(seed_, draws.sexes, block).next());
}

Sex People::drawn_sex(std::uint64_t row) const {
  return (draw_men(kStored, row / kLanes) >> row % kLanes & 1) != 0 ? Sex::kMale : Sex::kFemale;
}

std::uint32_t People::men(std::uint64_t block) const {
  std::uint32_t men = draw_men(kStored, block);
  for (const Plant& plant : relatives_.in_block(block)) {
    const std::uint32_t here = std::uint32_t{1} << plant.row % kLanes;
    men = kind(plant).second == Sex::kMale ? men | here : men & ~here;
  }
  return men;
}

std::uint32_t People::absent_men(std::uint64_t block) const {
  return draw_men(kAbsent, block);
}

Sex People::sex(std::uint64_t row) const {
  return (men(row / kLanes) >> row % kLanes & 1) != 0 ? Sex::kMale : Sex::kFemale;
}

const stats::XKind& People::kind(const Plant& plant) const {
  const bool same = plant.relation == Relation::kDuplicate || plant.relation == Relation::kTwin;
  const Sex relative = drawn_sex(plant.of);
  return kind_of(plant, relative, same ? relative : drawn_sex(plant.row), seed_);
}

std::vector<SiteAlleles> People::draw_alleles(const Draws& draws, std::uint64_t block) const {
  const LanePopulations populations = draw_populations(draws, block);
  // For each population, a mask of its lanes for both alleles.
  std::array<std::uint64_t, kMostPopulations> lanes{};
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    lanes[populations[lane]] |= std::uint64_t{0x1'0000'0001} << lane;
  const std::span<const std::uint64_t> groups(lanes.data(), n_populations_);
  ClassStreams streams(seed_, draws.alleles, block);
  std::vector<SiteAlleles> alleles(n_sites());
  for (std::size_t s = 0; s < alleles.size(); ++s) {
    const SiteClass of = classes_.of(s);
    if (of != SiteClass::kAutosomal && of != SiteClass::kX) continue;
    Stream& stream = streams.of(of);
    alleles[s] = halves(n_populations_ == 1 ? minor_[s].draw(stream) : draw_mixed(minor(s), groups, stream));
  }
  if (has_sexes()) draw_single_copies(draws, populations, block, alleles);
  return alleles;
}

/// Leaves men one copy of X, and gives everybody haplotypes of Y and of M.
void People::draw_single_copies(const Draws& draws, const LanePopulations& populations, std::uint64_t block,
                                std::vector<SiteAlleles>& alleles) const {
  const std::uint32_t men = draw_men(draws, block);
  for (const SiteOfX& x : x_) {
    SiteAlleles& site = alleles[x.site];
    site.first = (site.first & ~men) | (site.second & men);
  }
  Stream lines(seed_, draws.lines, block);
  for (const Haplotypes* const haplotypes : {&y_, &m_})
    for (std::size_t lane = 0; lane < kLanes && !haplotypes->sites.empty(); ++lane) {
      const Lineages& lineages = haplotypes->lineages[populations[lane]];
      const std::size_t leaf = Lineages::draw(lines);
      for (std::size_t i = 0; i < haplotypes->sites.size(); ++i) {
        SiteAlleles& site = alleles[haplotypes->sites[i]];
        site.first = site.second |= std::uint32_t{lineages.minor(leaf, i)} << lane;
      }
    }
}

std::vector<SharedAlleles> People::descent(const Plant& plant) const {
  return descent_of(plant, classes_.count(SiteClass::kAutosomal), crossovers_ ? &*crossovers_ : nullptr,
                    seed_);
}

/// Writes a plant into its lane: some alleles come from its relative by descent, the others are drawn anew.
void People::plant(const Plant& plant, std::vector<SiteAlleles>& alleles) const {
  const std::uint64_t block = plant.of / kLanes, lane = plant.of % kLanes;
  const std::size_t population = draw_populations(kStored, block)[lane];
  std::vector<SiteAlleles> of = draw_alleles(kStored, block);
  for (SiteAlleles& site : of) site = {site.first >> lane & 1, site.second >> lane & 1};
  const Lane own(plant.row % kLanes);
  ClassStreams fresh(seed_, Purpose::kRelatives, plant.row);
  const std::vector<SharedAlleles> descent = this->descent(plant);
  auto next = descent.begin();
  for (std::size_t s = 0; s < alleles.size(); ++s) {
    if (classes_.of(s) != SiteClass::kAutosomal) continue;
    const SiteAlleles drawn = halves(minor(s)[population].draw(fresh.of(SiteClass::kAutosomal)));
    const SharedAlleles shared = *next++;
    own.put(alleles[s], shared.first ? of[s].first : drawn.first,
            shared.second ? of[s].second : drawn.second);
  }
  if (has_sexes()) plant_beside(plant, population, of, fresh.of(SiteClass::kX), alleles);
}

/// Writes X, Y and M of a plant. \param of  the relative's alleles \param fresh  draws the alleles that do
/// not come from the relative
void People::plant_beside(const Plant& plant, std::size_t population, const std::vector<SiteAlleles>& of,
                          Stream& fresh, std::vector<SiteAlleles>& alleles) const {
  const Lane own(plant.row % kLanes);
  const stats::XKind& kind = this->kind(plant);
  DescentOfX descent(plant, kind, seed_);
  for (const auto& [s, pos] : x_) {
    const SiteAlleles drawn = halves(minor(s)[population].draw(fresh));
    const std::array theirs{of[s].first, of[s].second};
    const auto& [first, second] = descent.next(pos);
    const std::uint32_t a = first == stats::kNotShared ? drawn.first : theirs[first],
                        b = second == stats::kNotShared ? drawn.second : theirs[second];
    own.put(alleles[s], a, kind.second == Sex::kMale ? a : b);
  }
  for (const auto& [haplotypes, of_relative] :
       {std::pair(&y_, kind.paternal_line), std::pair(&m_, kind.maternal_line)}) {
    const std::size_t leaf = Lineages::draw(fresh);
    for (std::size_t i = 0; i < haplotypes->sites.size(); ++i) {
      const std::uint32_t s = haplotypes->sites[i];
      const std::uint32_t allele =
          of_relative ? of[s].first : std::uint32_t{haplotypes->lineages[population].minor(leaf, i)};
      own.put(alleles[s], allele, allele);
    }
  }
}

std::vector<SiteAlleles> People::alleles(std::uint64_t block) const {
  std::vector<SiteAlleles> alleles = draw_alleles(kStored, block);
  for (const Plant& one : relatives_.in_block(block)) plant(one, alleles);
  return alleles;
}

std::vector<SiteAlleles> People::absent_alleles(std::uint64_t block) const {
  return draw_alleles(kAbsent, block);
}

/// Misreads duplicates once more, since a second sample of a person has its own errors.
void People::misread_duplicates(std::uint64_t block, std::vector<SiteAlleles>& alleles) const {
  for (const Plant& plant : relatives_.in_block(block)) {
    if (plant.relation != Relation::kDuplicate) continue;
    ClassStreams streams(seed_, Purpose::kDuplicateErrors, plant.row);
    const std::uint32_t here = std::uint32_t{1} << plant.row % kLanes,
                        man = kind(plant).second == Sex::kMale ? here : 0;
    for (std::size_t s = 0; s < alleles.size(); ++s) {
      const SiteClass of = classes_.of(s);
      const std::uint64_t misread = duplicate_error_.draw(streams.of(of));
      misread_site({(misread & 1) != 0 ? here : 0, (misread & 2) != 0 ? here : 0}, copies_at(of, man),
                   alleles[s]);
    }
  }
}

void People::observe(std::uint64_t block, std::uint32_t lanes, Encoding encoding, Word* bits,
                     Word* second) const {
  std::vector<SiteAlleles> sites = alleles(block);
  misread_duplicates(block, sites);
  ClassStreams errors(seed_, Purpose::kErrors, block), calls(seed_, Purpose::kCalls, block);
  const Word used = lanes >= kLanes ? ~Word{0} : (Word{1} << lanes) - 1;
  const std::uint32_t men = has_sexes() ? this->men(block) : 0;
  std::array<LaneCopies, kSiteClasses> copies_of_class{};
  for (std::size_t of = 0; of < kSiteClasses; ++of)
    copies_of_class[of] = copies_at(static_cast<SiteClass>(of), men);
  for (std::uint32_t first = 0; first < n_sites(); first += kWordBits) {
    std::array<Word, 32> minor{}, other{};  // the planes, a word a site
    const std::uint32_t n = std::min<std::uint32_t>(kWordBits, n_sites() - first);
    for (std::uint32_t i = 0; i < n; ++i) {
      const SiteClass of = classes_.of(first + i);
      const LaneCopies& copies = copies_of_class[static_cast<std::size_t>(of)];
      SiteAlleles& site = sites[first + i];
      misread_site(halves(error_.draw(errors.of(of))), copies, site);
      const Word read = used & copies.any & ~halves(no_call_.draw(calls.of(of))).first;
      minor[i] = (site.first | site.second) & read;
      other[i] = encoding == Encoding::kAlleles ? ~(site.first & site.second) & read : read;
    }
    transpose32(minor.data());
    transpose32(other.data());
    bits = std::copy(minor.begin(), minor.end(), bits);
    if (second != nullptr) second = std::copy(other.begin(), other.end(), second);
  }
}

void observe_blocks(const People& people, std::uint64_t first_block, const BlockShape& shape,
                    ThreadPool& pool, Word* bits, Word* second) {
  const std::size_t words = shape.block_words();
  pool.for_each(shape.n_blocks(), [&](std::size_t b, const ThreadPool::Stop&) {
    const std::uint64_t left = shape.n_profiles - b * kLanes;
    people.observe(first_block + b, static_cast<std::uint32_t>(std::min<std::uint64_t>(kLanes, left)),
                   shape.encoding, bits + b * words, second == nullptr ? nullptr : second + b * words);
  });
}

}  // namespace fastid::simulate
