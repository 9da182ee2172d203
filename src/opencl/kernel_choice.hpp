/// \file
/// Which micro-kernel serves which problem. With few queries both wait for the memory; with few sites a step
/// of 256 of them wastes most of its work: so the estimate of either's time decides, from the rates that the
/// config has for the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/config.hpp"

namespace fastid {

/// What a kernel does for one stored profile.
struct ProfileWork {
  std::uint64_t rows = 0;   ///< queries, filled up to what it takes at once
  std::uint64_t sites = 0;  ///< of each, filled up as well; twice as many where it makes two products
  std::uint64_t bytes = 0;  ///< that it reads of the profile, in all its passes
  double rate = 0;          ///< bits compared a second
  std::uint32_t start = 0;  ///< what a pair costs besides, in sites
};

/// Seconds for one profile: the longer of reading and comparing it.
///
/// \param memory  bytes a second that the device reads; 0: not known, and no limit
double profile_seconds(const ProfileWork& work, double memory);

struct Problem;
struct MatrixShape;

/// Seconds for all profiles by a kernel of the config, at the rate that it has for it; 0: it has none.
/// \param matrix  of compare_matrix.cl; null: compare.cl
double compare_seconds(const Problem& problem, const KernelConfig& config, const MatrixShape* matrix);

/// Whether compare_matrix.cl in this shape is expected to take less time than compare.cl. Never where the
/// config has no matrix kernel, or no rate for it.
bool matrix_is_faster(const Problem& problem, const KernelConfig& config, const MatrixShape& shape);

}  // namespace fastid
