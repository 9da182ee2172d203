// A panel as TSV; one that is taken is written and read again, to the same bytes.
#include <cstdlib>

#include "fuzz/fuzz.hpp"
#include "panel/panel.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  const std::string path = fuzz::file_of("panel.tsv", bytes);
  fuzz::may_refuse([&] {
    const Panel panel = read_panel_tsv(path);
    const Panel again = read_panel_tsv(fuzz::file_of("again.tsv", write_panel_tsv(panel)));
    if (again.sha256() != panel.sha256()) std::abort();
  });
}
