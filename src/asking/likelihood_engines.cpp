#include "asking/likelihood_engines.hpp"

#include <fmt/format.h>

#include "asking/engines.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "opencl/pair_hmm.hpp"

namespace fastid {

std::unique_ptr<hmm::LikelihoodEngine> make_likelihood_engine(const std::string& device,
                                                              std::size_t threads) {
  constexpr std::string_view kCpuOf = "cpu:";
  if (device == "auto" || device == "cpu") return hmm::make_cpu_engine(threads);
  if (device == "reference") return hmm::make_reference_engine();
  if (device.starts_with(kCpuOf))
    if (auto engine = hmm::make_cpu_engine_for(device.substr(kCpuOf.size()), threads)) return engine;
  if (const auto selector = opencl_selector(device)) return make_opencl_likelihood_engine(*selector, threads);
  throw UsageError(fmt::format(
      "--device {}: no device of the pair-HMM; use auto, cpu, reference, opencl or opencl:SELECTOR",
      printable(device)));
}

}  // namespace fastid
