// What vendors' extensions say of a device.
#include "opencl/devices.hpp"

#include <algorithm>
#include <vector>

#include "model/stated_traits.hpp"

namespace fastid::opencl {
namespace {

using model::DeviceTraits;
using model::Source;
using model::Trait;

// From vendors' extensions; cl_ext.h does not define all of them.
constexpr cl_device_info kRegistersPerBlockNv = 0x4002, kWarpSizeNv = 0x4003;  // cl_nv_device_attribute_query
constexpr cl_device_info kSimdsPerUnitAmd = 0x4040,
                         kWavefrontWidthAmd = 0x4043,  // cl_amd_device_attribute_query
    kLocalBanksAmd = 0x4048;
constexpr cl_device_info kThreadsPerEuIntel = 0x4255, kSubGroupSizesIntel = 0x4108;

void learn(Trait& trait, double value) {
  if (value > 0) trait.learn(value, Source::kQueried);
}

// An extension's number; 0 where the driver does not answer.
double number_of(const cl::Device& device, cl_device_info what) {
  cl_uint value = 0;
  const cl_int code = ::clGetDeviceInfo(device(), what, sizeof value, &value, nullptr);
  return code == CL_SUCCESS ? value : 0;
}

// The largest sub-group; 0 where the driver does not answer.
double widest_sub_group(const cl::Device& device) {
  std::vector<std::size_t> sizes(16);
  std::size_t bytes = 0;
  if (::clGetDeviceInfo(device(), kSubGroupSizesIntel, sizes.size() * sizeof(std::size_t), sizes.data(),
                        &bytes) != CL_SUCCESS)
    return 0;
  sizes.resize(std::min(sizes.size(), bytes / sizeof(std::size_t)));
  return sizes.empty() ? 0 : static_cast<double>(*std::ranges::max_element(sizes));
}

void ask_extensions(const cl::Device& device, DeviceTraits& traits) {
  const std::string extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  const auto has = [&](const char* name) { return extensions.find(name) != std::string::npos; };
  if (has("cl_nv_device_attribute_query")) {
    learn(traits.thread_group, number_of(device, kWarpSizeNv));
    learn(traits.registers, number_of(device, kRegistersPerBlockNv));
  }
  if (has("cl_amd_device_attribute_query")) {
    learn(traits.thread_group, number_of(device, kWavefrontWidthAmd));
    learn(traits.clusters, number_of(device, kSimdsPerUnitAmd));
    learn(traits.banks, number_of(device, kLocalBanksAmd));
  }
  if (has("cl_intel_required_subgroup_size")) learn(traits.thread_group, widest_sub_group(device));
  if (has("cl_intel_device_attribute_query"))
    learn(traits.resident_groups, number_of(device, kThreadsPerEuIntel));
}

}  // namespace

DeviceTraits stated_traits(const OpenClDevice& device) {
  DeviceTraits traits = model::stated_traits(device.facts);
  if (device.facts.type != "CPU") ask_extensions(device.device, traits);
  return traits;
}

}  // namespace fastid::opencl
