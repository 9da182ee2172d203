// The search alone, warm, as a service or a long run of queries sees it: tiles read from the file (page
// cache), their checksums verified, compared, ranked; start-up and query reading left out.
//
//   search_bench DB QUERIES [repeats] [threads] [device] [buffers] [MiB for tiles]
//
// One line for each repeat, tab-separated: seconds of the search, of opening lanes (a device's buffers), and
// by stage: reading (mean of the lanes), upload, compare, fetch.
#include <fmt/format.h>

#include "analysis/engines.hpp"
#include "analysis/queries.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "pipeline/pipeline.hpp"

namespace fastid {
namespace {

void print_repeat(const Problem& problem, const db::Reader& reader, Engine& engine) {
  const Stopwatch watch;
  Ranking ranking(problem.comparison, problem.queries->n_rows(), KeepRule{});
  Progress silent(ProgressMode::kNever, "", "", 0);
  const StreamStats stats = stream(reader, 0, reader.shape().n_blocks(), problem, engine, ranking, silent);
  const DeviceWork& device = stats.device;
  const auto lanes = static_cast<double>(stats.lanes);
  const double compare = device.compare_seconds > 0 ? device.compare_seconds : stats.compare_seconds / lanes;
  fmt::print("{:.6f}\t{:.6f}\t{:.6f}\t{:.6f}\t{:.6f}\t{:.6f}\n", watch.seconds() - stats.open_seconds,
             stats.open_seconds, stats.read_seconds / lanes, device.upload_seconds, compare,
             device.fetch_seconds);
}

void run(int argc, char** argv) {
  const auto number = [&](int i) { return argc > i ? parse_number<std::size_t>(argv[i]).value_or(0) : 0; };
  const db::Reader reader(argv[1]);
  const Queries queries = read_queries({argv[2]}, reader.panel(), {});
  EngineOptions options{.threads = number(4)};
  if (number(6) > 0) options.buffers = number(6);
  if (number(7) > 0) options.memory = std::uint64_t{number(7)} << 20;
  const auto engine = make_engine(argc > 5 ? argv[5] : "cpu", options);
  const Problem problem{Comparison::kIdentity, &queries.rows, reader.shape(), reader.has_called()};
  for (std::size_t i = 0; i < std::max<std::size_t>(1, number(3)); ++i)
    print_repeat(problem, reader, *engine);
}

}  // namespace
}  // namespace fastid

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: search_bench DB QUERIES [repeats] [threads] [device] [buffers] [MiB]\n");
    return 2;
  }
  fastid::log::set_level(fastid::log::Level::kQuiet);
  try {
    fastid::run(argc, argv);
  } catch (const fastid::Error& error) {
    fmt::print(stderr, "search_bench: {}\n", error.what());
    return 1;
  }
}
