#include "opencl/kernel/weigher.hpp"

#include <fmt/format.h>

#include <vector>

#include "opencl/device_buffer.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kMostWeighItems = 128;            // of a work-group; a driver may take fewer
constexpr std::size_t kHeadWords = 4, kPlaceWords = 2;  // of a query, of one of its words
constexpr std::size_t kWordWeights = engine::SiteWeightsByKind::kBits * engine::SiteWeightsByKind::kKinds;

/// The arrays that weigh.cl describes.
struct PackedWeights {
  std::vector<cl_uint> queries, words, weights;
};

void add_set(std::span<const engine::WeightedWord> words, std::vector<cl_uint>& weights) {
  for (const engine::WeightedWord& word : words)
    for (std::size_t kind = 0; kind < engine::SiteWeightsByKind::kKinds; ++kind)
      for (const auto& bit : word.bits) weights.push_back(bit[kind]);
}

PackedWeights packed(const engine::WeightedCount& count) {
  PackedWeights made;
  for (const engine::WeightedCount::OfQuery& of : count.weighted()) {
    const std::vector<engine::WeightedWord>& words = of.words.front();
    for (const std::size_t number :
         {made.words.size() / kPlaceWords, words.size(), of.words.size(), made.weights.size() / kWordWeights})
      made.queries.push_back(narrow<cl_uint>(number));
    for (const engine::WeightedWord& word : words)
      made.words.insert(made.words.end(), {word.word, word.sites});
    for (const std::vector<engine::WeightedWord>& set : of.words) add_set(set, made.weights);
  }
  return made;
}

/// Buffers of one problem, for all workers.
struct DeviceWeights {
  cl::Buffer queries, words, weights;
  std::size_t n_queries = 0;
};

class Weigher final : public PairKernel {
 public:
  Weigher(const cl::Context& context, const cl::Program& program, const engine::Problem& problem,
          const DeviceWeights& weights, const DeviceTile& tile)
      : kernel_(program, "weigh"),
        limits_(context, weights.n_queries, 2 * engine::WeightedCount::kNoWeight - 1),
        group_(group_items(kernel_, context, kMostWeighItems)) {
    set_arguments(kernel_, 0, weights.queries, weights.words, weights.weights, limits_.buffer(), tile.bits,
                  tile.second, narrow<cl_uint>(problem.database.n_words()));
    set_arguments(kernel_, kFound, tile.found.capacity, tile.found.buffer);
  }

  void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds) override {
    limits_.set(queue, thresholds);
  }

  void compare(DeviceQueue& queue, const engine::Rectangle& pairs) override {
    set_arguments(kernel_, kPairs, cl_uint{pairs.row_begin}, cl_uint{pairs.row_end},
                  cl_uint{pairs.column_begin});
    queue.run(kernel_, {cl::NDRange(ceil_div(pairs.rows(), group_) * group_, pairs.columns()),
                        cl::NDRange(group_, 1)});
  }

 private:
  /// Where the kernel's arguments of pairs, and of where they are appended, begin.
  enum Argument : cl_uint { kPairs = 7, kFound = 10 };

  cl::Kernel kernel_;
  QueryLimits limits_;
  std::size_t group_;
};

}  // namespace

std::string weigh_options(const engine::Problem& problem) {
  return fmt::format(
      "-cl-std=CL1.2 -D FASTID_SECOND={:d} -D FASTID_ALLELES={:d} -D FASTID_KINDS={} -D "
      "FASTID_NO_WEIGHT={}",
      problem.has_second, problem.database.encoding == Encoding::kAlleles,
      problem.by == Encoding::kAlleles ? 3 : 2, engine::WeightedCount::kNoWeight);
}

PairKernelMaker pack_weights(const cl::Context& context, const cl::Program& program,
                             const engine::Problem& problem, const engine::WeightedCount& count) {
  const PackedWeights made = packed(count);
  const DeviceWeights weights{make_copy(context, made.queries), make_copy(context, made.words),
                              make_copy(context, made.weights), count.weighted().size()};
  return [=](const DeviceTile& tile) {
    return std::make_unique<Weigher>(context, program, problem, weights, tile);
  };
}

std::uint64_t weight_bytes(const engine::WeightedCount& count) {
  std::uint64_t words = 0;
  for (const engine::WeightedCount::OfQuery& of : count.weighted())
    words += kHeadWords + of.words.front().size() * (kPlaceWords + of.words.size() * kWordWeights);
  return words * sizeof(cl_uint);
}

}  // namespace fastid::opencl
