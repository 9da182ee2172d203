// A file of linked sites on a small panel; one that is taken has blocks of two sites of the panel or more.
#include <cstdlib>
#include <vector>

#include "asking/blocks_file.hpp"
#include "fuzz/fuzz.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  static const Panel panel = read_panel_tsv(FASTID_FUZZ_PANEL);
  const std::string path = fuzz::file_of("blocks.tsv", bytes);
  fuzz::may_refuse([&] {
    const asking::BlocksOfPanel found = asking::read_blocks(path, panel);
    const match::LinkageBlockFacts& facts = found.facts;
    if ((facts.n_blocks > 0) != (found.blocks != nullptr)) std::abort();
    if (facts.n_sites < 2 * facts.n_blocks || facts.n_sites > panel.n_sites()) std::abort();
    if (found.blocks && found.blocks->n_blocks() != facts.n_blocks) std::abort();
  });
}
