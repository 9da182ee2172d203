/// \file
/// SHA-256 of input files, computed in parallel with reading them, and a check that they do not change
/// meanwhile.
#pragma once

#include <future>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"

namespace fastid::imports {

/// SHA-256 of the bytes of all files, one after the other. The future throws InputError where one of the
/// files has changed since this was called; dropping it does not wait for the rest.
/// \param name  for messages
/// \param pool  hashes in short steps; whoever gets the result does the rest
std::shared_future<std::string> hash_content(std::vector<std::string> files, std::string name,
                                             ThreadPool& pool);

/// A stamp that differs after a change of the file: device, inode, size and time of the last change. "" where
/// the file cannot be read.
std::string file_stamp(const std::string& path);

}  // namespace fastid::imports
