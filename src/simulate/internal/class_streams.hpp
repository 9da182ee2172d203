/// \file
/// Random numbers by class of site: autosomal sites get the same numbers whatever other sites the panel has.
#pragma once

#include <cstdint>

#include "panel/site_class.hpp"
#include "simulate/random.hpp"

namespace fastid::simulate {

/// The streams of a purpose and index: one for autosomal sites, one for all others.
class ClassStreams {
 public:
  /// \param index  below 2^63
  ClassStreams(std::uint64_t seed, Purpose purpose, std::uint64_t index)
      : autosomal_(seed, purpose, index), beside_(seed, purpose, index | std::uint64_t{1} << 63) {}

  Stream& of(SiteClass site_class) { return site_class == SiteClass::kAutosomal ? autosomal_ : beside_; }

 private:
  Stream autosomal_, beside_;
};

}  // namespace fastid::simulate
