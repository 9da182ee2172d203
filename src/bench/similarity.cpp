#include "bench/similarity.hpp"

#include <span>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/device_rate.hpp"
#include "engine/bit_vectors.hpp"
#include "pipeline/all_values.hpp"
#include "simulate/vectors.hpp"

namespace fastid::bench {
namespace {

constexpr double kLeast = 0.9;

engine::SimilarityMetric metric_of(const SimilarityShape& shape) {
  return shape.of == SimilarityOf::kCcc ? engine::SimilarityMetric::kCcc
                                        : engine::SimilarityMetric::kSorensen;
}

double seconds_of(const engine::SimilarityEngine& engine, const engine::VectorPlanes& planes,
                  const SimilarityShape& shape, ThreadPool& pool) {
  const Stopwatch watch;
  pipeline::MomentCounter moments(engine, planes, metric_of(shape), shape.way);
  moments.prepare(planes.n, pool);
  Progress progress(ProgressMode::kNever, "", "", 0);
  pipeline::FoundSink sink(kLeast, [](std::span<const match::FoundValue>) {});
  pipeline::ValueSink* const sinks[] = {&sink};
  pipeline::stream_values({.moments = moments, .pool = pool, .progress = progress}, {0, planes.n}, sinks,
                          &sink);
  return watch.seconds();
}

/// \param vectors  random vectors, so different that no two reach the threshold
SimilarityResult measure(const std::string& device, const SimilarityShape& shape, std::size_t repeats,
                         const engine::VectorBlocks& vectors, const engine::VectorPlanes& planes,
                         const SimilarityEngineMaker& make_engine, ThreadPool& pool, Bounds* bounds) {
  const auto engine = make_engine(device, vectors);
  const double combinations = static_cast<double>(engine::n_combinations(shape.vectors, shape.way));
  SimilarityResult result{measure_rate(device, repeats, combinations * shape.elements,
                       [&] { return seconds_of(*engine, planes, shape, pool); },
                       bounds == nullptr ? std::function<double()>() : [&] {
                         return shape.numbers() ? bounds->minima(*shape.numbers())
                                                : bounds->compare(engine::KernelCase::kInside) / shape.products();
                       }),
          shape};
  result.step = engine->step();
  result.bit_rate = result.rate * shape.products() * result.step.counted;
  return result;
}

}  // namespace

std::vector<SimilarityResult> run_similarity(const SimilarityOptions& options,
                                             const SimilarityEngineMaker& make_engine,
                                             const std::function<void(const SimilarityResult&)>& on_result) {
  return measure_all<SimilarityResult>(
      options, options.shapes,
      [&](const std::string& device, const SimilarityShape& shape, ThreadPool& pool, Bounds* bounds) {
        const simulate::VectorOptions made{
            .n_vectors = shape.vectors, .n_units = shape.elements, .seed = options.seed};
        const auto measured = [&](const engine::VectorBlocks& vectors, const engine::VectorPlanes& planes) {
          return measure(device, shape, options.repeats, vectors, planes, make_engine, pool, bounds);
        };
        if (const auto numbers = shape.numbers()) {
          const engine::RealMatrix matrix = simulate::random_rows(made, *numbers).read();
          return measured(matrix, engine::planes_of(matrix));
        }
        const engine::BitVectors bits(simulate::random_genotypes(made, pool).view(), metric_of(shape));
        return measured(bits.view(), bits.planes());
      },
      on_result);
}

}  // namespace fastid::bench
