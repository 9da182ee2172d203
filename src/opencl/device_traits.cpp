#include "opencl/device_traits.hpp"

#include <algorithm>
#include <vector>

#include "model/known_devices.hpp"

namespace fastid {
namespace {

using model::DeviceTraits;
using model::Source;
using model::Trait;

// Of vendors' extensions; cl_ext.h does not have them all.
constexpr cl_device_info kRegistersPerBlockNv = 0x4002, kWarpSizeNv = 0x4003;  // cl_nv_device_attribute_query
constexpr cl_device_info kSimdsPerUnitAmd = 0x4040,
                         kWavefrontWidthAmd = 0x4043,  // cl_amd_device_attribute_query
    kLocalBanksAmd = 0x4048;
constexpr cl_device_info kThreadsPerEuIntel = 0x4255, kSubGroupSizesIntel = 0x4108;

// What every driver of a CPU has: work-items one after the other, and vectors of a work-item's own.
constexpr double kCpuVectorWords = 16, kCpuRegisterWords = 512;  // AVX-512: 32 registers of 16
constexpr double kGpuLoadWords = 4;                              // 128 bits

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

DeviceTraits queried_traits(const OpenClDevice& device) {
  const DeviceFacts& facts = device.facts;
  const bool cpu = facts.type == "CPU";
  DeviceTraits traits;
  traits.name = facts.device;
  learn(traits.clock_mhz, facts.clock_mhz);
  learn(traits.compute_units, facts.compute_units);
  learn(traits.group_items, static_cast<double>(facts.max_group_items));
  learn(traits.local_bytes, static_cast<double>(facts.local_memory));
  learn(traits.memory_bytes, static_cast<double>(facts.global_memory));
  learn(traits.allocation_bytes, static_cast<double>(facts.max_allocation));
  learn(traits.load_words, cpu ? kCpuVectorWords : kGpuLoadWords);
  if (cpu) {
    learn(traits.thread_group, 1);
    learn(traits.item_registers, kCpuRegisterWords);
    return traits;
  }
  ask_extensions(device.device, traits);
  return traits;
}

// The driver's numbers for what drivers know best: clock, units and sizes.
DeviceTraits stated_traits(const OpenClDevice& device) {
  DeviceTraits queried = queried_traits(device);
  const model::KnownDevice* const known =
      model::find_known_device(device.facts.device, device.facts.architecture);
  if (known == nullptr) return queried;
  DeviceTraits traits = model::traits_of(*known);
  for (const model::TraitName& trait : model::trait_names())
    if ((queried.*trait.value).known()) traits.*trait.value = queried.*trait.value;
  traits.name = device.facts.device;
  return traits;
}

}  // namespace fastid
