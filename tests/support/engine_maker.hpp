/// \file
/// Engines of a question, each by its name, for tests that hold all of them to one oracle.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "support/cpu_targets.hpp"

namespace fastid::testing {

template <class Engine, class Problem>
struct EngineMaker {
  std::string name;
  std::function<std::unique_ptr<Engine>(const Problem&)> make;
  std::string target = {};  ///< the CPU's instruction set; "": any
  bool opencl = false;

  /// Calls check(engine), with the instruction set; on OpenCL no byte beside a buffer may change.
  template <class Check>
  void use(const Problem& problem, const Check& check) const {
    const auto run = [&] {
      auto engine = make(problem);
      check(*engine);
      return engine;
    };
    if (opencl) {
      const opencl::BufferGuard guard;
      run();
      EXPECT_GT(guard.buffers(), 0U);
      EXPECT_TRUE(guard.whole());
    } else if (target.empty()) {
      run();
    } else {
      EXPECT_NE(dispatched_to(target, run), nullptr) << target;
    }
  }

  bool can_run() const { return !opencl || !opencl::list_opencl_devices().empty(); }

  friend void PrintTo(const EngineMaker& maker, std::ostream* out) { *out << maker.name; }
};

/// The reference, and the CPU's engine with each of its instruction sets. \param make  (device, problem)
template <class Engine, class Problem, class Make>
std::vector<EngineMaker<Engine, Problem>> native_makers(const Make& make) {
  const auto on = [&](const std::string& device) {
    return [make, device](const Problem& problem) { return make(device, problem); };
  };
  std::vector<EngineMaker<Engine, Problem>> makers = {{"reference", on("reference")}};
  for (const std::string& target : engine::cpu_engine_targets())
    makers.push_back({"cpu_" + target, on("cpu"), target});
  return makers;
}

}  // namespace fastid::testing
