/// \file
/// Two men who are parent and child by their autosomal sites must have one Y. Where it differs, something is
/// wrong with the samples, and a line says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/rare.hpp"
#include "match/beside.hpp"

namespace fastid::asking {

class FathersAndSons {
 public:
  /// Takes a pair that was found. \param relation  that the evidence names
  void take(std::string_view relation, const Rare<match::BesideFigures>& beside, std::string_view first,
            std::string_view second);

  /// "2 pairs are parent-child by autosomal sites, and two men whose Y differs: A and B (14 of 60 sites),
  /// ..."; "" where there is none.
  std::string sentence() const;
  /// Warns by that sentence, if there is one.
  void say() const;

 private:
  std::uint64_t n_ = 0;
  std::string named_;  ///< the first of them
};

}  // namespace fastid::asking
