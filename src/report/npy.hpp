/// \file
/// NumPy's file of an array (.npy, format version 1.0): a head, then the values in the order of rows.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fastid::report {

/// The first bytes of npy_head(), whatever the shape.
inline constexpr std::string_view kNpyOfFloats{
    "\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (", 61};

/// The head of an array of 32-bit floats, 128 bytes.
std::string npy_head(std::size_t rows, std::size_t columns);

/// The bytes of values, as stored in the file.
std::string_view npy_bytes(std::span<const float> values);

}  // namespace fastid::report
