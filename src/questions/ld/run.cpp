#include "questions/ld/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "asking/counted_sites.hpp"
#include "asking/engines.hpp"
#include "asking/people_file.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/stage_time.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"
#include "bits/turned.hpp"
#include "questions/ld/part.hpp"
#include "questions/ld/people_copies.hpp"
#include "stats/ld.hpp"

namespace fastid::ld {
namespace {

constexpr std::string_view kNoChromosome = "0";  ///< its sites are near to nobody
constexpr std::uint32_t kFewSites = 64;          ///< first sites of pairs that are always looked for at once

/// Numbers first, then X, Y, the pseudo-autosomal region, the mitochondrion, and others by name.
std::pair<int, std::string> chromosome_key(const std::string& chrom) {
  if (const auto number = parse_number<int>(chrom); number && *number > 0) return {*number, ""};
  constexpr std::array<std::string_view, 4> kNamed = {"X", "Y", "PAR", "M"};
  const auto named = std::ranges::find(kNamed, chrom);
  constexpr int kAfterNumbers = 1'000'000;
  return {kAfterNumbers + static_cast<int>(named - kNamed.begin()), named == kNamed.end() ? chrom : ""};
}

/// Places in the order of the genome; sites at one position, and those of unknown position, keep their order.
std::vector<std::uint32_t> genome_order(const std::vector<Site>& sites) {
  std::vector<std::pair<int, std::string>> keys;
  for (const Site& site : sites) keys.push_back(chromosome_key(site.chrom));
  std::vector<std::uint32_t> order(sites.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(keys[a], sites[a].pos) < std::tie(keys[b], sites[b].pos);
  });
  return order;
}

template <class T>
std::vector<T> chosen_of(const std::vector<T>& all, std::span<const std::uint32_t> places) {
  std::vector<T> chosen;
  for (const std::uint32_t at : places) chosen.push_back(all[at]);
  return chosen;
}

/// \param once  people among those called who have one copy
double share_of_minor(engine::LdUnit unit, const engine::LdCounts& own, std::uint32_t once) {
  const double copies = unit == engine::LdUnit::kHaplotypes ? own.called : 2.0 * own.called - once;
  return copies == 0 ? 0 : own.x / copies;
}

std::optional<std::uint32_t> position_of(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ',');
  return parse_number<std::uint32_t>(digits);
}

bool is_in(const SiteRegion& region, const Site& site) {
  return site.chrom == region.chrom && site.pos >= region.begin && site.pos <= region.end;
}

void check(const LdOptions& options) {
  if (!(options.min_r2 >= 0 && options.min_r2 <= 1))
    throw UsageError(fmt::format("--min-r2 is {}; give a number from 0 to 1", options.min_r2));
}

}  // namespace

void check_units(const std::string& file, std::uint64_t n) {
  if (n > engine::kMostLdUnits)
    throw InputError(file, "",
                     fmt::format("holds {} people or haplotypes, more than can be counted", with_commas(n)),
                     fmt::format("give at most {}", with_commas(engine::kMostLdUnits)));
}

std::string SiteRegion::text() const {
  return begin == 0 && end == UINT32_MAX ? chrom : fmt::format("{}:{}-{}", chrom, begin, end);
}

SiteRegion parse_region(const std::string& text) {
  const std::size_t colon = text.rfind(':'), dash = text.rfind('-');
  if (colon == std::string::npos && !text.empty()) return {normal_chromosome(text)};
  if (colon != std::string::npos && colon > 0 && dash != std::string::npos && dash > colon) {
    const std::string_view all = text;
    const auto begin = position_of(all.substr(colon + 1, dash - colon - 1)),
               end = position_of(all.substr(dash + 1));
    if (begin && end && *begin <= *end) return {normal_chromosome(all.substr(0, colon)), *begin, *end};
  }
  throw UsageError(fmt::format(
      "--region {}: is no region; give CHROM or CHROM:BEGIN-END, as 19:45000000-45500000", printable(text)));
}

