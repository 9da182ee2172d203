// --only, --ids and --exclude, in this order, of a small database whose people have tags: what is chosen are
// rows of it, and never more than there are.
#include <cstdlib>
#include <vector>

#include "db/row_choice.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace fastid;

constexpr std::uint64_t kPeople = 40;

/// P00 to P39, with tags of the seeds.
const db::Reader& database() {
  static const db::Reader reader = [] {
    const std::string path = fuzz::folder() + "/people.h5";
    const Panel panel({{"rs1", "1", 5, 'A', 'G'}, {"rs2", "1", 7, 'C', 'T'}}, {}, GenomeBuild::kGRCh37,
                      "made up");
    std::vector<std::string> ids;
    db::Tags tags(kPeople);
    BitBlocks people({kPeople, panel.n_sites()});
    for (std::uint64_t i = 0; i < kPeople; ++i) {
      ids.push_back({'P', static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)});
      people.set(i, 0, i % 2 == 0);
      tags.set(i, "kit", i % 3 == 0 ? "FORCE" : "other");
      if (i % 4 != 0) tags.set(i, "n", std::to_string(i));
      if (i % 5 == 0) tags.set(i, "expiry", i % 2 == 0 ? "2020-01-31" : "2999-01-31");
    }
    db::Writer writer(path, panel, {});
    writer.append(ids, people.view());
    writer.set_tags(std::move(tags));
    writer.finish({.action = "build", .command = "fastid db build"});
    return db::Reader(path);
  }();
  return reader;
}

}  // namespace

FASTID_FUZZ_TARGET {
  const std::vector<std::string_view> all = fuzz::pieces(bytes, 3);
  const auto listed = [](const char* name, std::string_view list) {
    return list.empty() ? std::string() : fuzz::file_of(name, list);
  };
  db::RowRule rule{std::string(all[0]), listed("ids", all[1]), listed("exclude", all[2])};
  for (const bool expired : {false, true}) {
    rule.expired = expired;
    fuzz::may_refuse([&] {
      const db::ChosenRows chosen = db::choose_rows(database(), rule);
      if (chosen.n == 0 || chosen.n > kPeople || (chosen.rows && chosen.rows->count() != chosen.n))
        std::abort();
      if (expired && chosen.expired != 0) std::abort();
    });
  }
}
