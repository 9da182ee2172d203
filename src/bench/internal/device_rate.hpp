/// \file
/// Measures a rate, and its bound in the same minutes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/thread_pool.hpp"
#include "bench/internal/machine.hpp"
#include "bench/rate.hpp"

namespace fastid::bench {

/// The bounds of "cpu" and "cpu:TARGET"; none of another device. \param pool  must outlive them
/// \throws DeviceError: no such target
std::optional<Bounds> bounds_of(const std::string& device, ThreadPool& pool);

/// Repeats `seconds_of`, each time with the bound right after it.
/// \param units    of work each time
/// \param bound_of  units a second; empty: no bound is known
DeviceRate measure_rate(const std::string& device, std::size_t repeats, double units,
                        const std::function<double()>& seconds_of, const std::function<double()>& bound_of);

}  // namespace fastid::bench
