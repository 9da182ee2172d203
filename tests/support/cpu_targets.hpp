/// \file
/// Native engines with each instruction set of this CPU.
#pragma once

#define HWY_WANT_AVX3_DL 1  // as base/cpu_target.hpp, so that it is one of those generated
#include "base/cpu_dispatch.hpp"
#include "engine/engine.hpp"

namespace fastid::testing {

/// Calls check(instruction set, what `make` makes with it) for each one. \param make  chooses kernels at once
template <class Make, class Check>
void for_each_target(const Make& make, const Check& check) {
  for (const std::string& target : engine::cpu_engine_targets()) {
    SCOPED_TRACE(target);
    const auto made = dispatched_to(target, make);
    ASSERT_NE(made, nullptr);
    check(*made);
  }
}

}  // namespace fastid::testing
