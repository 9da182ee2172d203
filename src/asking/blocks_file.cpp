#include "asking/blocks_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "asking/small_text.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "panel/table_lines.hpp"

namespace fastid::asking {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
constexpr std::array<std::string_view, 5> kColumns = {"block", "chrom", "first", "last", "sites"};
constexpr std::string_view kCure = "give a file that `fastid ld --blocks` wrote";
constexpr TableForm kForm{kColumns, "a file of blocks", kCure, "write block, chrom, first, last and sites"};

/// A line of the file.
struct BlockLine {
  std::string chrom;
  std::uint32_t first = 0, last = 0;
  std::size_t line = 0;
};

class Parser {
 public:
  explicit Parser(const std::string& path) : path_(path), lines_(path, kForm) {}

  void take(std::string_view line) {
    if (const auto cells = lines_.take(line)) take_block(*cells);
  }

  GenomeBuild build() const { return lines_.build(); }

  /// In the order of chromosomes and positions.
  std::vector<BlockLine> finish() && {
    if (!lines_.seen_header()) throw InputError(path_, "", "is empty, or all comments", kCure);
    std::ranges::sort(ranges_, {}, [](const BlockLine& range) { return std::tie(range.chrom, range.first); });
    for (std::size_t i = 1; i < ranges_.size(); ++i) {
      const BlockLine &before = ranges_[i - 1], &after = ranges_[i];
      if (before.chrom != after.chrom || before.last < after.first) continue;
      lines_.refuse_line(after.line, fmt::format("overlaps the block of line {}", before.line),
                         "make one block of the two");
    }
    return std::move(ranges_);
  }

 private:
  void take_block(std::span<const std::string_view> cells) {
    const auto first = parse_number<std::uint32_t>(cells[2]), last = parse_number<std::uint32_t>(cells[3]);
    if (!first || !last || *first == 0 || *first > *last)
      lines_.refuse(fmt::format("'{}' and '{}' are no first and last position", printable(cells[2]),
                                printable(cells[3])),
                    "write whole numbers from 1, the lower one first");
    ranges_.push_back({normal_chromosome(cells[1]), *first, *last, lines_.number()});
  }

  const std::string& path_;
  TableLines lines_;
  std::vector<BlockLine> ranges_;
};

void say(const std::string& path, const match::LinkageBlockFacts& facts, std::uint32_t n_sites) {
  if (facts.n_blocks == 0)
    return log::note("{}: no block has two sites of the panel, so that all sites weigh the same", path);
  log::note("{}: {} of {} linked sites weigh as one site each; {} weigh as {}", path,
            counted(facts.n_blocks, "block"), with_commas(facts.n_sites), counted(n_sites, "site"),
            with_commas(n_sites - facts.n_sites + facts.n_blocks));
}

}  // namespace

BlocksOfPanel read_blocks(const std::string& path, const Panel& panel) {
  const SmallText text = read_small_text(path, kMostBytes);
  Parser parser(path);
  for (const std::string_view line : split(text.content, '\n')) parser.take(line);
  check_build(path, parser.build(), panel, "find the blocks in genotypes of the panel's build");
  const std::vector<BlockLine> ranges = std::move(parser).finish();
  BlocksOfPanel found{{path, text.sha256, 0, 0}, nullptr};
  std::vector<std::uint32_t> block_of(panel.n_sites(), stats::LinkageBlocks::kAlone);
  bool any = ranges.empty();
  for (const BlockLine& range : ranges) {
    const std::span<const std::uint32_t> sites = panel.find_range(range.chrom, range.first, range.last);
    any = any || !sites.empty();
    if (sites.size() < 2) continue;  // one site weighs as one site
    for (const std::uint32_t site : sites) block_of[site] = found.facts.n_blocks;
    ++found.facts.n_blocks;
    found.facts.n_sites += static_cast<std::uint32_t>(sites.size());
  }
  if (!any)
    throw InputError(path, "", "has no block with a site of the panel",
                     "find the blocks in genotypes of the panel's sites and build");
  if (found.facts.n_blocks > 0)
    found.blocks = std::make_shared<const stats::LinkageBlocks>(std::move(block_of), found.facts.n_blocks);
  say(path, found.facts, panel.n_sites());
  return found;
}

std::optional<BlocksOfPanel> blocks_of(const std::string& path, const Panel& panel) {
  if (path.empty()) return std::nullopt;
  return read_blocks(path, panel);
}

}  // namespace fastid::asking
