#include "analysis/likelihood_engines.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "opencl/pair_hmm.hpp"

namespace fastid {

std::unique_ptr<hmm::LikelihoodEngine> make_likelihood_engine(const std::string& device,
                                                              std::size_t threads) {
  constexpr std::string_view kCpuOf = "cpu:", kOpenCl = "opencl", kOpenClOf = "opencl:";
  if (device == "auto" || device == "cpu") return hmm::make_cpu_engine(threads);
  if (device == "reference") return hmm::make_reference_engine();
  if (device.starts_with(kCpuOf))
    if (auto engine = hmm::make_cpu_engine_for(device.substr(kCpuOf.size()), threads)) return engine;
  if (device == kOpenCl) return make_opencl_likelihood_engine("", threads);
  if (device.starts_with(kOpenClOf))
    return make_opencl_likelihood_engine(device.substr(kOpenClOf.size()), threads);
  throw UsageError(fmt::format(
      "--device {}: no device of the pair-HMM; use auto, cpu, reference, opencl or opencl:SELECTOR",
      printable(device)));
}

}  // namespace fastid
