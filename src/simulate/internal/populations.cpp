#include "simulate/internal/populations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "simulate/internal/variates.hpp"
#include "simulate/random.hpp"

namespace fastid::simulate {
namespace {

constexpr double kMillion = 1e6;

}  // namespace

std::vector<double> drifted(const std::vector<double>& minor_freq, double fst, std::uint64_t seed,
                            std::uint64_t index) {
  if (fst == 0) return minor_freq;
  Stream stream(seed, Purpose::kDrift, index);
  const double scale = (1 - fst) / fst;
  std::vector<double> drawn;
  for (const double q : minor_freq) {
    const bool fixed = q <= 0 || q >= 1;
    const double now = fixed ? q : beta_variate(q * scale, (1 - q) * scale, stream);
    drawn.push_back(std::round(now * kMillion) / kMillion);
  }
  return drawn;
}

Panel with_drifted(const Panel& panel, const std::vector<double>& minor_freq, std::uint32_t n, double fst,
                   std::uint64_t seed, const std::string& source) {
  std::vector<Population> populations = panel.populations();
  for (std::uint32_t i = 0; i < n; ++i)
    populations.push_back({fmt::format("pop{}", i + 1), drifted(minor_freq, fst, seed, i)});
  return Panel(panel.sites(), std::move(populations), panel.build(), source);
}

}  // namespace fastid::simulate
