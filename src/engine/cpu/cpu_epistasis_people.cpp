#include "engine/cpu/cpu_epistasis_people.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace fastid::engine {

EpistasisPeople::EpistasisPeople(const std::array<BlocksView, kClasses>& classes, const CostBound& bound,
                                 bool by_rest, EpistasisKernel kernel)
    : classes_(classes), bound_(bound), by_rest_(by_rest), kernel_(kernel) {
  for (std::size_t of = 0; of < kClasses; ++of) pack(of);
  if (by_rest_) count_sites();
}

// Each site's planes in two layouts: as a row that makes pairs, and in its block.
void EpistasisPeople::pack(std::size_t of) {
  const BlocksView& people = classes_[of];
  const std::size_t words = n_words(of), in_block = people.shape.block_words();
  for (WordBuffer& plane : blocks_[of]) plane = WordBuffer(checked_mul(n_blocks(), in_block));
  const auto sites = static_cast<std::size_t>(people.shape.n_profiles);
  rows_[of] = WordBuffer(checked_mul(checked_mul(sites, words), row_planes()));
  Word* row = rows_[of].data();
  for (std::size_t site = 0; site < sites; ++site) {
    const std::size_t in_blocks = lane_of(site) / kLanes * in_block + lane_of(site) % kLanes;
    for (std::size_t word = 0; word < words; ++word)
      for (std::size_t genotype = 0; genotype < row_planes(); ++genotype) {
        const Word those =
            genotype_word(genotype, people.bits_word(site, word), people.major_word(site, word));
        blocks_[of][genotype].data()[in_blocks + word * kLanes] = those;
        *row++ = those;
      }
  }
}

// Genotypes 0 and 1 of each site alone.
void EpistasisPeople::count_sites() {
  constexpr std::size_t kCells = kSiteGenotypes * kSiteGenotypes;
  const std::vector<SitePeople> people = people_of_sites(classes_);
  of_blocks_.resize(n_blocks());
  for (std::size_t site = 0; site < people.size(); ++site)
    for (std::size_t genotype = 0; genotype < 2; ++genotype) {
      const std::uint32_t cases = people[site][1][genotype], n = people[site][0][genotype] + cases;
      BlockCells& block = of_blocks_[lane_of(site) / kLanes];
      const std::size_t lane = lane_of(site) % kLanes;
      block[0][genotype][lane] = bound_.people_of(n, kCells);
      block[1][genotype][lane] = bound_.excess_of(n, cases, kCells);
    }
}

EpistasisRun EpistasisPeople::run_of(std::size_t block,
                                     const std::array<const Word*, kClasses>& first) const {
  EpistasisRun run{.first = first};
  for (std::size_t of = 0; of < kClasses; ++of) {
    run.n_words[of] = n_words(of);
    for (std::size_t genotype = 0; genotype < row_planes(); ++genotype)
      run.block[of][genotype] = blocks_[of][genotype].data() + block * n_words(of) * kLanes;
  }
  return run;
}

EpistasisRun EpistasisPeople::run_of(std::size_t block, std::uint32_t first) const {
  return run_of(block, {row_of(0, first), row_of(1, first)});
}

EpistasisSlab EpistasisPeople::slab_of(std::size_t block, const PairPlanes& of, std::size_t i) const {
  const std::size_t planes = row_planes() * row_planes();
  const auto first = [&](std::size_t c) -> const Word* {  // null where planes were not made
    return of.planes[c].empty() ? nullptr : of.planes[c].data() + i * n_words(c) * planes;
  };
  return {run_of(block, {first(0), first(1)}), &of.known[i]};
}

