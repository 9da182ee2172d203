/// \file
/// The panels that come with fastid (data/panels), by name, and panels in files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "panel/panel.hpp"

namespace fastid {

struct NamedPanel {
  std::string name;       ///< "force"
  std::string_view what;  ///< its file's first line, a description
  std::string_view text;  ///< of its file
};

/// In alphabetical order.
std::vector<NamedPanel> named_panels();

/// What a user calls a panel: "force", "force:GRCh38", a file, or "FILE:GRCh38" for a file with the positions
/// of both builds. Without a build, GRCh37 is taken. A name means a panel that comes with fastid, even where
/// a file is called so: "./force" is the file.
struct PanelSource {
  /// \throws InputError where there is neither a panel nor a file of the name, with the names there are
  explicit PanelSource(const std::string& what);

  /// \throws InputError where it is malformed
  Panel read() const;
  /// SHA-256 of the text that it is read from. \throws InputError
  std::string sha256() const;

  std::string what;                          ///< as it was given
  std::string path;                          ///< of a file; "" where it comes with fastid
  std::string_view text;                     ///< where it comes with fastid
  GenomeBuild build = GenomeBuild::kGRCh37;  ///< the build whose positions are taken, where there are two
};

}  // namespace fastid
