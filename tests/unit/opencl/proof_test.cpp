// The rules of proofs, whatever a device computes: no driver is asked. tests/opencl_faults has devices that
// miscount.
#include "opencl/kernel/proof.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"

namespace fastid::opencl {
namespace {

OpenClDevice device_of(const std::string& selector) {
  OpenClDevice device;
  device.facts.selector = selector;
  return device;
}

ProgramSource program_of(const std::string& text) {
  return {text, "-cl-std=CL1.2", "count"};
}

TEST(Proof, IsDueOnceForEachProgramAndDevice) {
  int n = 0;
  const auto solves = [&] { return ++n > 0; };
  for (int time = 0; time < 2; ++time) prove(device_of("7.0"), program_of("once"), "pairs", solves);
  EXPECT_EQ(n, 1);
  prove(device_of("7.1"), program_of("once"), "pairs", solves);
  EXPECT_EQ(n, 2);
  prove(device_of("7.0"), program_of("other"), "pairs", solves);
  EXPECT_EQ(n, 3);
}

TEST(Proof, IsDueAgainWhereItFailed) {
  const ProgramSource program = program_of("wrong");
  for (int time = 0; time < 2; ++time) {
    try {
      prove(device_of("7.0"), program, "pairs", [] { return false; });
      FAIL() << "a wrong answer passed";
    } catch (const KernelFault& fault) {
      EXPECT_EQ(fault.fault(), "kernel count gives other pairs of a small problem than the definition");
      EXPECT_TRUE(std::string(fault.what()).starts_with("opencl:7.0: kernel count gives other pairs"));
    }
  }
  prove(device_of("7.0"), program, "pairs", [] { return true; });
}

TEST(Proof, TakesADeviceThatCannotRunAProgramForOneThatRefusesIt) {
  const auto fails = []() -> bool { throw cl::Error(CL_OUT_OF_RESOURCES, "clEnqueueNDRangeKernel"); };
  try {
    prove(device_of("7.0"), program_of("large"), "pairs", fails);
    FAIL() << "an error was lost";
  } catch (const KernelBuildError& error) {
    EXPECT_STREQ(error.what(), "opencl:7.0: clEnqueueNDRangeKernel failed: CL_OUT_OF_RESOURCES (-5)");
  }
}

TEST(Proof, TakesAnAnswerThatCannotBeForAWrongOne) {
  const auto lies = []() -> bool { throw WrongAnswer("the device found 9 pairs among 4"); };
  try {
    prove(device_of("7.0"), program_of("lies"), "pairs", lies);
    FAIL() << "a lie passed";
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.fault(), "the device found 9 pairs among 4");
  }
}

TEST(Proof, LeavesALackOfMemoryToTheCaller) {
  const auto lacks = []() -> bool { throw DeviceMemoryError("no memory"); };
  EXPECT_THROW(prove(device_of("7.0"), program_of("memory"), "pairs", lacks), DeviceMemoryError);
}

TEST(Kernels, AreTriedUntilTheLastOne) {
  const auto refused = [] { throw KernelBuildError("opencl:7.0: does not build\nline 1: what?"); };
  const auto wrong = [] { throw KernelFault("opencl:7.0", "counts wrong"); };
  EXPECT_EQ(try_kernel([] {}, false), "");
  EXPECT_EQ(try_kernel(refused, false), "opencl:7.0: does not build");
  EXPECT_EQ(try_kernel(wrong, false), "counts wrong");
  EXPECT_THROW(try_kernel(refused, true), KernelBuildError);
  EXPECT_THROW(try_kernel(wrong, true), KernelFault);
  // Another kernel would lack memory too.
  EXPECT_THROW(try_kernel([] { throw DeviceMemoryError("no memory"); }, false), DeviceMemoryError);
}

}  // namespace
}  // namespace fastid::opencl
