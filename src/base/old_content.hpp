/// \file
/// The bytes of a file that another one has replaced, overwritten before the system frees them.
#pragma once

#include <string>

#include "base/file.hpp"

namespace fastid {

/// Opens a file before it is replaced, so that its old content can still be reached afterwards.
class OldContent {
 public:
  /// Opens the file. Where this fails, overwrite() returns the reason.
  explicit OldContent(const std::string& path);

  /// Writes zeros over all of it, down to the disk. Only a file that no name and no program leads to any more
  /// is overwritten: a name would lose its file, and a program that still reads it would find it damaged.
  /// Returns
  /// "" where that is done, else why it was left: "another program has it open".
  ///
  /// A file system that writes changed blocks to new places (btrfs, ZFS, files that share blocks), and a disk
  /// that moves them (SSD), keep the old ones until they need the room. \throws Interrupted
  std::string overwrite() const;

 private:
  FileDescriptor file_;
  std::string trouble_;
};

}  // namespace fastid
