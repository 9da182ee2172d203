/// \file
/// Built programs, kept from run to run: building one takes a driver up to seconds.
///
///   $XDG_CACHE_HOME/fastid/programs/KEY      else ~/.cache/fastid/programs/KEY
///
/// KEY is the SHA-256 of everything that a binary depends on. An entry that is damaged, cut short, or stored
/// under another key's name is ignored, and so is a folder that cannot be written. A non-empty
/// FASTID_NO_CACHE in the environment turns the cache off.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fastid::opencl {

class ProgramCache {
 public:
  /// A cache in the folder that the environment names; one that keeps nothing if there is none or it is
  /// turned off.
  static ProgramCache from_environment();
  /// \param folder  "": the cache keeps nothing
  explicit ProgramCache(std::string folder) : folder_(std::move(folder)) {}

  /// Whether the cache keeps anything; if not, drivers need not be asked for binaries.
  bool keeps() const { return !folder_.empty(); }

  /// The complete binary that was stored under `key` (64 hexadecimal digits); nothing if there is none.
  std::optional<std::string> load(const std::string& key) const;
  /// Stores a binary. The entry appears whole or not at all. A failure goes to the log and is not thrown.
  void store(const std::string& key, std::string_view binary) const;

 private:
  std::string path(const std::string& key) const { return folder_ + "/" + key; }

  std::string folder_;
};

}  // namespace fastid::opencl
