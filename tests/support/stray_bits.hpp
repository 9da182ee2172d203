/// \file
/// Databases of another program that kept the checksums but not the rules.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "support/checksums.hpp"

namespace fastid::testing {

/// Reads or writes a whole dataset of the file.
template <class T>
void transfer(hid_t file, const char* name, hid_t type, std::vector<T>& values, bool write) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  const herr_t done = write ? H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data())
                            : H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  EXPECT_GE(done, 0) << name;
  H5Dclose(dataset);
}

/// Sets one bit of a plane, and mends the checksum of its block.
///
/// \param lane  of the whole database: `shape.n_profiles` and on are unused
/// \param site  may be past the last, up to the end of the last word
inline void set_stray_bit(const std::string& path, const BlockShape& shape, bool in_called,
                          std::uint64_t lane, std::size_t site) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const bool has_second = H5Lexists(file, "/profiles/called", H5P_DEFAULT) > 0;
  const std::size_t words = static_cast<std::size_t>(shape.n_blocks()) * shape.block_words();
  std::vector<Word> bits(words), called(words);
  transfer(file, "/profiles/bits", H5T_NATIVE_UINT32, bits, false);
  if (has_second) transfer(file, "/profiles/called", H5T_NATIVE_UINT32, called, false);
  (in_called ? called : bits)[static_cast<std::size_t>(lane / kLanes) * shape.block_words() +
                              site / kWordBits * kLanes + lane % kLanes] |= Word{1} << site % kWordBits;
  auto sums = block_checksums({shape, bits.data(), has_second ? called.data() : nullptr});
  transfer(file, "/profiles/bits", H5T_NATIVE_UINT32, bits, true);
  if (has_second) transfer(file, "/profiles/called", H5T_NATIVE_UINT32, called, true);
  transfer(file, "/profiles/checksum", H5T_NATIVE_UINT64, sums, true);
  H5Fclose(file);
}

}  // namespace fastid::testing
