/// \file
/// Measures a rate together with its bound, so that both see the machine in the same state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/machine.hpp"
#include "bench/rate.hpp"

namespace fastid::bench {

/// The bounds of "cpu" and "cpu:TARGET"; no value for other devices. \param pool  must outlive them
/// \throws DeviceError: no such target
std::optional<Bounds> bounds_of(const std::string& device, ThreadPool& pool);

/// Repeats `seconds_of`, each time with the bound right after it.
/// \param units    of work each time
/// \param bound_of  units a second; empty: no bound is known
DeviceRate measure_rate(const std::string& device, std::size_t repeats, double units,
                        const std::function<double()>& seconds_of, const std::function<double()>& bound_of);

/// Measures every shape on every device. \param measure  makes the result of a device and a shape with a pool
/// of threads; gets null for bounds that are not known \param on_result  may be empty
template <class Result, class Shape, class Measure>
std::vector<Result> measure_all(const RateOptions& options, const std::vector<Shape>& shapes,
                                const Measure& measure, const std::function<void(const Result&)>& on_result) {
  ThreadPool pool(threads_or_all(options.threads));
  std::vector<Result> results;
  for (const std::string& device : options.devices) {
    std::optional<Bounds> bounds = bounds_of(device, pool);
    for (const Shape& shape : shapes) {
      results.push_back(measure(device, shape, pool, bounds ? &*bounds : nullptr));
      if (on_result) on_result(results.back());
    }
  }
  return results;
}

}  // namespace fastid::bench
