/// \file
/// Built programs, kept from run to run: building one takes a driver up to seconds.
///
///   $XDG_CACHE_HOME/fastid/programs/KEY      else ~/.cache/fastid/programs/KEY
///
/// KEY is the SHA-256 of all that a binary depends on. An entry that is damaged, cut short, or not of its
/// name is as good as none; so is a folder that cannot be written. FASTID_NO_CACHE in the environment, not
/// empty, turns the cache off.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fastid {

class ProgramCache {
 public:
  /// The folder that the environment names; none where it names none or says not to.
  static ProgramCache from_environment();
  /// \param folder  "": keeps nothing
  explicit ProgramCache(std::string folder) : folder_(std::move(folder)) {}

  /// False: no use to ask a driver for a binary.
  bool keeps() const { return !folder_.empty(); }

  /// The binary that was stored under `key`, 64 hexadecimal digits, whole as it was stored.
  std::optional<std::string> load(const std::string& key) const;
  /// Appears whole or not at all. A failure is none of the caller's concern: it goes to the log.
  void store(const std::string& key, std::string_view binary) const;

 private:
  std::string path(const std::string& key) const { return folder_ + "/" + key; }

  std::string folder_;
};

}  // namespace fastid
