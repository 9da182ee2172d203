/// \file
/// A device in numbers: the numbers of the paper's Table I, and numbers that its model leaves out (transfers,
/// memory, launches).
///
/// Names in brackets are from E. Binder, T. M. Low, D. T. Popovici, "A Portable GPU Framework for SNP
/// Comparisons", 2019. Rates of instructions are 32-bit operations a clock and compute unit; "logic" is (a &
/// b) ^ c, one instruction where the device has three-input instructions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fastid::model {

/// Where a number comes from. A later source of this list is preferred to an earlier one.
enum class Source { kNone, kKnown, kQueried, kMeasured };
/// "-", "known" (a table), "queried" (the driver), "measured".
std::string_view name_of(Source source);

struct Trait {
  double value = 0;
  Source source = Source::kNone;

  bool known() const { return source != Source::kNone; }
  /// Takes over `number` unless a number from a better source is known.
  void learn(double number, Source from) {
    if (from >= source) *this = {number, from};
  }
  double value_or(double otherwise) const { return known() ? value : otherwise; }
};

struct DeviceTraits {
  std::string name;
  Trait clock_mhz;
  Trait compute_units;    ///< [N_C]
  Trait thread_group;     ///< [N_T] work-items that run in lockstep
  Trait resident_groups;  ///< [N_grp] most thread groups of a compute unit
  Trait clusters;         ///< [N_cl] of a compute unit
  Trait load_words;       ///< [N_vec] words that a work-item loads at once

  Trait popcounts, logic, ands, xors, adds;  ///< [N_fn N_cl] a clock and compute unit
  Trait popcount_latency, logic_latency, and_latency, xor_latency, add_latency;  ///< [L_fn] clocks
  Trait popcount_shares_add;  ///< 0..1: the share of one operation's time that is lost to the other
  Trait popcount_shares_logic;
  Trait logic_shares_add;

  Trait registers;       ///< 32-bit words of a compute unit
  Trait item_registers;  ///< most registers of a work-item, 32-bit words
  Trait group_items;     ///< most work-items of a work-group
  Trait local_bytes;     ///< [N_shared] bytes that a work-group may ask for
  Trait local_reserved;  ///< bytes of local memory that the driver keeps
  Trait banks;           ///< [N_b] of local memory
  Trait local_rate;      ///< bytes a clock and compute unit, without conflicts

  Trait memory_bytes, allocation_bytes;
  Trait memory_rate;                         ///< bytes a second that the device reads from its memory
  Trait upload_pinned, upload_pageable;      ///< bytes a second
  Trait download_pinned, download_pageable;  ///< bytes a second
  Trait both_ways;                           ///< bytes a second, up and down together
  Trait upload_seconds;                      ///< fixed cost of each upload, whatever its size
  Trait launch_seconds;                      ///< from one empty kernel to the next
  Trait startup_seconds;                     ///< from the start of OpenCL to a queue that has run a command

  double clocks() const { return clock_mhz.value * 1e6; }
};

/// One of the traits, for code that lists them.
struct TraitName {
  std::string_view key;   ///< "popcount_latency"
  std::string_view unit;  ///< "clocks"
  std::string_view what;
  Trait DeviceTraits::*value;
  std::string_view header;  ///< its name in a config after "FASTID_"; "" where configs do not hold it
  double scale = 1;         ///< the config's unit is this many units of the trait
};
std::span<const TraitName> trait_names();

/// `base` with each trait replaced by the trait of `better` where Trait::learn() prefers it.
DeviceTraits merged(DeviceTraits base, const DeviceTraits& better);

}  // namespace fastid::model
