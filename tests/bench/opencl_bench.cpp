// What the kernels of an OpenCL device reach, by the device's own clock: compare.cl with the selection in it,
// as a share of the rate at which the device counts bits, and a plain row-major kernel as a peer.
//
//   opencl_bench SELECTOR [--config FILE] [--seconds S] [--masks] [--identity] QUERIESxPROFILESxSITES...
//
// One line a measurement, tab-separated: what, queries, profiles, sites, compared bits a second: the median,
// the best; the median's share of the popcount rate.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "opencl/devices.hpp"
#include "opencl/embedded.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid {
namespace {

struct Shape {
  std::size_t queries;
  std::uint64_t profiles;
  std::uint32_t sites;
  double bits() const {
    return static_cast<double>(queries) * static_cast<double>(profiles) * static_cast<double>(sites);
  }
};

struct Options {
  std::string selector, config;
  double seconds = 1;
  bool masks = false;
  bool identity_alone = false;
  std::vector<Shape> shapes;
};

// The median and the least of what `run` returns, seconds by the device's clock, over about `total` of them.
struct Seconds {
  double median, least;
};
Seconds measure(double total, const std::function<double()>& run) {
  run();  // the first brings pages and clocks up
  std::vector<double> all;
  const Stopwatch watch;
  while (all.size() < 5 || (watch.seconds() < total && all.size() < 1000)) all.push_back(run());
  std::ranges::sort(all);
  return {all[all.size() / 2], all.front()};
}

void print_line(std::string_view what, const Shape& shape, double bits, Seconds seconds, double peak) {
  const double rate = bits / seconds.median;
  fmt::print("{}\t{}\t{}\t{}\t{:.4g}\t{:.4g}\t{:.3f}\n", what, shape.queries, shape.profiles, shape.sites,
             rate, bits / seconds.least, rate / peak);
  std::fflush(stdout);
}

// Kernels outside of the engine.
class Peers {
 public:
  explicit Peers(const OpenClDevice& device)
      : facts_(device.facts),
        context_(device.device),
        queue_(context_, device.device, CL_QUEUE_PROFILING_ENABLE) {
    for (const EmbeddedFile& file : embedded_files())
      if (file.path == "kernels/bench_popcount.cl") program_ = cl::Program(context_, std::string(file.text));
    program_.build({device.device}, "-cl-std=CL1.2");
  }

  // Of popcount_bits() bits counted.
  Seconds popcount(double seconds) {
    const std::size_t items = popcount_items();
    const cl::Buffer out(context_, CL_MEM_WRITE_ONLY, items * sizeof(cl_uint));
    cl::Kernel kernel(program_, "popcount_rate");
    kernel.setArg(0, kRounds);
    kernel.setArg(1, cl_uint{0x9E3779B9});
    kernel.setArg(2, out);
    return time(kernel, items, 256, seconds);
  }
  double popcount_bits() const { return static_cast<double>(popcount_items()) * 8 * kRounds * 32; }

  Seconds row_major(const Shape& shape, double seconds) {
    const std::size_t eights = ceil_div<std::size_t>(shape.sites, 512);
    const cl::Buffer queries = random_buffer(shape.queries * eights * 64);
    const cl::Buffer profiles = random_buffer(shape.profiles * eights * 64);
    const cl::Buffer passed(context_, CL_MEM_WRITE_ONLY, shape.profiles * sizeof(cl_uint));
    cl::Kernel kernel(program_, "row_major");
    kernel.setArg(0, queries);
    kernel.setArg(1, static_cast<cl_uint>(shape.queries));
    kernel.setArg(2, profiles);
    kernel.setArg(3, static_cast<cl_uint>(eights));
    kernel.setArg(4, cl_ulong{shape.sites / 5});
    kernel.setArg(5, passed);
    return time(kernel, shape.profiles, 64, seconds);
  }

 private:
  static constexpr cl_uint kRounds = 2048;
  std::size_t popcount_items() const {
    return std::size_t{facts_.compute_units} * (facts_.type == "CPU" ? 4096 : 8192);
  }

  Seconds time(const cl::Kernel& kernel, std::size_t items, std::size_t group, double seconds) {
    return measure(seconds, [&] {
      cl::Event event;
      queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(group), nullptr,
                                  &event);
      event.wait();
      return 1e-9 * static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                        event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
    });
  }

