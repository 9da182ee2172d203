#include "questions/pairs/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "asking/father_and_son.hpp"
#include "asking/stored_profiles.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/stage_time.hpp"
#include "base/text.hpp"
#include "bits/block_range.hpp"
#include "bits/kept_sites.hpp"
#include "pipeline/all_pairs.hpp"
#include "pipeline/pair_tiles.hpp"
#include "pipeline/search.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/stream.hpp"
#include "questions/pairs/findings.hpp"
#include "questions/pairs/naming.hpp"
#include "questions/pairs/part.hpp"
#include "questions/pairs/question.hpp"

namespace fastid::pairs {
namespace {

void take_all(std::span<const match::NamedPair> pairs, asking::FathersAndSons& men) {
  for (const match::NamedPair& of : pairs) men.take(of.pair.relation, of.beside, of.first, of.second);
}

/// Whether a row of the database is at one of these places of a side.
bool holds(const PairSide& side, const Range& places, std::uint64_t row) {
  const std::uint64_t place = side.places_below(row);
  return place >= places.first && place < places.end && side.row(place) == row;
}

}  // namespace

struct PairSearch::Impl : PairQuestion {
  using PairQuestion::PairQuestion;

  /// A block with some of a strip's pairs: the pairs' places in the strip, by query and row, and, where pairs
  /// are weighed, the profiles of the pairs' rows.
  struct PairsOfBlock {
    std::vector<std::size_t> pairs;
    std::vector<std::uint64_t> lanes;
    ProfileRows profiles{0, 0};

    RowView profile(std::uint64_t row) const {
      const auto lane = std::ranges::lower_bound(lanes, row % kLanes);
      return profiles.row(static_cast<std::size_t>(lane - lanes.begin()));
    }
  };
  using Blocks = std::map<std::uint64_t, PairsOfBlock>;

  static Blocks by_block(std::span<const engine::Pair> pairs) {
    Blocks blocks;
    for (std::size_t i = 0; i < pairs.size(); ++i) blocks[pairs[i].row / kLanes].pairs.push_back(i);
    return blocks;
  }

  /// Query profiles, and their places among the columns.
  struct Asked {
    engine::Problem problem;
    std::vector<std::uint64_t> columns;
  };

  /// Counts the pairs of a block again.
  void count(const Asked& asked, const match::Blame& blame, std::span<const engine::Pair> pairs,
             PairsOfBlock& of_block, std::span<match::ClosePair> found) const {
    const InStage stage(AnswerStage::kVerify);
    BlockReader blocks(sides.rows().source());
    const BlocksView block = blocks.block_of(pairs[of_block.pairs.front()].row);
    pipeline::Recount recount(asked.problem, blame);
    std::array<engine::GenotypeCounts, kLanes> counts;
    std::size_t query = SIZE_MAX;
    for (const std::size_t i : of_block.pairs) {
      const engine::Pair& pair = pairs[i];
      found[i] = {.first = sides.columns().row(asked.columns[pair.query]),
                  .second = sides.rows().row(pair.row),
                  .compared = pair.counts.compared,
                  .differing = pair.counts.count};
      if (facts.by != Encoding::kAlleles) {
        recount.check(block, pair);
        continue;
      }
      if (query != pair.query)
        engine::count_genotypes(asked.problem.queries->row(query = pair.query), block, counts);
      const engine::GenotypeCounts& of = counts[pair.row % kLanes];
      if (!screened) recount.hold(pair, pipeline::counts_of(asked.problem.comparison, of));
      found[i].compared = of.compared;
      found[i].differing = of.alleles_apart();
      found[i].both_het = of.both_het;
      found[i].ibs0 = of.ibs0;
      found[i].kinship = stats::king_kinship(of).value_or(NAN);
    }
    if (!weighs()) return;
    for (const std::size_t i : of_block.pairs) of_block.lanes.push_back(pairs[i].row % kLanes);
    std::ranges::sort(of_block.lanes);
    of_block.lanes.erase(std::unique(of_block.lanes.begin(), of_block.lanes.end()), of_block.lanes.end());
    of_block.profiles = ProfileRows::from_blocks(block, of_block.lanes);
  }

