#include "model/traits.hpp"

namespace fastid::model {
namespace {

using T = DeviceTraits;
constexpr TraitName kNames[] = {
    {"clock", "MHz", "clock", &T::clock_mhz, "HW_CLOCK_MHZ"},
    {"compute_units", "", "compute units", &T::compute_units, "HW_COMPUTE_UNITS"},
    {"thread_group", "work-items", "go in step", &T::thread_group, "HW_N_T"},
    {"resident_groups", "thread groups", "of a compute unit at most", &T::resident_groups, ""},
    {"clusters", "", "clusters of a compute unit", &T::clusters, "HW_N_CL"},
    {"load_words", "32-bit words", "that a work-item loads at once", &T::load_words, ""},
    {"popcounts", "a clock and unit", "popcounts", &T::popcounts, "HW_POPCOUNTS"},
    {"logic", "a clock and unit", "(a & b) ^ c", &T::logic, ""},
    {"ands", "a clock and unit", "AND", &T::ands, "HW_LOGIC"},
    {"xors", "a clock and unit", "XOR", &T::xors, ""},
    {"adds", "a clock and unit", "ADD", &T::adds, ""},
    {"popcount_latency", "clocks", "latency of a popcount", &T::popcount_latency, "HW_L_FN"},
    {"logic_latency", "clocks", "latency of (a & b) ^ c", &T::logic_latency, ""},
    {"and_latency", "clocks", "latency of AND", &T::and_latency, ""},
    {"xor_latency", "clocks", "latency of XOR", &T::xor_latency, ""},
    {"add_latency", "clocks", "latency of ADD", &T::add_latency, ""},
    {"popcount_shares_add", "0..1", "popcount and ADD share a pipe", &T::popcount_shares_add, ""},
    {"popcount_shares_logic", "0..1", "popcount and logic share a pipe", &T::popcount_shares_logic, ""},
    {"logic_shares_add", "0..1", "logic and ADD share a pipe", &T::logic_shares_add, ""},
    {"registers", "32-bit words", "registers of a compute unit", &T::registers, ""},
    {"item_registers", "32-bit words", "registers of a work-item at most", &T::item_registers, ""},
    {"group_items", "work-items", "of a work-group at most", &T::group_items, ""},
    {"local_bytes", "bytes", "local memory of a work-group", &T::local_bytes, "HW_LOCAL_BYTES"},
    {"local_reserved", "bytes", "of it the driver's", &T::local_reserved, ""},
    {"banks", "", "banks of local memory", &T::banks, "HW_N_B"},
    {"local_rate", "bytes a clock and unit", "local memory, reading", &T::local_rate, ""},
    {"memory_bytes", "bytes", "global memory", &T::memory_bytes, ""},
    {"allocation_bytes", "bytes", "allocated at once at most", &T::allocation_bytes, ""},
    {"memory_rate", "bytes/s", "global memory, reading", &T::memory_rate, "HW_MEMORY_MBYTES", 1e6},
    {"upload_pinned", "bytes/s", "upload from pinned memory", &T::upload_pinned, "HW_UPLOAD_MBYTES", 1e6},
    {"upload_pageable", "bytes/s", "upload from pageable memory", &T::upload_pageable, "HW_PAGEABLE_MBYTES",
     1e6},
    {"download_pinned", "bytes/s", "download to pinned memory", &T::download_pinned, ""},
    {"download_pageable", "bytes/s", "download to pageable memory", &T::download_pageable, ""},
    {"both_ways", "bytes/s", "up and down at the same time", &T::both_ways, ""},
    {"upload_seconds", "s", "that each upload takes besides", &T::upload_seconds, "HW_UPLOAD_NS", 1e-9},
    {"launch_seconds", "s", "from one kernel to the next", &T::launch_seconds, "HW_LAUNCH_NS", 1e-9},
    {"startup_seconds", "s", "to start OpenCL", &T::startup_seconds, "HW_STARTUP_MS", 1e-3},
};

}  // namespace

std::string_view name_of(Source source) {
  constexpr std::string_view kSources[] = {"-", "known", "queried", "measured"};
  return kSources[static_cast<int>(source)];
}

std::span<const TraitName> trait_names() {
  return kNames;
}

DeviceTraits merged(DeviceTraits base, const DeviceTraits& better) {
  if (!better.name.empty()) base.name = better.name;
  for (const TraitName& trait : kNames) {
    const Trait& from = better.*trait.value;
    if (from.known()) (base.*trait.value).learn(from.value, from.source);
  }
  return base;
}

}  // namespace fastid::model
