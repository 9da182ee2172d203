/// \file
/// Files that list ids of a panel's sites, one on each line, as `fastid ld --prune` writes them.
#pragma once

#include <string>
#include <vector>

#include "panel/panel.hpp"

namespace fastid {

struct ListedSites {
  std::vector<bool> is_listed;  ///< [site of the panel]; at least one is listed
  std::string text;             ///< of the file
};

/// Lines that begin with # are comments. \throws InputError: the file lists no site, or one that the panel
/// does not have
ListedSites read_listed_sites(const Panel& panel, const std::string& path);

}  // namespace fastid