  cl::Buffer random_buffer(std::size_t bytes) {
    std::vector<std::uint32_t> words(bytes / 4);
    std::mt19937 random(7);
    std::ranges::generate(words, random);
    return {context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, words.data()};
  }

  DeviceFacts facts_;
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Program program_;
};

ProfileRows random_queries(const Shape& shape, bool masks, std::mt19937& random) {
  ProfileRows rows(shape.queries, shape.sites);
  for (std::size_t i = 0; i < shape.queries; ++i)
    for (std::uint32_t site = 0; site < shape.sites; ++site)
      if (!masks || random() % 100 != 0) rows.set(i, site, random() % 2 != 0);
  return rows;
}

void fill(Lane& lane, const Problem& problem, std::mt19937& random) {
  const std::size_t words =
      static_cast<std::size_t>(problem.database.n_blocks()) * problem.database.block_words();
  const TileBuffer tile = lane.buffer();
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint32_t called =
        tile.called == nullptr ? ~0u : ~static_cast<std::uint32_t>(random() & random() & random() & random());
    tile.bits[i] = static_cast<std::uint32_t>(random()) & called;
    if (tile.called != nullptr) tile.called[i] = called;
  }
}

// A bar that, among random pairs, none passes.
Seconds engine_seconds(Engine& engine, Comparison comparison, const Shape& shape, const Options& options) {
  std::mt19937 random(shape.sites);
  const ProfileRows queries = random_queries(shape, options.masks, random);
  const Problem problem{comparison, &queries, {shape.profiles, shape.sites}, options.masks};
  const auto lane = engine.open_lane(problem, static_cast<std::size_t>(problem.database.n_blocks()));
  fill(*lane, problem, random);
  const std::vector<Bar> bars(shape.queries, Bar{shape.sites, 1, 8});
  std::vector<Candidate> out;
  const Seconds seconds = measure(options.seconds, [&] {
    const double before = lane->work().compare_seconds;
    out.clear();
    lane->compare(problem.database, bars, out);
    return lane->work().compare_seconds - before;
  });
  if (!out.empty()) fmt::print(stderr, "{} candidates\n", out.size());
  return seconds;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--config" && i + 1 < argc) {
      options.config = argv[++i];
    } else if (word == "--seconds" && i + 1 < argc) {
      options.seconds = parse_number<double>(argv[++i]).value_or(1);
    } else if (word == "--identity") {
      options.identity_alone = true;
    } else if (word == "--masks") {
      options.masks = true;
    } else if (i == 1) {
      options.selector = word;
    } else {
      const auto pieces = split(word, 'x');
      if (pieces.size() != 3) throw UsageError("a shape is QUERIESxPROFILESxSITES");
      const auto number = [&](std::size_t at) { return parse_number<std::uint32_t>(pieces[at]).value_or(1); };
      options.shapes.push_back({number(0), number(1), number(2)});
    }
  }
  return options;
}

void run(const Options& options) {
  const OpenClDevice device = select_opencl_device(options.selector);
  with_cl_errors("bench", [&] {
    Peers peers(device);
    const Seconds counting = peers.popcount(options.seconds);
    const double peak = peers.popcount_bits() / counting.median;
    const auto engine = make_opencl_engine(device.facts.selector, {.config_file = options.config});
    fmt::print("# {}\n", engine->description());
    fmt::print("# what\tqueries\tprofiles\tsites\tbits/s\tbest\tshare of popcount rate\n");
    print_line("popcount", {}, peers.popcount_bits(), counting, peak);
    for (const Shape& shape : options.shapes) {
      print_line("identity", shape, shape.bits(),
                 engine_seconds(*engine, Comparison::kIdentity, shape, options), peak);
      if (options.identity_alone) continue;
      print_line("mixture", shape, shape.bits(),
                 engine_seconds(*engine, Comparison::kMixture, shape, options), peak);
      if (device.facts.type == "CPU")  // where vectors are ours to choose
        print_line("peer, row-major", shape, shape.bits(), peers.row_major(shape, options.seconds), peak);
    }
  });
}

}  // namespace
}  // namespace fastid

int main(int argc, char** argv) {
  try {
    fastid::run(fastid::parse(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "opencl_bench: {}\n", error.what());
    return 1;
  }
}
