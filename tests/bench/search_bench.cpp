// The search alone, warm, as a service or a long run of queries sees it: tiles read from the file (page
// cache), their checksums verified, compared, ranked; start-up and query reading left out.
//
//   search_bench DB QUERIES [repeats] [threads]       prints the seconds of each repeat, one a line
#include <fmt/format.h>

#include "analysis/queries.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "pipeline/pipeline.hpp"

int main(int argc, char** argv) {
  using namespace fastid;
  if (argc < 3) {
    fmt::print(stderr, "usage: search_bench DB QUERIES [repeats] [threads]\n");
    return 2;
  }
  log::set_level(log::Level::kQuiet);
  const db::Reader reader(argv[1]);
  const Queries queries = read_queries({argv[2]}, reader.panel(), {});
  const int repeats = argc > 3 ? parse_number<int>(argv[3]).value_or(1) : 1;
  EngineOptions options;
  if (argc > 4) options.threads = parse_number<std::size_t>(argv[4]).value_or(0);
  const auto engine = make_cpu_engine(options);
  const Problem problem{Comparison::kIdentity, &queries.rows, reader.shape(), reader.has_called()};
  for (int i = 0; i < repeats; ++i) {
    const Stopwatch watch;
    Ranking ranking(problem.comparison, queries.rows.n_rows(), KeepRule{});
    Progress silent(ProgressMode::kNever, "", "", 0);
    stream(reader, 0, reader.shape().n_blocks(), problem, *engine, ranking, silent);
    fmt::print("{:.6f}\n", watch.seconds());
  }
}
