/// \file
/// Lists of what kernels find: how they are read, and what is done where a kernel finds more than a device's
/// buffer holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "engine/rectangle.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

/// Reads a buffer that begins with a head of an item's size, in which the kernel counts what it finds, and
/// has the items behind it. One read brings the head and the first items.
template <class Item>
class FoundList {
 public:
  /// The head. \param n  items that are read with it \throws cl::Error
  const Item& read_head(DeviceQueue& queue, const cl::Buffer& from, std::size_t n) {
    here_.resize(1 + n);
    queue.read(from, 0, here_.data(), here_.size());
    return here_.front();
  }

  /// Appends the first n items to `out`, after read_head() of the same buffer. \throws cl::Error
  void append(DeviceQueue& queue, const cl::Buffer& from, std::size_t n, std::vector<Item>& out) {
    const std::size_t here = std::min(n, here_.size() - 1), before = out.size();
    out.resize(before + n);
    Item* const to = out.data() + before;
    std::copy_n(here_.begin() + 1, here, to);
    if (here < n) queue.read(from, (1 + here) * sizeof(Item), to + here, n - here);
  }

 private:
  std::vector<Item> here_;  ///< the head, then the first items
};

/// Where kernels append pairs that may pass (kernels/found.h).
struct FoundPairs {
  cl::Buffer buffer;
  cl_uint capacity = 0;  ///< pairs
};

/// Cuts two pairs or more along their longer side into parts, at least two and at most `n`.
inline std::vector<engine::Rectangle> parts_of(const engine::Rectangle& pairs, std::size_t n) {
  const bool by_row = pairs.rows() >= pairs.columns();
  std::uint32_t engine::Rectangle::*const begin =
      by_row ? &engine::Rectangle::row_begin : &engine::Rectangle::column_begin;
  std::uint32_t engine::Rectangle::*const end =
      by_row ? &engine::Rectangle::row_end : &engine::Rectangle::column_end;
  const std::size_t length = pairs.*end - pairs.*begin, most = std::clamp<std::size_t>(n, 2, length);
  std::vector<engine::Rectangle> parts(most, pairs);
  for (std::size_t i = 0; i < most; ++i) {
    parts[i].*begin = pairs.*begin + static_cast<std::uint32_t>(length * i / most);
    parts[i].*end = pairs.*begin + static_cast<std::uint32_t>(length * (i + 1) / most);
  }
  return parts;
}

/// Calls find(pairs), which returns 1 if the buffer held all that was found, else n: the pairs are to be
/// found again, in n parts, and nothing of them was kept. \throws DeviceError where it does not hold what one
/// pair has; what `find` throws
template <class Find>
void find_in_parts(const engine::Rectangle& pairs, const Find& find) {
  const std::size_t n = find(pairs);
  if (n <= 1) return;
  if (pairs.pairs() < 2) throw WrongAnswer("the device found more combinations than there are");
  for (const engine::Rectangle& part : parts_of(pairs, n)) find_in_parts(part, find);
}

}  // namespace fastid::opencl