struct LdSearch::Impl {
  explicit Impl(const LdOptions& asked)
      : options(asked), pool(threads_of(asked)), device_taken(asked.device) {
    options.import.haplotypes = options.phased;
    options.import.pool = &pool;
    if (options.phased) facts.unit = engine::LdUnit::kHaplotypes;
    const asking::PeopleFile file(options.file, options.import);
    facts.sites = file.sites();
    facts.populations = file.panel().populations();
    facts.build = file.panel().build();
    take_people(file.people());
    mask_by_copies(file);
    if (facts.sites.size() < 2 || facts.n_units == 0)
      throw InputError(options.file, "", "holds no two sites of anybody", "give more sites and people");
    order();
    count_own();
    window_end = window_ends();
  }

  /// Made when it is first asked for: a merge of parts takes none. Thread-safe.
  const engine::LdEngine& engine() const {
    std::call_once(engine_once, [&] {
      engine_made = asking::make_ld_engine_on(
          device_taken, {turned->view(), facts.unit, options.min_r2, own, options.every_pair},
          options.every_pair ? std::uint64_t{facts.sites.size()} * facts.sites.size() : n_pairs());
    });
    return *engine_made;
  }

  /// The device of engine().
  const std::string& device() const {
    engine();
    return device_taken.device;
  }

