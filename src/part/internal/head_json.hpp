/// \file
/// The head of a part as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "part/part_file.hpp"

namespace fastid::part {

/// The text of a head, with the running program's version. \throws UsageError: an argument or a path is no
/// UTF-8
std::string json_text(const Head& head, std::span<const Section> sections);

/// \throws InputError naming `path`
void parse_head(const std::string& text, const std::string& path, Head& head, std::vector<Section>& sections);

}  // namespace fastid::part
