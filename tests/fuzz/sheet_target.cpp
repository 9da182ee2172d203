// A sample sheet; what it says of its ids can be kept as tags, and is the same for each of them the second
// time.
#include <cstdlib>

#include "fuzz/fuzz.hpp"
#include "ingest/sample_sheet.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  const std::string path = fuzz::file_of("people.tsv", bytes);
  fuzz::may_refuse([&] {
    const ingest::SampleSheet sheet(path);
    const db::Tags tags = ingest::tags_by_sheet(path, sheet.ids());
    db::Tags again = tags;
    for (std::size_t i = 0; i < sheet.ids().size(); ++i)
      if (!sheet.apply(sheet.ids()[i], i, again)) std::abort();
    if (tags.rows() != sheet.ids().size() || again.sha256() != tags.sha256()) std::abort();
  });
}