  /// First sites of the pairs that a thread looks for at once: no more than each has partners, since a tile
  /// is a rectangle, and a window is not.
  std::uint32_t piece_sites() const {
    const std::uint32_t most = engine().first_sites();
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(n_pairs() / facts.sites.size(), std::min(kFewSites, most), most));
  }

  static std::size_t threads_of(const LdOptions& options) {
    return threads_or_all(options.device.engine.threads);
  }

  void take_people(const BlockSource& people) {
    if (people.shape().encoding == Encoding::kMinor) {
      facts.unit = engine::LdUnit::kHaplotypes;
      facts.carriers = true;
      log::note("{} says only whether a minor allele was seen: r2 is that of carriers", options.file);
    }
    check_units(options.file, people.shape().n_profiles);
    facts.n_units = static_cast<std::uint32_t>(people.shape().n_profiles);
    turned.emplace(people, pool);
  }

  /// Masks alleles of X, Y and M by the number of copies that each person has.
  void mask_by_copies(const asking::PeopleFile& file) {
    const SiteClasses of_panel(file.panel());
    classes.assign(of_panel.all().begin(), of_panel.all().end());
    exchanged.resize(classes.size());
    if (of_panel.all_autosomal()) return;
    const PeopleCopies copies(file, of_panel, pool);
    exchanged = copies.apply(*turned, pool);
    if (facts.unit == engine::LdUnit::kGenotypes) one_x.assign(copies.one_x().begin(), copies.one_x().end());
    if (const std::string beside = asking::sites_beside(of_panel); !beside.empty())
      log::note("{}: {} counted by the copies of {}", options.file, beside, copies.describe());
  }

  /// Brings the sites into the order of the genome, and leaves out those that are not asked about.
  void order() {
    std::vector<std::uint32_t> order = genome_order(facts.sites);
    std::erase_if(order, [&](std::uint32_t at) { return classes[at] == SiteClass::kNone; });
    if (options.region) {
      std::erase_if(order, [&](std::uint32_t at) { return !is_in(*options.region, facts.sites[at]); });
      if (order.size() < 2)
        throw InputError(options.file, "",
                         fmt::format("holds {} in {}", counted(order.size(), "site"), options.region->text()),
                         "name a region that has two or more");
    }
    if (order.size() == facts.sites.size() && std::ranges::is_sorted(order)) return;
    facts.sites = chosen_of(facts.sites, order);
    classes = chosen_of(classes, order);
    exchanged = chosen_of(exchanged, order);
    for (Population& population : facts.populations)
      population.minor_freq = chosen_of(population.minor_freq, order);
    turned = turned->chosen(order);
  }

  /// Counts every site, for the test and for what is said of it.
  void count_own() {
    own.resize(facts.sites.size());
    pool.for_each(own.size(), [&](std::size_t i, const ThreadPool::Stop&) {
      own[i] = engine::own_counts(facts.unit, turned->view(), i);
    });
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double share = share_of_minor(facts.unit, own[i], called_once(i));
      facts.minor_share.push_back(exchanged[i] ? 1 - share : share);
      facts.called_share.push_back(static_cast<double>(own[i].called) / facts.n_units);
    }
  }
  /// People with one copy of X who are called at a site of X; 0 at other sites.
  std::uint32_t called_once(std::size_t site) const {
    std::uint32_t n = 0;
    if (classes[site] == SiteClass::kX)
      for (std::size_t word = 0; word < one_x.size(); ++word)
        n += static_cast<std::uint32_t>(bits_set(turned->view().called_word(site, word) & one_x[word]));
    return n;
  }

  /// For each site the end of the later sites that are within its window.
  std::vector<std::uint32_t> window_ends() const {
    const auto n = static_cast<std::uint32_t>(facts.sites.size());
    std::vector<std::uint32_t> ends(n, n);
    if (options.window.all) return ends;
    std::uint32_t end = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      end = std::max(end, i + 1);
      while (end < n && within(i, end)) ++end;
      ends[i] = end;
    }
    return ends;
  }
  bool within(std::uint32_t first, std::uint32_t second) const {
    const Site &a = facts.sites[first], &b = facts.sites[second];
    const LdWindow& window = options.window;
    return a.chrom == b.chrom && a.chrom != kNoChromosome &&
           second - first <= window.sites.value_or(UINT32_MAX) &&
           b.pos - a.pos <= window.base_pairs.value_or(UINT64_MAX);
  }

  std::uint64_t n_pairs() const {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < window_end.size(); ++i) n += window_end[i] - i - 1;
    return n;
  }

  /// The first sites of a shard's pairs: those before which shards before it have their share of all pairs.
  Range firsts_of(const Shard& shard) const {
    std::vector<std::uint64_t> before;  // each site's pairs
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < window_end.size(); ++i) {
      before.push_back(n);
      n += window_end[i] - i - 1;
    }
    const auto site_at = [&](std::uint64_t pair) {
      return static_cast<std::uint64_t>(std::ranges::lower_bound(before, pair) - before.begin());
    };
    const Range pairs = share_of(n, shard);
    return {site_at(pairs.first), shard.index == shard.of ? before.size() : site_at(pairs.end)};
  }

  /// What parts rest on besides their options.
  std::vector<part::Basis> basis() const {
    Sha256 digest;
    for (const Site& site : facts.sites)
      digest.update(fmt::format("{}\t{}\t{}\n", site.chrom, site.pos, site.id));
    digest.update(fmt::format("{} {}\n", facts.n_units, facts.what()));
    for (std::size_t block = 0; block < turned->view().shape.n_blocks(); ++block) {
      const std::uint64_t checksum = turned->view().checksum(block);
      digest.update(&checksum, sizeof(checksum));
    }
    return {{"genotypes", digest.hex()}};
  }

  std::uint64_t find(const Range& firsts, bool with_d, const LdSearch::Take& take) const {
    const std::uint32_t of_piece = piece_sites();
    const std::size_t pieces = ceil_div<std::uint64_t>(firsts.size(), of_piece);
    const std::size_t threads = pool.threads();  // the pairs of some pieces are in memory together
    const std::size_t at_once = std::max(threads, 8 * threads * kFewSites / of_piece);
    Progress progress(options.progress, "comparing", "sites", firsts.size());
    std::uint64_t n = 0;
    for (std::size_t first = 0; first < pieces; first += at_once) {
      std::vector<std::vector<SitePair>> found(std::min(at_once, pieces - first));
      pool.for_each(found.size(), [&](std::size_t i, const ThreadPool::Stop&) {
        check_interrupt();
        const std::uint64_t begin = firsts.first + (first + i) * of_piece;
        found[i] = pairs_of({begin, std::min(begin + of_piece, firsts.end)}, with_d);
        progress.add(of_piece);
      });
      for (const std::vector<SitePair>& pairs : found) {
        n += pairs.size();
        take(pairs);
      }
    }
    return n;
  }

  std::uint64_t merge(const part::PartSet& parts, const LdSearch::Take& take) const {
    std::vector<Range> firsts;
    for (std::uint32_t i = 1; i <= parts.size(); ++i)
      firsts.push_back(firsts_of({i, static_cast<std::uint32_t>(parts.size())}));
    const auto is_own = [&](std::size_t i, const SitePair& pair) {
      const auto [first, second, counts] = pair.sites;
      return first >= firsts[i].first && first < firsts[i].end && second > first &&
             second < window_end[first] && pair.r2 >= options.min_r2;
    };
    std::uint64_t n = 0;
    fastid::ld::for_all_linked(parts, is_own, [&](std::span<const SitePair> pairs) {
      check_interrupt();
      n += pairs.size();
      take(pairs);
    });
    return n;
  }

  /// Pairs whose first site is one of a few.
  std::vector<SitePair> pairs_of(const Range& firsts, bool with_d) const {
    const auto begin = static_cast<std::uint32_t>(firsts.first), end = static_cast<std::uint32_t>(firsts.end);
    const InStage comparing(AnswerStage::kCompare);
    std::vector<engine::LdPair> found;
    engine().find({begin, end, begin, window_end[end - 1]}, found);
    std::erase_if(found, [&](const engine::LdPair& pair) { return pair.second >= window_end[pair.first]; });
    std::vector<SitePair> pairs = in_order(found, begin, end);
    if (with_d) put_d(pairs);
    return pairs;
  }

  /// By first, then second site. An engine may find a first site's pairs by their second ones, as the CPU's
  /// does. \param begin, end  of the first sites
  static std::vector<SitePair> in_order(std::span<const engine::LdPair> found, std::uint32_t begin,
                                        std::uint32_t end) {
    std::vector<std::size_t> places(end - begin + 1);  // where each first site's pairs go
    for (const engine::LdPair& pair : found) ++places[pair.first - begin + 1];
    std::partial_sum(places.begin(), places.end(), places.begin());
    std::vector<SitePair> pairs(found.size());
    for (const engine::LdPair& pair : found)
      pairs[places[pair.first - begin]++] = {
          pair, engine::squared_correlation(pair.counts).value_or(0), {}, {}};
    const auto sites = [](const SitePair& pair) { return std::pair(pair.sites.first, pair.sites.second); };
    if (!std::ranges::is_sorted(pairs, {}, sites)) std::ranges::sort(pairs, {}, sites);
    return pairs;
  }

  /// \param pairs  by first, then second site
  void put_d(std::span<SitePair> pairs) const {
    const InStage stage(AnswerStage::kWeigh);
    std::array<engine::GenotypeCells, kLanes> cells;
    for (std::size_t end = 0, begin = 0; begin < pairs.size(); begin = end) {
      const auto [first, second, counts] = pairs[begin].sites;
      while (end < pairs.size() && pairs[end].sites.first == first &&
             pairs[end].sites.second / kLanes == second / kLanes)
        ++end;
      const bool of_block =
          facts.unit == engine::LdUnit::kGenotypes && end - begin > engine::kFewPairsOfBlock;
      if (of_block) engine::count_cells(turned->view(), first, second / kLanes, cells);
      for (SitePair& pair : pairs.subspan(begin, end - begin))
        put_d(pair, of_block ? cells[pair.sites.second % kLanes] : cells_of(pair));
    }
  }

  engine::GenotypeCells cells_of(const SitePair& pair) const {
    if (facts.unit == engine::LdUnit::kHaplotypes) return {};
    return engine::count_cells(turned->view(), pair.sites.first, pair.sites.second);
  }

  void put_d(SitePair& pair, const engine::GenotypeCells& cells) const {
    const auto of_both = facts.unit == engine::LdUnit::kHaplotypes
                             ? stats::of_haplotypes(pair.sites.counts)
                             : disequilibrium_of(pair.sites.first, pair.sites.second, cells);
    if (!of_both) return;
    const double sign = exchanged[pair.sites.first] == exchanged[pair.sites.second] ? 1 : -1;
    pair.d = sign * of_both->d;
    pair.d_prime = sign * of_both->d_prime;
  }

  /// Of genotypes. Who has one copy of two sites of X shows a haplotype; of X and another chromosome only
  /// those with two copies of X count.
  std::optional<stats::Disequilibrium> disequilibrium_of(std::uint32_t first, std::uint32_t second,
                                                         engine::GenotypeCells cells) const {
    const bool of_x = classes[first] == SiteClass::kX, both = classes[second] == classes[first];
    if (one_x.empty() || (!of_x && classes[second] != SiteClass::kX)) return stats::of_genotypes(cells);
    const engine::GenotypeCells single = engine::count_cells(turned->view(), first, second, one_x);
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (std::size_t j = 0; j < cells.size(); ++j) cells[i][j] -= single[i][j];
    if (!both) return stats::of_genotypes(cells);
    return stats::of_genotypes(cells, {{{single[0][0], single[0][1]}, {single[1][0], single[1][1]}}});
  }

  /// r2 of the sites of a rectangle. \param out  [row][site], rows of all sites, from the first row on
  void put_r2(const engine::Rectangle& pairs, std::span<float> out) const {
    std::vector<engine::LdCounts> counts((pairs.row_end - pairs.row_begin) * pairs.columns());
    engine().count(pairs, counts);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::size_t row = i / pairs.columns(), column = pairs.column_begin + i % pairs.columns();
      out[row * facts.sites.size() + column] = static_cast<float>(
          engine::squared_correlation(counts[i]).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
  }

  /// The same of whole rows, on all threads.
  void put_rows(std::uint32_t begin, std::uint32_t end, std::span<float> out) const {
    const engine::LdEngine::CountedPiece of = engine().counted_piece();
    const auto n = static_cast<std::uint32_t>(facts.sites.size());
    const std::size_t across = ceil_div(n, of.columns), down = ceil_div(end - begin, of.rows);
    pool.for_each(across * down, [&](std::size_t piece, const ThreadPool::Stop&) {
      check_interrupt();
      const auto row = static_cast<std::uint32_t>(piece / across) * of.rows;
      const auto column = static_cast<std::uint32_t>(piece % across) * of.columns;
      const engine::Rectangle pairs{begin + row, std::min(begin + row + of.rows, end), column,
                                    std::min(column + of.columns, n)};
      put_r2(pairs, out.subspan(std::size_t{row} * n));
    });
  }

  LdOptions options;
  mutable ThreadPool pool;
  SiteFacts facts;
  std::optional<TurnedBlocks> turned;     ///< the sites as profiles, the people as bits
  std::vector<SiteClass> classes;         ///< of each site
  std::vector<std::uint8_t> exchanged;    ///< of each site: its major alleles are counted, which are rarer
  std::vector<Word> one_x;                ///< people with one copy of X, in words of 32; of genotypes alone
  std::vector<engine::LdCounts> own;      ///< of each site
  std::vector<std::uint32_t> window_end;  ///< of each site: the end of the later sites within its window
  mutable asking::DeviceOptions device_taken;  ///< as asked for; auto becomes what engine() took
  mutable std::once_flag engine_once;          ///< of engine()
  mutable std::unique_ptr<engine::LdEngine> engine_made;
};