  bool weighs() const { return facts.along_map() || (relations && relations->available()); }

  /// Weighs some pairs of one query along the map. Shared lengths are found only for listed pairs.
  void weigh_along_map(const RowView& asked, std::span<const RowView> stored,
                       std::span<match::ClosePair> found) const {
    std::vector<asking::LinkedFindings> weighed = linked->weigh(asked, stored);
    std::map<std::size_t, std::vector<std::size_t>> listed;  // by population
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t population = weighed[i].population;
      put_findings(std::move(weighed[i]), facts.n_pairs, found[i]);
      if (passes(found[i])) listed[population].push_back(i);
    }
    for (const auto& [population, pairs] : listed) {
      std::vector<RowView> others;
      for (const std::size_t i : pairs) others.push_back(stored[i]);
      const std::vector<match::LinkedFigures::Shared> shared = linked->shared(asked, others, population);
      for (std::size_t i = 0; i < pairs.size(); ++i) found[pairs[i]].linked->figures.shared = shared[i];
    }
  }

  /// Weighs some pairs of one query.
  void weigh(const RowView& asked, std::span<const engine::Pair> pairs, const Blocks& blocks,
             std::span<match::ClosePair> found) const {
    const InStage stage(AnswerStage::kWeigh);
    std::vector<RowView> stored;
    for (const engine::Pair& pair : pairs) stored.push_back(blocks.at(pair.row / kLanes).profile(pair.row));
    if (facts.along_map()) return weigh_along_map(asked, stored, found);
    std::vector<asking::RelationFindings> weighed = relations->weigh(asked, stored);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      put_findings(std::move(weighed[i]), facts.n_pairs, found[i]);
  }

  /// Verifies some pairs of a strip, in their order: `first` is the column's row, and `second` the row's.
  std::vector<match::ClosePair> verified(const Asked& asked, const engine::Engine& engine,
                                         std::span<const engine::Pair> pairs) const {
    // Along the map, shared lengths take 2,000 numbers for each pair and site.
    const std::size_t kPiece = facts.along_map() ? 64 : 4096;
    const match::Blame blame = pipeline::blame_on(engine);
    std::vector<match::ClosePair> found(pairs.size());
    Blocks blocks = by_block(pairs);
    std::vector<PairsOfBlock*> in_order;
    for (auto& [block, of_block] : blocks) in_order.push_back(&of_block);
    in_parallel(in_order.size(), threads(),
                [&](std::size_t i) { count(asked, blame, pairs, *in_order[i], found); });
    if (weighs()) {
      std::vector<std::size_t> pieces{0};  // where they begin: pairs of one query each
      for (std::size_t i = 1; i < pairs.size(); ++i)
        if (pairs[i].query != pairs[i - 1].query || i - pieces.back() == kPiece) pieces.push_back(i);
      in_parallel(pieces.size(), threads(), [&](std::size_t piece) {
        const std::size_t begin = pieces[piece],
                          end = piece + 1 < pieces.size() ? pieces[piece + 1] : pairs.size();
        weigh(asked.problem.queries->row(pairs[begin].query), pairs.subspan(begin, end - begin), blocks,
              std::span(found).subspan(begin, end - begin));
      });
    }
    std::erase_if(found, [&](const match::ClosePair& pair) { return !passes(pair); });
    return found;
  }

  /// Checks pairs that the screen has found against its definition.
  void check_screened(const pipeline::Strip& strip, const engine::Engine& engine,
                      std::span<const engine::Pair> pairs) const {
    const match::Blame blame = pipeline::blame_on(engine);
    const Blocks blocks = by_block(pairs);
    std::vector<const PairsOfBlock*> in_order;
    for (const auto& [block, of_block] : blocks) in_order.push_back(&of_block);
    in_parallel(in_order.size(), threads(), [&](std::size_t b) {
      const InStage stage(AnswerStage::kVerify);
      BlockReader reader(screened->rows);
      const BlocksView block = reader.block_of(pairs[in_order[b]->pairs.front()].row);
      for (const std::size_t i : in_order[b]->pairs) {
        const engine::Pair& pair = pairs[i];
        const linked::PairScreen& screen = *screened->screen;
        const RowView query = strip.problem.queries->row(pair.query);
        if (screen.count_pair(query, block, pair.row % kLanes) == pair.counts) continue;
        blame(pair.row, fmt::format("has a wrong ratio of column {} and row {} along the map",
                                    strip.first + pair.query, pair.row));
      }
    });
  }

