#include "bench/internal/device_rate.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "base/median.hpp"

namespace fastid::bench {

std::optional<Bounds> bounds_of(const std::string& device, ThreadPool& pool) {
  constexpr std::string_view kCpuOf = "cpu:";
  if (device == "cpu") return Bounds("", pool);
  if (device.starts_with(kCpuOf)) return Bounds(device.substr(kCpuOf.size()), pool);
  return std::nullopt;
}

DeviceRate measure_rate(const std::string& device, std::size_t repeats, double units,
                        const std::function<double()>& seconds_of, const std::function<double()>& bound_of) {
  std::vector<double> seconds, bounds;
  for (std::size_t i = 0; i < repeats; ++i) {
    seconds.push_back(seconds_of());
    if (bound_of) bounds.push_back(bound_of());
  }
  DeviceRate result{.device = device, .repeats = repeats, .seconds = median(std::move(seconds))};
  result.rate = units / result.seconds;
  if (!bounds.empty()) result.bound = median(std::move(bounds));
  return result;
}

}  // namespace fastid::bench
