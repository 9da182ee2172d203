/// \file
/// SHA-256 of the files that are being read, beside the reading, and a watch that they do not change
/// meanwhile.
#pragma once

#include <future>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"

namespace fastid {

/// SHA-256 of the bytes of all files one after the other, for who asks for it. The future throws InputError
/// where one of the files has changed since this was called; who drops it does not wait for the rest.
/// \param name  for messages
/// \param pool  hashes in short steps; what it has not done by then is done by who asks
std::shared_future<std::string> hash_content(std::vector<std::string> files, std::string name,
                                             ThreadPool& pool);

/// What tells a file from itself after a change: device, inode, size and time of the last change. "" where it
/// cannot be read.
std::string file_stamp(const std::string& path);

}  // namespace fastid
