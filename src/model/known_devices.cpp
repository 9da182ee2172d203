#include "model/known_devices.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace fastid::model {
namespace {

constexpr std::string_view kPaper = "Binder, Low, Popovici 2019, Table I";
constexpr std::string_view kCuda =
    "CUDA C++ Programming Guide, throughput of native arithmetic instructions, technical specifications";
constexpr std::string_view kCdna = "AMD, CDNA3 Instruction Set Architecture; CDNA 3 white paper";
constexpr std::string_view kRdna = "AMD, RDNA3 Instruction Set Architecture; RDNA 3 white paper";
constexpr std::string_view kXe = "Intel, oneAPI GPU Optimization Guide, Xe architecture";

// Entries for a device come before those for its architecture.
//
//  name, device, architecture, source, MHz, units, N_T, N_grp, N_cl, popc, logic, add, L popc, N_b, local,
//  kept, registers, of an item, GB/s
constexpr KnownDevice kDevices[] = {
    {"GTX 980", "gtx 980", "", kPaper, 1367, 16, 32, 32, 4, 32, 128, 128, 6, 32, 49152, 4, 65536, 255, 224},
    {"Titan V", "titan v", "", kPaper, 1455, 80, 32, 32, 4, 16, 64, 64, 4, 32, 49152, 4, 65536, 255, 653},
    {"Vega 64", "vega 64", "", kPaper, 1663, 64, 64, 16, 4, 64, 64, 64, 4, 32, 65536, 0, 65536, 256, 484},
    {"Vega 64", "", "gfx900", kPaper, 1663, 64, 64, 16, 4, 64, 64, 64, 4, 32, 65536, 0, 65536, 256, 484},
    {"H200", "h200", "", kCuda, 1980, 132, 32, 64, 4, 16, 64, 64, 0, 32, 49152, 0, 65536, 255, 4800},
    {"H100", "h100", "", kCuda, 0, 0, 32, 64, 4, 16, 64, 64, 0, 32, 49152, 0, 65536, 255, 3350},
    {"A100", "a100", "", kCuda, 1410, 108, 32, 64, 4, 16, 64, 64, 0, 32, 49152, 0, 65536, 255, 1555},
    {"RTX 4090", "rtx 4090", "", kCuda, 2520, 128, 32, 48, 4, 16, 64, 64, 0, 32, 49152, 0, 65536, 255, 1008},
    {"Hopper and later", "", "sm_9", kCuda, 0, 0, 32, 64, 4, 16, 64, 64, 0, 32, 49152, 0, 65536, 255, 0},
    {"Blackwell", "", "sm_1", kCuda, 0, 0, 32, 48, 4, 16, 64, 64, 0, 32, 49152, 0, 65536, 255, 0},
    {"Ampere and Ada", "", "sm_8", kCuda, 0, 0, 32, 48, 4, 16, 64, 64, 0, 32, 49152, 0, 65536, 255, 0},
    {"Volta and Turing", "", "sm_7", kCuda, 0, 0, 32, 32, 4, 16, 64, 64, 0, 32, 49152, 0, 65536, 255, 0},
    {"Pascal", "", "sm_6", kCuda, 0, 0, 32, 64, 4, 32, 128, 128, 0, 32, 49152, 0, 65536, 255, 0},
    {"Maxwell", "", "sm_5", kCuda, 0, 0, 32, 64, 4, 32, 128, 128, 0, 32, 49152, 0, 65536, 255, 0},
    {"Instinct MI300", "", "gfx94", kCdna, 2100, 0, 64, 32, 4, 64, 64, 64, 4, 32, 65536, 0, 131072, 512,
     5300},
    {"GCN and CDNA", "", "gfx9", kCdna, 0, 0, 64, 32, 4, 64, 64, 64, 4, 32, 65536, 0, 65536, 256, 0},
    {"RDNA", "", "gfx1", kRdna, 0, 0, 32, 32, 2, 64, 64, 64, 5, 32, 65536, 0, 65536, 256, 0},
    {"Xe", "arc(tm)", "", kXe, 0, 0, 16, 64, 8, 64, 128, 128, 0, 16, 65536, 0, 65536, 128, 0},
};

}  // namespace

std::span<const KnownDevice> known_devices() {
  return kDevices;
}

const KnownDevice* find_known_device(std::string_view device, std::string_view architecture) {
  const std::string name = ascii_lower(device);
  const auto* const found = std::ranges::find_if(kDevices, [&](const KnownDevice& known) {
    if (!known.device.empty()) return name.find(known.device) != std::string::npos;
    return architecture.starts_with(known.architecture);
  });
  return found == std::end(kDevices) ? nullptr : found;
}

DeviceTraits traits_of(const KnownDevice& known) {
  DeviceTraits traits;
  traits.name = known.name;
  const auto learn = [](Trait& trait, double value, double unit = 1) {
    if (value > 0) trait.learn(value * unit, Source::kKnown);
  };
  learn(traits.clock_mhz, known.clock_mhz);
  learn(traits.compute_units, known.compute_units);
  learn(traits.thread_group, known.thread_group);
  learn(traits.resident_groups, known.resident_groups);
  learn(traits.clusters, known.clusters);
  learn(traits.popcounts, known.popcounts);
  learn(traits.logic, known.logic);
  learn(traits.ands, known.logic);
  learn(traits.xors, known.logic);
  learn(traits.adds, known.adds);
  learn(traits.popcount_latency, known.popcount_latency);
  learn(traits.banks, known.banks);
  learn(traits.local_bytes, known.local_bytes);
  learn(traits.local_reserved, known.local_reserved);
  learn(traits.registers, known.registers);
  learn(traits.item_registers, known.item_registers);
  learn(traits.memory_rate, known.memory_rate, 1e9);
  traits.load_words.learn(4, Source::kKnown);  // 128 bits, on all of them
  return traits;
}

}  // namespace fastid::model
