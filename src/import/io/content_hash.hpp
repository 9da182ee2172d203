/// \file
/// SHA-256 of the files that are being read, beside the reading, and a watch that they do not change
/// meanwhile.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "import/io/errands.hpp"

namespace fastid {

/// SHA-256 of the bytes of all files one after the other, for who asks for it. The future throws InputError
/// where one of the files has changed since this was called; who drops it does not wait for the rest.
/// \param name     for messages
/// \param beside   hash on a thread of its own; else when it is asked for
/// \param errands  that the thread runs meanwhile
std::shared_future<std::string> hash_content(std::vector<std::string> files, std::string name, bool beside,
                                             std::shared_ptr<Errands> errands = std::make_shared<Errands>());

/// What tells a file from itself after a change: device, inode, size and time of the last change. "" where it
/// cannot be read.
std::string file_stamp(const std::string& path);

}  // namespace fastid
