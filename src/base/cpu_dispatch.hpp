/// \file
/// The choice of an instruction set by name, for tests and measurements. Everything else takes the best one.
#pragma once

#include <string>

#include <hwy/targets.h>

namespace fastid {

/// What `dispatch` (HWY_DYNAMIC_DISPATCH of a function) returns if `target` is taken for this CPU's best
/// instruction set; null where the CPU lacks it, or the program was built without it. Not thread-safe.
template <class Dispatch>
auto dispatched_to(const std::string& target, const Dispatch& dispatch) -> decltype(dispatch()) {
  for (const auto each : hwy::SupportedAndGeneratedTargets()) {
    if (target != hwy::TargetName(each)) continue;
    const auto choose = [](auto targets) {
      hwy::SetSupportedTargetsForTest(targets);
      hwy::GetChosenTarget().DeInit();  // the next dispatch chooses again
    };
    choose(each);
    auto result = dispatch();
    choose(decltype(each){0});
    return result;
  }
  return nullptr;
}

}  // namespace fastid
