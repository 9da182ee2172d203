// What the kernels of an OpenCL device reach, by the device's own clock: compare.cl and compare_matrix.cl
// with the selection in them, as a share of the rate at which the device counts bits, and a plain row-major
// kernel as a peer.
//
//   opencl_bench SELECTOR [--config FILE] [--kernel popcount|matrix] [--try NAME=VALUE,...]... [--seconds S]
//                [--masks] [--identity] [--alleles] [--rates] QUERIESxPROFILESxSITES...
//
// --alleles: identity by both alleles, and kinship. --kernel: in place of the one that is expected to be
// faster. --try: the config with other numbers, one set a --try, each measured. --rates: what the device
// reads and multiplies, and the minima that it adds, at most, and what it holds against checksums, a tile at
// a time. One line a measurement, tab-separated: what, queries, profiles, sites, compared bits a second: the
// median, the best; the median's share of the popcount rate; what was tried. Rates: bits, bytes, or minima, a
// second.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "base/clock.hpp"
#include "base/embedded.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "model/registry.hpp"
#include "opencl/devices.hpp"
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
  std::optional<model::MicroKernel> kernel;
  std::vector<std::string> tries;
  double seconds = 1;
  bool rates = false;
  bool masks = false;
  bool identity_alone = false, alleles = false;
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

void print_line(std::string_view what, const Shape& shape, double bits, Seconds seconds, double peak,
                std::string_view tried = "") {
  const double rate = bits / seconds.median;
  fmt::print("{}\t{}\t{}\t{}\t{:.4g}\t{:.4g}\t{:.3f}\t{}\n", what, shape.queries, shape.profiles, shape.sites,
             rate, bits / seconds.least, rate / peak, tried);
  std::fflush(stdout);
}

// Kernels outside of the engine.
class Peers {
 public:
  explicit Peers(const opencl::OpenClDevice& device)
      : facts_(device.facts),
        device_(device.device),
        context_(device.device),
        queue_(context_, device.device, CL_QUEUE_PROFILING_ENABLE) {
    program_ = build("kernels/bench_popcount.cl", "-cl-std=CL1.2");
  }

  // Of matrix_bits() bits multiplied by the config's instruction; nothing where it has none of its own.
  std::optional<Seconds> matrix(const model::KernelConfig& config, double seconds) {
    if (config.matrix != 2) return std::nullopt;
    cl::Kernel kernel(build("kernels/bench_matrix.cl", "-cl-std=CL1.2 -D FASTID_MATRIX=2"), "matrix_rate");
    const cl::Buffer out(context_, CL_MEM_WRITE_ONLY, matrix_items() * sizeof(cl_uint));
    kernel.setArg(0, kRounds);
    kernel.setArg(1, cl_uint{0x9E3779B9});
    kernel.setArg(2, out);
    return time(kernel, matrix_items(), 256, seconds);
  }
  double matrix_bits() const { return static_cast<double>(matrix_items()) / 32 * 8 * kRounds * 16 * 8 * 256; }

  // Of minima() minima that were added to sums; nothing where the device lacks numbers of T.
  template <class T>
  std::optional<Seconds> adding_minima(double seconds) {
    const bool in_double = std::is_same_v<T, double>;
    if (in_double && device_.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() == 0) return std::nullopt;
    cl::Kernel kernel(
        build("kernels/bench_popcount.cl", in_double ? "-cl-std=CL1.2 -D FASTID_DOUBLE" : "-cl-std=CL1.2"),
        "minima_rate");
    const cl::Buffer out(context_, CL_MEM_WRITE_ONLY, popcount_items() * sizeof(T));
    kernel.setArg(0, kRounds);
    kernel.setArg(1, T{1e6});
    kernel.setArg(2, T{0.5});
    kernel.setArg(3, out);
    return time(kernel, popcount_items(), 256, seconds);
  }
  double minima() const { return static_cast<double>(popcount_items()) * 16 * kRounds; }

  // Of kReadBytes bytes read.
  Seconds reading(double seconds) {
    cl::Kernel kernel(build("kernels/bench_matrix.cl", "-cl-std=CL1.2 -D FASTID_MATRIX=0"), "read_rate");
    const std::size_t items = std::size_t{facts_.compute_units} * 2048;
    const cl::Buffer from(context_, CL_MEM_READ_ONLY, kReadBytes);
    queue_.enqueueFillBuffer(from, cl_uint{7}, 0, kReadBytes);
    const cl::Buffer out(context_, CL_MEM_WRITE_ONLY, items * sizeof(cl_uint));
    kernel.setArg(0, from);
    kernel.setArg(1, cl_ulong{kReadBytes / sizeof(cl_uint4)});
    kernel.setArg(2, out);
    return time(kernel, items, 256, seconds);
  }
  static constexpr std::size_t kReadBytes = std::size_t{1} << 31;

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
  std::size_t matrix_items() const { return std::size_t{facts_.compute_units} * 2048; }
  std::size_t popcount_items() const {
    return std::size_t{facts_.compute_units} * (facts_.type == "CPU" ? 4096 : 8192);
  }