void EpistasisPeople::make_pairs(const Rectangle& tile, std::span<const PairOfTile> pairs, bool smaller_alone,
                                 PairPlanes& out) const {
  for (std::size_t of = 0; of < kClasses; ++of) {
    if (smaller_alone && of != smaller_class(std::array{n_words(0), n_words(1)})) {
      out.planes[of].clear();
      continue;
    }
    const std::size_t each = n_words(of) * row_planes() * row_planes();
    const std::vector<Word> first = repeated(of, tile.row_begin, tile.row_end, true),
                            second = repeated(of, tile.column_begin, tile.column_end, false);
    out.planes[of].resize(std::max(out.planes[of].size(), checked_mul(pairs.size(), each)));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Word* const to = out.planes[of].data() + i * each;
      const Word* const a = first.data() + (pairs[i].first - tile.row_begin) * each;
      const Word* const b = second.data() + (pairs[i].second - tile.column_begin) * each;
      for (std::size_t word = 0; word < each; ++word) to[word] = a[word] & b[word];
    }
  }
  out.known.resize(pairs.size());
  out.with_first.resize(tile.row_end - tile.row_begin);
  out.with_second.resize(tile.column_end - tile.column_begin);
  if (!by_rest_) return;
  count_pairs(tile, pairs, out);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    out.known[i].with_first = &out.with_first[pairs[i].first - tile.row_begin];
    out.known[i].with_second = &out.with_second[pairs[i].second - tile.column_begin];
  }
}

void EpistasisPeople::count_block(const Rectangle& tile, std::size_t block, const PairPlanes* everybody,
                                  PairPlanes& out) const {
  if (!by_rest_) return;
  count_margins(block, tile.row_begin, everybody == nullptr ? nullptr : &everybody->with_first,
                out.with_first);
  count_margins(block, tile.column_begin, everybody == nullptr ? nullptr : &everybody->with_second,
                out.with_second);
}

// Rows of sites with their planes repeated, so that the product of a first and a second row has every joint
// genotype: of each word 0 0 1 1 of first sites, 0 1 0 1 of second ones.
std::vector<Word> EpistasisPeople::repeated(std::size_t of, std::uint32_t begin, std::uint32_t end,
                                            bool first) const {
  const std::size_t n = row_planes();
  std::vector<Word> made;
  made.reserve((end - begin) * n_words(of) * n * n);
  const Word* row = row_of(of, begin);
  for (std::size_t word = 0; word < (end - begin) * n_words(of); ++word, row += n)
    for (std::size_t i = 0; i < n * n; ++i) made.push_back(row[first ? i / n : i % n]);
  return made;
}

// How many people have each joint genotype of each pair.
void EpistasisPeople::count_pairs(const Rectangle& tile, std::span<const PairOfTile> pairs,
                                  PairPlanes& out) const {
  for (std::size_t block = lane_of(tile.column_begin) / kLanes;
       block <= lane_of(tile.column_end - 1) / kLanes; ++block) {
    count_margins(block, tile.row_begin, nullptr, out.with_first);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (lane_of(pairs[i].second) / kLanes == block)
        put_pair(pairs[i], out.with_first[pairs[i].first - tile.row_begin], out.known[i]);
  }
}

void EpistasisPeople::put_pair(const PairOfTile& pair, const SiteMargins& margins, KnownCells& out) const {
  const std::uint32_t cases = classes_[1].shape.n_sites, n = classes_[0].shape.n_sites + cases;
  const std::array<float, kQuantities> everybody = {bound_.people_of(n, kTripleCells),
                                                    bound_.excess_of(n, cases, kTripleCells)};
  for (std::size_t q = 0; q < kQuantities; ++q) {
    const auto& alone = of_blocks_[lane_of(pair.first) / kLanes][q];
    const std::size_t lane = lane_of(pair.first) % kLanes;
    const float zero = alone[0][lane], one = alone[1][lane];
    const std::array<float, kSiteGenotypes> of_first = {zero, one, everybody[q] - zero - one};
    for (std::size_t a = 0; a < kSiteGenotypes; ++a) {
      float* const cells = &out.of_pair[q][3 * a];
      for (std::size_t b = 0; b < 2; ++b) cells[b] = margins[q][a][b][lane_of(pair.second) % kLanes];
      cells[2] = of_first[a] - cells[0] - cells[1];
    }
  }
}

void EpistasisPeople::count_margins(std::size_t block, std::uint32_t begin,
                                    const std::vector<SiteMargins>* everybody,
                                    std::vector<SiteMargins>& margins) const {
  for (std::size_t i = 0; i < margins.size(); ++i)
    kernel_.margins(run_of(block, begin + static_cast<std::uint32_t>(i)), of_blocks_[block], bound_,
                    everybody == nullptr ? nullptr : &(*everybody)[i], margins[i]);
}

}  // namespace fastid::engine
