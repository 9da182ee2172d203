/// \file
/// The output of `fastid db info`, and of what panels can prove for `fastid panel check`.
#pragma once

#include <string>
#include <vector>

#include "asking/survey.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "db/database.hpp"
#include "panel/site_class.hpp"

namespace fastid::bank {

/// What a panel can prove, in lines of 80 columns, and the same for scripts.
std::string power_text(const std::vector<asking::PopulationPower>& powers);
Json power_json(const std::vector<asking::PopulationPower>& powers);

constexpr std::size_t kTermWidth = 15;  ///< of the column of terms

/// "evidence counts the 4,346 autosomal sites".
std::string evidence_text(const SiteClasses& classes);
/// Why a panel without autosomal sites has no power: "no autosomal site; Y is one haplotype"; "" for other
/// panels.
std::string no_power_text(const SiteClasses& classes);
/// The numbers of sites of each class.
Json classes_json(const SiteClasses& classes);

/// The number of A/T and C/G sites.
std::uint64_t palindromic_sites(const Panel& panel);
/// "AFR, EUR", "none".
std::string population_names(const Panel& panel);

/// Text for people: a line for each fact, then one for each build or append, and what the panel can prove.
/// Reads no profile. \throws InputError where the log is damaged.
std::string info_text(const db::Reader& reader);
/// info_text() for scripts, as one JSON object, with the inputs of each build and their SHA-256. \throws as
/// info_text().
std::string info_json(const db::Reader& reader);
/// info_text() as a page with call rates and allele frequencies, for which all profiles are read. \throws as
/// info_text(), and InputError where a block is damaged.
std::string info_html(const db::Reader& reader, std::size_t threads, ProgressMode progress);

}  // namespace fastid::bank
