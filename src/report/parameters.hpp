/// \file
/// The parameters of a search besides its files: every option that changes what is read or found. They are
/// defined once for json, html and the audit log.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "match/match_table.hpp"

namespace fastid::report {

struct Parameter {
  std::string name;         ///< json's key
  Json value;               ///< null: not given, no limit
  std::string title, text;  ///< html's term and its plain text; an empty text: it does not apply
};

/// "12 profiles", "2 of 12 profiles".
std::string searched_text(const match::MatchTable& matches);

/// The drop-outs of --drop-out, or where they come from: "0.1, 0.5".
std::string drop_out_text(const match::EvidenceParameters& evidence);

/// The shares of --shares, or where they come from.
std::string shares_text(const match::EvidenceParameters& evidence);

std::vector<Parameter> parameters(const match::MatchTable& matches);

/// Names and values as an object.
Json parameters_json(const match::MatchTable& matches);

}  // namespace fastid::report