  cl::Program build(std::string_view path, const char* options) {
    cl::Program program(context_, std::string(embedded_text(path)));
    program.build(options);
    return program;
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

  model::DeviceFacts facts_;
  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Program program_;
};

// What is counted.
struct Question {
  std::string_view name;
  engine::Comparison comparison;
  Encoding by = Encoding::kMinor;
};

ProfileRows random_queries(const Shape& shape, bool masks, Encoding by, std::mt19937& random) {
  constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen, kMajorSeen, kBothSeen};
  ProfileRows rows(shape.queries, shape.sites, by);
  for (std::size_t i = 0; i < shape.queries; ++i)
    for (std::uint32_t site = 0; site < shape.sites; ++site)
      if (!masks || random() % 100 != 0) rows.set_seen(i, site, kDrawn[random() % 4]);
  return rows;
}

// 2^20 random words, again and again; about a site in 64 is not called where there is a second plane.
void fill(engine::Worker& worker, const engine::Problem& problem, std::mt19937& random) {
  const std::size_t words =
      static_cast<std::size_t>(problem.database.n_blocks()) * problem.database.block_words();
  const std::size_t period = std::min(words, std::size_t{1} << 20);
  const engine::TileBuffer tile = worker.buffer();
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  for (std::size_t i = 0; i < period; ++i) {
    const std::uint32_t called =
        tile.second == nullptr ? ~0u : ~(word() & word() & word() & word() & word() & word());
    tile.bits[i] = word() & called;
    if (tile.second == nullptr) continue;
    tile.second[i] = problem.by == Encoding::kAlleles ? called & (~tile.bits[i] | word()) : called;
  }
  for (Word* plane : {tile.bits, tile.second})
    for (std::size_t i = period; plane != nullptr && i < words; i += period)
      std::copy_n(plane, std::min(period, words - i), plane + i);
}

// A worker with one tile of random profiles.
class RandomTile {
 public:
  RandomTile(engine::Engine& engine, const Question& question, const Shape& shape, bool masks)
      : random_(shape.sites),
        queries_(random_queries(shape, masks, question.by, random_)),
        problem_{question.comparison,
                 &queries_,
                 {shape.profiles, shape.sites, question.by},
                 masks || question.by == Encoding::kAlleles,
                 question.by},
        prepared_(engine.prepare(problem_, {.workers = 0})),
        worker_(prepared_->open_worker(static_cast<std::size_t>(problem_.database.n_blocks()))),
        thresholds_(shape.queries, engine::Threshold{shape.sites, 1, 8}) {
    fill(*worker_, problem_, random_);
  }

  // By thresholds that, among random pairs, none passes.
  Seconds comparing(double seconds) {
    return device_seconds(seconds, [&] { compare({}); });
  }
  // Beside what comparing takes, to hold all blocks against checksums; nothing where the device makes none.
  std::optional<Seconds> checking(double seconds) {
    const std::vector<std::uint64_t> sums(static_cast<std::size_t>(problem_.database.n_blocks()));
    if (!worker_->checks_blocks()) return std::nullopt;
    const auto run = [&](bool checks) {
      const double before = worker_->work().compare_seconds;
      compare(checks ? sums : std::vector<std::uint64_t>());
      return worker_->work().compare_seconds - before;
    };
    return measure(seconds, [&] {
      const double alone = run(false);
      return std::max(1e-9, run(true) - alone);
    });
  }
  double bytes() const {
    return static_cast<double>(problem_.database.n_blocks()) *
           static_cast<double>(problem_.database.block_bytes());
  }

 private:
  void compare(std::span<const std::uint64_t> checksums) {
    found_.clear();
    worker_->compare({0, problem_.database}, checksums, thresholds_, found_);
  }
  Seconds device_seconds(double seconds, const std::function<void()>& work) {
    return measure(seconds, [&] {
      const double before = worker_->work().compare_seconds;
      work();
      return worker_->work().compare_seconds - before;
    });
  }

  std::mt19937 random_;
  ProfileRows queries_;
  engine::Problem problem_;
  std::unique_ptr<engine::PreparedQueries> prepared_;
  std::unique_ptr<engine::Worker> worker_;
  std::vector<engine::Threshold> thresholds_;
  std::vector<engine::Pair> found_;
};

