/// \file
/// Numbers for people, whatever their size.
#pragma once

#include <string>

namespace fastid::page {

/// A number from 0 on without an exponent: with three digits, or with all digits before the point where there
/// are more. "0.0125", "2.5", "100", "4,823".
std::string plain_number(double value);

}  // namespace fastid::page
