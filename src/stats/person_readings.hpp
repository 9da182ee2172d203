/// \file
/// What was read of a person at each site, once or several times: remains of one person are read together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/rows.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

/// How often each genotype was read at a site, encoded as one number by reading_id().
using ReadingId = std::uint16_t;
inline constexpr ReadingId kNotRead = 0;
/// The most readings of a site that a number holds.
inline constexpr unsigned kMostReadings = 60;

/// [x]: how often genotype x was read.
using ReadingCounts = std::array<unsigned, kGenotypes>;

/// \param counts  kMostReadings together at most
ReadingId reading_id(const ReadingCounts& counts);
ReadingCounts reading_counts(ReadingId id);

/// The genotype of a site that was read once.
inline std::size_t genotype_of(ReadingId id) {
  return kGenotypes - id;
}

/// The readings of two samples of one person. Beyond kMostReadings the second one's are left out, the
/// rarest first.
ReadingId together(ReadingId first, ReadingId second);

class PersonReadings {
 public:
  PersonReadings() = default;
  /// Nothing read yet.
  explicit PersonReadings(std::size_t n_sites) : at_(n_sites) {}
  /// The readings of one sample. \param row  with `major`
  PersonReadings(const RowView& row, std::size_t n_sites);

  /// Adds the readings of another sample of the same person.
  void add(const PersonReadings& other);

  std::size_t n_sites() const { return at_.size(); }
  ReadingId operator[](std::size_t site) const { return at_[site]; }
  std::span<const ReadingId> ids() const { return at_; }
  /// The number of sites that were read.
  std::size_t called() const;

  friend bool operator==(const PersonReadings&, const PersonReadings&) = default;

 private:
  std::vector<ReadingId> at_;
};

}  // namespace fastid::stats
