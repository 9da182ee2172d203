/// \file
/// `fastid panel check`: what a panel can prove before any sample is typed with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "asking/survey.hpp"
#include "panel/panel.hpp"
#include "panel/site_class.hpp"

namespace fastid::bank {

struct PanelQuestion {
  std::uint64_t n_profiles = 1'000'000;
  std::string populations;  ///< names separated by commas; "" for all that there are
};

/// The number of neighbours on a chromosome that are closer than a distance.
struct ClosePairs {
  std::uint32_t distance = 0;  ///< in base pairs
  std::uint64_t pairs = 0;
};

struct PanelCheck {
  std::string name;
  PanelQuestion question;
  SiteClasses classes;
  std::uint64_t palindromic = 0, without_position = 0;
  GenomeBuild build = GenomeBuild::kUnknown;     ///< as the panel says
  GenomeBuild detected = GenomeBuild::kUnknown;  ///< by the positions of well-known SNPs
  std::optional<std::uint32_t> median_distance;  ///< of neighbours, in base pairs
  std::string dense;                             ///< density_warning()
  std::vector<ClosePairs> close;
  std::string closest;  ///< "rs1 and rs2, 91 bp"; "" where no two sites are neighbours
  std::string populations, sha256;
  std::vector<asking::PopulationPower> powers;
};

/// \throws InputError where the panel lacks a population that is asked for
PanelCheck check_panel(const Panel& panel, const std::string& name, const PanelQuestion& question);

/// The check as text in lines of 80 columns, and as JSON.
std::string check_text(const PanelCheck& check);
std::string check_json(const PanelCheck& check);

}  // namespace fastid::bank
