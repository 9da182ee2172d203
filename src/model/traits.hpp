/// \file
/// What a device is, in numbers: the paper's Table I and what its model leaves out (transfers, memory,
/// launches).
///
/// Names in brackets are those of E. Binder, T. M. Low, D. T. Popovici, "A Portable GPU Framework for SNP
/// Comparisons", 2019. Rates of instructions are 32-bit operations a clock and compute unit; "logic" is (a &
/// b) ^ c, one instruction where there are those of three inputs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fastid::model {

/// Where a number comes from. A later one of these is believed before an earlier one.
enum class Source { kNone, kKnown, kQueried, kMeasured };
/// "-", "known" (a table), "queried" (the driver), "measured".
std::string_view name_of(Source source);

struct Trait {
  double value = 0;
  Source source = Source::kNone;

  bool known() const { return source != Source::kNone; }
  /// Takes `number` unless something better is known.
  void learn(double number, Source from) {
    if (from >= source) *this = {number, from};
  }
  double value_or(double otherwise) const { return known() ? value : otherwise; }
};

struct DeviceTraits {
  std::string name;
  Trait clock_mhz;
  Trait compute_units;    ///< [N_C]
  Trait thread_group;     ///< [N_T] work-items that go in step
  Trait resident_groups;  ///< [N_grp] thread groups of a compute unit at most
  Trait clusters;         ///< [N_cl] of a compute unit
  Trait load_words;       ///< [N_vec] that a work-item loads at once

  Trait popcounts, logic, ands, xors, adds;  ///< [N_fn N_cl] a clock and compute unit
  Trait popcount_latency, logic_latency, and_latency, xor_latency, add_latency;  ///< [L_fn] clocks
  Trait popcount_shares_add;  ///< 0..1: none or all of the one's time is lost to the other
  Trait popcount_shares_logic;
  Trait logic_shares_add;

  Trait registers;       ///< 32-bit words of a compute unit
  Trait item_registers;  ///< of a work-item at most
  Trait group_items;     ///< work-items of a work-group at most
  Trait local_bytes;     ///< [N_shared] that a work-group may ask for
  Trait local_reserved;  ///< bytes of it that the driver keeps
  Trait banks;           ///< [N_b] of local memory
  Trait local_rate;      ///< bytes a clock and compute unit, without conflicts

  Trait memory_bytes, allocation_bytes;
  Trait memory_rate;                         ///< bytes a second, of the device's memory, reading
  Trait upload_pinned, upload_pageable;      ///< bytes a second
  Trait download_pinned, download_pageable;  ///< bytes a second
  Trait both_ways;                           ///< bytes a second, up and down together
  Trait upload_seconds;                      ///< that each upload takes whatever its size
  Trait launch_seconds;                      ///< from one empty kernel to the next
  Trait startup_seconds;                     ///< from nothing to a queue that has run something

  double clocks() const { return clock_mhz.value * 1e6; }
};

/// One of the numbers, for whoever lists them.
struct TraitName {
  std::string_view key;   ///< "popcount_latency"
  std::string_view unit;  ///< "clocks"
  std::string_view what;
  Trait DeviceTraits::*value;
  std::string_view header;  ///< the name in a config after "FASTID_"; "" where a config does not hold it
  double scale = 1;         ///< the config's unit is this many of ours
};
std::span<const TraitName> trait_names();

/// What `better` knows replaces what `base` does, number by number, as Trait::learn() has it.
DeviceTraits merged(DeviceTraits base, const DeviceTraits& better);

}  // namespace fastid::model
