/// \file
/// The result of `fastid tune`: for a terminal, for programs, and as a page with the roofline.
#pragma once

#include <string>

#include "tune/tune.hpp"

namespace fastid::report {

std::string tune_text(const tune::TuneResult& result);
std::string tune_json(const tune::TuneResult& result);
std::string tune_html(const tune::TuneResult& result);

}  // namespace fastid::report
