/// \file
/// Profile ids: checked and padded for a database, and visited in slabs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/process.hpp"

namespace fastid::db {

/// \throws InputError where ids of `bytes` bytes are too long for a database.
void check_id_bytes(std::size_t bytes, const std::string& file);

/// Ids as rows of `bytes` bytes each, padded with zeros. \throws InputError where one is empty, too long or
/// holds a zero byte.
std::string padded_ids(std::span<const std::string> ids, std::size_t bytes, const std::string& file);

/// Calls slab(first, n) for successive ranges of the rows 0 .. rows - 1, so that millions of ids are never in
/// memory at once. Stops where it returns false, and at a signal. \throws Interrupted, what `slab` throws.
template <class Slab>
void for_each_slab(std::uint64_t rows, const Slab& slab) {
  constexpr std::uint64_t kSlab = 1 << 16;
  for (std::uint64_t first = 0; first < rows; first += kSlab) {
    check_interrupt();
    if (!slab(first, static_cast<std::size_t>(std::min(kSlab, rows - first)))) return;
  }
}

}  // namespace fastid::db
