#include "model/stated_traits.hpp"

#include <algorithm>

#include "model/known_devices.hpp"
#include "model/transfer.hpp"

namespace fastid::model {

namespace {

// On the CPU, every driver runs work-items one after the other, and each work-item has its own vectors.
constexpr double kCpuVectorWords = 16, kCpuRegisterWords = 512;  // AVX-512: 32 registers of 16
constexpr double kGpuLoadWords = 4;                              // 128 bits

void learn(Trait& trait, double value) {
  if (value > 0) trait.learn(value, Source::kQueried);
}

}  // namespace

// Clock, compute units and sizes are the driver's numbers, since drivers know these best.
DeviceTraits stated_traits(const DeviceFacts& facts) {
  const KnownDevice* const known = find_known_device(facts.device, facts.architecture);
  DeviceTraits traits = known == nullptr ? DeviceTraits{} : traits_of(*known);
  traits.name = facts.device;
  learn(traits.clock_mhz, facts.clock_mhz);
  learn(traits.compute_units, facts.compute_units);
  learn(traits.group_items, static_cast<double>(facts.max_group_items));
  learn(traits.local_bytes, static_cast<double>(facts.local_memory));
  learn(traits.memory_bytes, static_cast<double>(facts.global_memory));
  learn(traits.allocation_bytes, static_cast<double>(facts.max_allocation));
  const bool cpu = facts.type == "CPU";
  learn(traits.load_words, cpu ? kCpuVectorWords : kGpuLoadWords);
  if (cpu) {
    learn(traits.thread_group, 1);
    learn(traits.item_registers, kCpuRegisterWords);
  }
  return traits;
}

DeviceTraits traits_of(const KernelConfig& config, Source source) {
  DeviceTraits traits;
  for (const TraitName& trait : trait_names()) {
    const auto number = std::ranges::find(config_numbers(), trait.header, &ConfigNumber::name);
    if (number == config_numbers().end() || number->in_shape || config.*number->value == 0) continue;
    (traits.*trait.value).learn(config.*number->value * trait.scale, source);
  }
  return traits;
}

DeviceTraits run_traits(const DeviceFacts& facts, const KernelConfig* config, bool uploads) {
  DeviceTraits traits = stated_traits(facts);
  traits.upload_pinned.learn(kUnknownUpload, Source::kKnown);
  traits.upload_seconds.learn(kUnknownUploadSeconds, Source::kKnown);
  if (config != nullptr) traits = merged(traits, traits_of(*config, Source::kQueried));
  if (!uploads) traits.upload_pinned = traits.upload_seconds = {};
  return traits;
}

}  // namespace fastid::model
