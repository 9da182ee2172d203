/// \file
/// A folder for files that nobody is to keep.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/internal/emergency.hpp"

namespace fastid {

/// Made in `parent` ("": $TMPDIR, else /tmp), for this user alone; gone with all that it holds when this
/// object goes.
class ScratchFolder {
 public:
  /// \throws Failure where it cannot be made.
  explicit ScratchFolder(const std::string& parent = "");
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

  /// The path of a file in it, which is removed too where the program ends before it can unwind.
  std::string file(const std::string& name);

 private:
  std::string path_;
  std::vector<std::unique_ptr<RemovedInEmergency>> files_;
};

}  // namespace fastid