std::vector<Question> questions(const Options& options) {
  if (options.alleles)
    return {{"alleles", engine::Comparison::kIdentity, Encoding::kAlleles},
            {"kin", engine::Comparison::kKinship, Encoding::kAlleles}};
  if (options.identity_alone) return {{"identity", engine::Comparison::kIdentity}};
  return {{"identity", engine::Comparison::kIdentity},
          {"mixture", engine::Comparison::kMixture},
          {"reverse", engine::Comparison::kReverseMixture}};
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--config" && i + 1 < argc) {
      options.config = argv[++i];
    } else if (word == "--seconds" && i + 1 < argc) {
      options.seconds = parse_number<double>(argv[++i]).value_or(1);
    } else if (word == "--kernel" && i + 1 < argc) {
      options.kernel =
          std::string(argv[++i]) == "matrix" ? model::MicroKernel::kMatrix : model::MicroKernel::kPopcount;
    } else if (word == "--try" && i + 1 < argc) {
      options.tries.emplace_back(argv[++i]);
    } else if (word == "--rates") {
      options.rates = true;
    } else if (word == "--identity") {
      options.identity_alone = true;
    } else if (word == "--alleles") {
      options.alleles = true;
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

// The config that the options or the device name, with the numbers of a --try ("NAME=VALUE,...").
std::string config_text(const Options& options, const model::DeviceFacts& facts, const std::string& tried) {
  const model::ConfigLink link = model::config_chain(facts).front();
  std::string text(embedded_text("configs/" + link.config + ".h"));
  const std::string& file = options.config.empty() ? link.file : options.config;
  if (!file.empty()) text = read_whole_file(file, 1 << 16);
  for (const std::string_view one : split(tried, ',')) {
    const auto sides = split(one, '=');
    if (sides.size() != 2) continue;
    const std::string name = fmt::format("#define FASTID_{} ", sides[0]);
    const std::size_t at = text.find(name);
    if (at != std::string::npos) text.erase(at, text.find('\n', at) - at);
    text += fmt::format("\n{}{}\n", name, sides[1]);
  }
  return text;
}

void measure_config(const Options& options, const opencl::OpenClDevice& device, Peers& peers, double peak,
                    const std::string& tried) {
  const auto engine = opencl::make_opencl_engine(
      device.facts.selector, {},
      {.micro_kernel = options.kernel, .config_text = config_text(options, device.facts, tried)});
  for (const Shape& shape : options.shapes) {
    for (const Question& question : questions(options))
      print_line(question.name, shape, shape.bits(),
                 RandomTile(*engine, question, shape, options.masks).comparing(options.seconds), peak, tried);
    if (device.facts.type == "CPU" && !options.identity_alone &&
        !options.alleles)  // where vectors are ours to choose
      print_line("peer, row-major", shape, shape.bits(), peers.row_major(shape, options.seconds), peak);
  }
}

void print_rates(Peers& peers, const model::KernelConfig& config, double seconds, double peak) {
  if (const auto matrix = peers.matrix(config, seconds))
    print_line("matrix unit", {}, peers.matrix_bits(), *matrix, peak);
  if (const auto minima = peers.adding_minima<float>(seconds))
    print_line("minima of floats", {}, peers.minima(), *minima, peak);
  if (const auto minima = peers.adding_minima<double>(seconds))
    print_line("minima of doubles", {}, peers.minima(), *minima, peak);
  print_line("device read", {}, static_cast<double>(Peers::kReadBytes), peers.reading(seconds), peak);
}

// With memory of the device's own, as a GPU's is: else workers leave checksums to the host.
void print_checksum_rates(const opencl::OpenClDevice& device, const std::string& config, double seconds,
                          double peak) {
  const auto engine =
      opencl::make_opencl_engine(device.facts.selector, {}, {.own_memory = true, .config_text = config});
  constexpr std::uint64_t kTileBytes = std::uint64_t{24} << 20;  // as a search sends them to a GPU
  for (const std::uint32_t sites : {128u, 512u, 1024u}) {
    const Shape shape{1, kTileBytes * 8 / sites, sites};
    RandomTile tile(*engine, {"", engine::Comparison::kIdentity}, shape, false);
    if (const auto checking = tile.checking(seconds))
      print_line("checksums", shape, tile.bytes(), *checking, peak);
  }
}

void run(const Options& options) {
  const opencl::OpenClDevice device = opencl::select_opencl_device(options.selector);
  opencl::with_cl_errors("bench", [&] {
    Peers peers(device);
    const Seconds counting = peers.popcount(options.seconds);
    const double peak = peers.popcount_bits() / counting.median;
    const std::string text = config_text(options, device.facts, "");
    fmt::print("# {}\n",
               opencl::make_opencl_engine(device.facts.selector, {}, {.config_text = text})->description());
    fmt::print("# what\tqueries\tprofiles\tsites\tbits/s\tbest\tshare of popcount rate\ttried\n");
    print_line("popcount", {}, peers.popcount_bits(), counting, peak);
    if (options.rates) {
      print_rates(peers, model::parse_config(text, "config"), options.seconds, peak);
      print_checksum_rates(device, text, options.seconds, peak);
    }
    if (options.tries.empty()) return measure_config(options, device, peers, peak, "");
    for (const std::string& tried : options.tries) try {
        measure_config(options, device, peers, peak, tried);
      } catch (const Error& error) {
        fmt::print("# {}: {}\n", tried, error.what());
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