  /// The queries of some of a strip's pairs, with all counted sites. \param pairs  their query numbers become
  /// numbers within the result \param rows  takes the queries' rows
  Asked with_all_sites(const pipeline::Strip& strip, std::span<engine::Pair> pairs, ProfileRows& rows) const {
    const BlockSource& all_sites = sides.columns().source();
    const KeptSites kept(all_sites, counted_sites.mask());
    BlockReader reader(counted_sites.all() ? all_sites : kept);
    Asked asked{strip.problem, {}};
    for (engine::Pair& pair : pairs) {
      const std::uint64_t column = strip.first + pair.query, lane = column % kLanes;
      if (asked.columns.empty() || asked.columns.back() != column) {
        rows.append(reader.block_of(column), {&lane, 1});
        asked.columns.push_back(column);
      }
      pair.query = static_cast<std::uint32_t>(asked.columns.size() - 1);
    }
    asked.problem.queries = &rows;
    return asked;
  }

  std::vector<pipeline::PairTile> tiles(std::uint32_t n) const {
    return pipeline::pair_tiles(
        sides.columns().size(), sides.rows().size(), [&](std::uint64_t end) { return sides.rows_for(end); },
        n);
  }

  /// The result of comparing.
  struct Compared {
    pipeline::StreamStats stats;
    std::uint64_t kept = 0;  ///< pairs that passed the engine's limit
  };
  using TakeClose = std::function<void(std::vector<match::ClosePair>)>;

  /// Compares a shard's share of the pairs, and passes on the close ones, in the order of column and row.
  Compared compare(engine::Engine& given, const Shard& shard, const TakeClose& take) const {
    engine::Engine& engine = used(given);
    const pipeline::PairTile tile = tiles(shard.of)[shard.index - 1];
    Compared compared;
    if (tile.empty()) return compared;
    const BlockRange rows(screened ? screened->rows : sides.rows().source(),
                          {tile.rows.first / kLanes, ceil_div<std::uint64_t>(tile.rows.end, kLanes)});
    const BlockSource& all_sites = sides.columns().source();
    const KeptSites kept(all_sites, counted_sites.mask());
    const BlockSource& counted = counted_sites.all() ? all_sites : static_cast<const BlockSource&>(kept);
    const pipeline::AllPairs all = question(tile, screened ? screened->columns : counted, rows);
    const Stopwatch comparing;
    Progress progress(options.progress, "comparing", "profiles", pipeline::rows_of_strips(all));
    try {
      compared.stats =
          pipeline::stream_pairs(all, engine, threads(), progress, [&](const pipeline::Strip& strip) {
            if (!screened) compared.kept += strip.pairs.size();
            const auto room = [&] { return screened ? options.max_pairs - compared.kept : UINT64_MAX; };
            hand_on(strip, engine, rows.first_row(), room, [&](std::vector<match::ClosePair> pairs) {
              if (screened && (compared.kept += pairs.size()) > options.max_pairs) refuse_many();
              take(std::move(pairs));
            });
          });
    } catch (const pipeline::TooManyPairs&) {
      refuse_many();
    }
    say_stages(compared.stats, engine, comparing.seconds(), shard.of);
    return compared;
  }

  /// The engine that compares, where `given` is the one made for the search. Call after set_chain_engine().
  engine::Engine& used(engine::Engine& given) const { return screened ? *screened->engine : given; }

