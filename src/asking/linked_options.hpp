/// \file
/// How relatives are weighed along the genetic map.
#pragma once

#include <optional>
#include <string>

namespace fastid::asking {

inline constexpr double kThinCm = 0.1;

struct LinkedOptions {
  bool unlinked = false;         ///< the product over sites instead
  std::string map = "default";   ///< "default": the one that comes with fastid; "none"; else a file
  std::optional<double> thin;    ///< cM, at least 0; not set: kThinCm, with linkage blocks 0
  std::string relations;         ///< names that are considered, separated by commas; "": all
  std::optional<double> min_lr;  ///< least log10 ratio of any relative that is listed
  bool stretches = false;        ///< those of each listed pair are listed too
  bool in_detail = false;        ///< a map that is taken is named among the details, not in a note

  /// Whether an option is set that makes sense along the map alone.
  bool asks_for_map() const { return map != "default" || thin || !relations.empty() || min_lr || stretches; }
  /// The file that is read; "": none.
  std::string map_file() const { return map == "default" || map == "none" ? "" : map; }
};

}  // namespace fastid::asking
