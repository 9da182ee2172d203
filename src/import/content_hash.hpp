/// \file
/// SHA-256 of the files that are being read, beside the reading, and a watch that they do not change
/// meanwhile.
#pragma once

#include <atomic>
#include <future>
#include <string>
#include <vector>

namespace fastid {

class ContentHash {
 public:
  /// \param name    for messages
  /// \param beside  hash on a thread of its own; else finish() does it
  ContentHash(std::vector<std::string> files, std::string name, bool beside);
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  /// Of the bytes of all files one after the other. \throws InputError where one has changed since the start.
  std::string finish();

 private:
  std::vector<std::string> stamps() const;
  std::string hash() const;

  std::vector<std::string> files_;
  std::string name_;
  std::vector<std::string> stamps_;
  std::atomic<bool> stop_{false};
  std::future<std::string> result_;
};

/// What tells a file from itself after a change: device, inode, size and time of the last change. "" where it
/// cannot be read.
std::string file_stamp(const std::string& path);

}  // namespace fastid
