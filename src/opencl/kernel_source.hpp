/// \file
/// Sources of kernels/*.cl, embedded at build time (cmake/EmbedKernel.cmake).
#pragma once

#include <string_view>

namespace fastid {

extern const std::string_view compare_ref_source;

}  // namespace fastid
