#include "bench/similarity.hpp"

#include <span>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/device_rate.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/real_similarity.hpp"
#include "pipeline/all_values.hpp"
#include "simulate/vectors.hpp"

namespace fastid::bench {
namespace {

constexpr double kLeast = 0.9;

/// Random vectors; no two of them reach the threshold.
struct Bits {
  Bits(const simulate::VectorOptions& made, engine::SimilarityMetric metric, ThreadPool& pool)
      : vectors(simulate::random_genotypes(made, pool).view(), metric) {}

  std::unique_ptr<engine::SimilarityEngine> engine(const std::string& device,
                                                   const SimilarityEngineMaker& make) const {
    return make.of_bits(device, vectors.view());
  }
  engine::VectorPlanes planes() const { return vectors.planes(); }

  engine::BitVectors vectors;
};

struct Numbers {
  Numbers(const simulate::VectorOptions& made, engine::RealType type)
      : matrix(simulate::random_rows(made, type).read()) {}

  std::unique_ptr<engine::SimilarityEngine> engine(const std::string& device,
                                                   const SimilarityEngineMaker& make) const {
    return make.of_numbers(device, matrix);
  }
  engine::VectorPlanes planes() const { return engine::planes_of(matrix); }

  engine::RealMatrix matrix;
};

engine::SimilarityMetric metric_of(const SimilarityShape& shape) {
  return shape.of == SimilarityOf::kCcc ? engine::SimilarityMetric::kCcc
                                        : engine::SimilarityMetric::kSorensen;
}

double seconds_of(const engine::SimilarityEngine& engine, const engine::VectorPlanes& planes,
                  const SimilarityShape& shape, ThreadPool& pool) {
  const Stopwatch watch;
  pipeline::MomentCounter moments(engine, planes, metric_of(shape), shape.way);
  moments.prepare(planes.n, pool);
  const engine::SimilarityValues values(metric_of(shape), shape.way, false, moments.own());
  Progress progress(ProgressMode::kNever, "", "", 0);
  pipeline::FoundSink sink(kLeast, [](std::span<const match::FoundValue>) {});
  pipeline::stream_chosen({.moments = moments, .values = values, .pool = pool, .progress = progress},
                          {0, planes.n}, sink);
  return watch.seconds();
}

template <class Vectors>
SimilarityResult measure(const std::string& device, const SimilarityShape& shape, std::size_t repeats,
                         const Vectors& vectors, const SimilarityEngineMaker& make_engine, ThreadPool& pool,
                         Bounds* bounds) {
  const auto engine = vectors.engine(device, make_engine);
  const double combinations = static_cast<double>(engine::n_combinations(shape.vectors, shape.way));
  SimilarityResult result{measure_rate(device, repeats, combinations * shape.elements,
                       [&] { return seconds_of(*engine, vectors.planes(), shape, pool); },
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
        if (const auto numbers = shape.numbers())
          return measure(device, shape, options.repeats, Numbers(made, *numbers), make_engine, pool, bounds);
        return measure(device, shape, options.repeats, Bits(made, metric_of(shape), pool), make_engine, pool,
                       bounds);
      },
      on_result);
}

}  // namespace fastid::bench
