/// \file
/// A folder for temporary files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/internal/emergency.hpp"

namespace fastid {

/// Creates a folder in `parent` ("": $TMPDIR, else /tmp) that only this user can read. It is removed, with
/// all that it contains, when this object is destroyed.
class ScratchFolder {
 public:
  /// \throws Failure where the folder cannot be created.
  explicit ScratchFolder(const std::string& parent = "");
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

  /// The path of a file in the folder. The file is also removed where the program ends without unwinding.
  std::string file(const std::string& name);

 private:
  std::string path_;
  std::vector<std::unique_ptr<RemovedInEmergency>> files_;
};

}  // namespace fastid
