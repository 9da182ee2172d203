/// \file
/// Blocks of linked sites from a text, as `fastid ld --blocks` writes it (questions/ld/print.hpp):
///
///   #build GRCh37
///   block  chrom  first     last      sites
///   1      19     45351516  45397229  14
///
/// Columns are separated by tabs; '#' starts a comment; first and last are positions, both in the block. A
/// panel's sites are found by position, so that their number may be another one than the file states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "match/match_table.hpp"
#include "panel/panel.hpp"
#include "stats/linkage_blocks.hpp"

namespace fastid::asking {

struct BlocksOfPanel {
  match::LinkageBlockFacts facts;
  std::shared_ptr<const stats::LinkageBlocks> blocks;  ///< null where no block has two sites of the panel
};

/// Says how many sites weigh as how many. \throws InputError naming the line: columns, positions, blocks that
/// overlap; another genome build than the panel's; no block with a site of the panel
BlocksOfPanel read_blocks(const std::string& path, const Panel& panel);
/// The same, of --blocks. \param path  "": none
std::optional<BlocksOfPanel> blocks_of(const std::string& path, const Panel& panel);

}  // namespace fastid::asking