  std::string run_shard(engine::Engine& engine, part::Head& head, part::Writer& to) const {
    std::uint64_t found = 0;
    fastid::pairs::PairsWriter writer(to);
    const Compared compared = compare(engine, head.shard, [&](const std::vector<match::ClosePair>& pairs) {
      found += pairs.size();
      writer.add(pairs);
    });
    writer.finish();
    head.kept = compared.kept;
    head.run.workers = compared.stats.workers;
    head.run.engine = used(engine).name();
    head.run.description = used(engine).description();
    return counted(found, "pair");
  }

  std::uint64_t merge(const part::PartSet& parts, const PairSearch::Take& take) const {
    std::uint64_t kept = 0, found = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (__builtin_add_overflow(kept, parts.part(i).head().kept, &kept) || kept > options.max_pairs)
        refuse_many();
    const std::vector<pipeline::PairTile> all = tiles(parts.head().shard.of);
    const auto is_own = [&](std::size_t i, const match::ClosePair& pair) {
      return pair.linked.has_value() == facts.along_map() &&
             holds(sides.columns(), all[i].columns, pair.first) &&
             holds(sides.rows(), all[i].rows, pair.second);
    };
    asking::FathersAndSons men;
    fastid::pairs::for_all_pairs(parts, is_own, [&](std::vector<match::ClosePair> pairs) {
      check_interrupt();
      found += pairs.size();
      const std::vector<match::NamedPair> of_part = name_pairs(*this, std::move(pairs));
      take_all(of_part, men);
      take(of_part);
    });
    men.say();
    return found;
  }

  /// \param columns  with the counted sites
  pipeline::AllPairs question(const pipeline::PairTile& tile, const BlockSource& columns,
                              const BlockRange& rows) const {
    return {.comparison = facts.min_kinship ? engine::Comparison::kKinship : engine::Comparison::kIdentity,
            .by = facts.by,
            .columns = columns,
            .rows = rows,
            .threshold = threshold(),
            .rows_for =
                [this, first = rows.first_row(), n = rows.shape().n_profiles](std::uint64_t end) {
                  return std::min(n, std::max(first, sides.rows_for(end)) - first);
                },
            .keep =
                [this, first = rows.first_row()](std::uint64_t column, std::uint64_t row,
                                                 const engine::PairCounts& counts) {
                  // Without a heterozygous site there is no kinship.
                  return counts.denominator > 0 && (screened || counts.compared >= options.min_compared) &&
                         sides.counts(column, first + row);
                },
            .most_pairs = screened ? UINT64_MAX : options.max_pairs,
            .asked = tile.columns};
  }

  /// \param first_row  the first row that the strip was compared with \param room  how many more pairs may be
  /// close. Few more are weighed before `take` notices that there are too many
  void hand_on(const pipeline::Strip& strip, const engine::Engine& engine, std::uint64_t first_row,
               const std::function<std::uint64_t()>& room, const TakeClose& take) const {
    constexpr std::uint64_t kFewest = 64;
    // Pairs that are weighed and named together; each may need a profile of its own.
    constexpr std::size_t kMost = std::size_t{1} << 15, kLeast = 1024, kBytes = std::size_t{256} << 20,
                          kPlanes = 3;
    const std::size_t profiles = screened ? 2 : 1;  // the column's too
    const std::size_t row_bytes = profiles * kPlanes * sizeof(Word) * first->shape().n_words();
    const std::size_t at_once =
        weighs() ? std::clamp(kBytes / std::max<std::size_t>(1, row_bytes), kLeast, kMost) : kMost;
    Asked asked{strip.problem, {}};
    for (std::size_t i = 0; i < strip.problem.queries->n_rows(); ++i)
      asked.columns.push_back(strip.first + i);
    for (std::size_t at = 0, n = 0; at < strip.pairs.size(); at += n) {
      const std::uint64_t most = std::clamp<std::uint64_t>(room(), kFewest - 1, at_once - 1) + 1;
      n = static_cast<std::size_t>(std::min<std::uint64_t>(most, strip.pairs.size() - at));
      const auto some = strip.pairs.subspan(at, n);
      std::vector<engine::Pair> pairs(some.begin(), some.end());
      for (engine::Pair& pair : pairs) pair.row += first_row;
      if (screened) check_screened(strip, engine, pairs);
      ProfileRows columns(0, facts.n_sites, Encoding::kAlleles);
      take(verified(screened ? with_all_sites(strip, pairs, columns) : asked, engine, pairs));
    }
  }