LdSearch::LdSearch(const LdOptions& options) {
  check(options);
  impl_ = std::make_unique<Impl>(options);
}
LdSearch::~LdSearch() = default;

const SiteFacts& LdSearch::facts() const {
  return impl_->facts;
}

std::uint64_t LdSearch::n_pairs() const {
  return impl_->n_pairs();
}

std::uint64_t LdSearch::find_all(bool with_d, const Take& take) const {
  return impl_->find({0, impl_->facts.sites.size()}, with_d, take);
}

std::optional<std::uint64_t> LdSearch::find_share(asking::Work& work, const Take& take) const {
  const Impl& of = *impl_;
  std::uint64_t n = 0;
  const asking::Task task{.basis = [&] { return of.basis(); },
                          .run = [&] { n = find_all(true, take); },
                          .run_shard =
                              [&](part::Head& head, part::Writer& to) {
                                head.run.engine = head.run.description = of.device();
                                head.run.workers = of.pool.threads();
                                const std::uint64_t found = of.find(of.firsts_of(head.shard), true,
                                                                    [&](std::span<const SitePair> pairs) {
                                                                      fastid::ld::add_linked(to, pairs);
                                                                    });
                                return counted(found, "pair");
                              },
                          .merge = [&](const part::PartSet& parts) { n = of.merge(parts, take); },
                          .threads = of.pool.threads()};
  return work.finish(task) ? std::optional(n) : std::nullopt;
}

void LdSearch::matrix(const std::function<void(std::span<const float>)>& take) const {
  const Impl& of = *impl_;
  const auto n = static_cast<std::uint32_t>(of.facts.sites.size());
  Progress progress(of.options.progress, "counting r2", "rows", n);
  std::vector<float> strip(checked_mul<std::size_t>(std::min(kStripRows, n), n));
  for (std::uint32_t begin = 0; begin < n; begin += kStripRows) {
    const std::uint32_t end = std::min(begin + kStripRows, n);
    const std::span<float> rows(strip.data(), std::size_t{end - begin} * n);
    of.put_rows(begin, end, rows);
    take(rows);
    progress.add(end - begin);
  }
}

}  // namespace fastid::ld