  void say_stages(const pipeline::StreamStats& stats, const engine::Engine& engine, double seconds,
                  std::uint32_t shards) const {
    log::detail("engine: {}", engine.description());
    const double bits = static_cast<double>(facts.n_pairs) / shards * facts.n_sites;
    for (const std::string& line : pipeline::describe_stages(stats, engine.peaks(), {}, bits, seconds))
      log::detail("{}", line);
    log::detail("at most {} MiB of memory", peak_memory_bytes() >> 20);
  }
};

PairSearch::PairSearch(const PairsOptions& options) {
  impl_ = std::make_unique<Impl>(options);
}
PairSearch::~PairSearch() = default;

const match::PairsFacts& PairSearch::facts() const {
  return impl_->facts;
}

std::vector<std::string> PairSearch::ids() const {
  return impl_->first->profile_ids(0, facts().database.n_profiles);
}

std::vector<std::string> PairSearch::second_ids() const {
  if (!impl_->other) return {};
  return impl_->other->profile_ids(0, facts().second->n_profiles);
}

bool PairSearch::compares(std::uint64_t first, std::uint64_t second) const {
  const PairSide &columns = impl_->sides.columns(), &rows = impl_->sides.rows();
  return (columns.has(first) && rows.has(second)) ||
         (impl_->sides.one_database() && columns.has(second) && rows.has(first));
}

std::vector<std::optional<Sex>> PairSearch::sexes(std::size_t database,
                                                  std::span<const std::uint64_t> rows) const {
  constexpr std::size_t kPiece = 256;
  std::vector<std::optional<Sex>> found(rows.size());
  const Impl& of = *impl_;
  if (!of.beside) return found;
  const BlockSource& source = database == 0 ? *of.first : of.second_profiles;
  in_parallel(ceil_div(rows.size(), kPiece), of.threads(), [&](std::size_t piece) {
    asking::StoredProfiles profiles(source);
    for (std::size_t i = piece * kPiece; i < std::min(rows.size(), (piece + 1) * kPiece); ++i)
      if (database == 0 ? takes_part(rows[i]) : of.sides.rows().has(rows[i]))
        found[i] = of.beside->sex_of(profiles.read(rows[i])).sex;
  });
  return found;
}

bool PairSearch::takes_part(std::uint64_t row) const {
  return impl_->sides.columns().has(row) || (impl_->sides.one_database() && impl_->sides.rows().has(row));
}

std::uint64_t PairSearch::run(engine::Engine& engine, const Take& take) {
  std::uint64_t found = 0;
  impl_->set_chain_engine(engine);
  asking::FathersAndSons men;
  impl_->compare(engine, {}, [&](std::vector<match::ClosePair> pairs) {
    found += pairs.size();
    const std::vector<match::NamedPair> named = name_pairs(*impl_, std::move(pairs));
    take_all(named, men);
    take(named);
  });
  men.say();
  return found;
}

std::optional<std::uint64_t> PairSearch::find(engine::Engine& engine, asking::Work& work, match::RunInfo& ran,
                                              const Take& take) {
  const Impl& of = *impl_;
  std::uint64_t found = 0;
  impl_->set_chain_engine(engine);
  const asking::Task task{
      .basis = [&] { return of.basis(); },
      .run =
          [&] {
            found = run(engine, take);
            ran.engine = of.used(engine).name();
            ran.description = of.used(engine).description();
          },
      .run_shard = [&](part::Head& head, part::Writer& to) { return of.run_shard(engine, head, to); },
      .merge =
          [&](const part::PartSet& parts) {
            found = of.merge(parts, take);
            const part::RunFacts facts = asking::facts_of(parts);
            ran.engine = facts.engine;
            ran.description = facts.description;
          },
      .threads = of.threads()};
  return work.finish(task) ? std::optional(found) : std::nullopt;
}

}  // namespace fastid::pairs
