#include "import/reads/observations.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "base/hash.hpp"

namespace fastid::imports {
namespace {

// GATK's defaults for insertions, deletions, and going on with either.
constexpr std::uint8_t kGapOpen = 45, kGapGoOn = 10;
constexpr unsigned kUnknownMappingQuality = 255;
constexpr double kDamageDecay = 0.7;  // from base to base

/// Which bases damage may have made.
class Damage {
 public:
  Damage(const bam1_t& read, const ReadOptions& options)
      : rate_(options.damage),
        length_(read.core.l_qseq),
        reverse_((read.core.flag & BAM_FREVERSE) != 0),
        paired_((read.core.flag & BAM_FPAIRED) != 0),
        single_stranded_(options.single_stranded) {}

  /// How often a base at place `at` of the read is T though it was C (or A though it was G).
  double rate(std::int32_t at, bool was_c) const {
    // Along the reference, a double-stranded library has T for C at a molecule's left end and A for G at its
    // right end; a single-stranded library has one of the two, at both ends.
    const bool left = single_stranded_ ? was_c != reverse_ : was_c;
    const bool right = single_stranded_ ? was_c != reverse_ : !was_c;
    double rate = 0;
    // Only the first base of a paired read is at an end of the molecule.
    if (left && !(paired_ && reverse_)) rate = std::max(rate, at_distance(at));
    if (right && !(paired_ && !reverse_)) rate = std::max(rate, at_distance(length_ - 1 - at));
    return rate;
  }

 private:
  double at_distance(std::int32_t distance) const { return rate_ * std::pow(kDamageDecay, distance); }

  double rate_;
  std::int32_t length_;
  bool reverse_, paired_, single_stranded_;
};

/// Whether the molecule may have had `before` where the read aligns to `position`.
bool may_have_been(char before, std::int64_t position, const SiteWindow& window) {
  if (position == window.pos) return window.alleles[0] == before || window.alleles[1] == before;
  return window.base(position) == before;
}

std::uint8_t lowered(std::uint8_t quality, double damage) {
  const double error = hmm::error_rates()[quality];
  return static_cast<std::uint8_t>(std::floor(-10 * std::log10(error + damage * (1 - error))));
}

class Rows {
 public:
  Rows(const bam1_t& read, const SiteWindow& window, const ReadOptions& options)
      : read_(read), window_(window), damaged_(options.damage > 0), damage_(read, options) {
    const unsigned mapping = read.core.qual;
    most_ = mapping == kUnknownMappingQuality ? hmm::kMostQuality : std::min(mapping, hmm::kMostQuality);
  }

  /// The base at place `at`, which aligns to `position`, or is inserted after it.
  void add(std::int32_t at, std::int64_t position, bool inserted) {
    const std::uint8_t letter = bam_seqi(bam_get_seq(&read_), at);  // as hmm::base_set(), or several bases
    const bool one = letter != 0 && (letter & (letter - 1)) == 0;
    auto quality = static_cast<std::uint8_t>(std::min<std::uint32_t>(bam_get_qual(&read_)[at], most_));
    if (damaged_ && !inserted && (letter == kT || letter == kA)) {
      const bool was_c = letter == kT;
      if (may_have_been(was_c ? 'C' : 'G', position, window_))
        quality = lowered(quality, damage_.rate(at, was_c));
    }
    if (!inserted && position == window_.pos) {
      seen.site_row = seen.rows.size();
      at_site = one && quality >= hmm::kLeastBaseQuality;
    }
    seen.rows.push_back(hmm::pack(one ? letter : hmm::kAnyBase, {quality, kGapOpen, kGapOpen, kGapGoOn}));
  }

  Observation seen;
  bool at_site = false;  ///< a base was read at the site

 private:
  static constexpr std::uint8_t kA = 1, kT = 8;

  const bam1_t& read_;
  const SiteWindow& window_;
  bool damaged_;
  Damage damage_;
  std::uint32_t most_;
};

}  // namespace

void Observation::set_quality(std::uint32_t quality) {
  hmm::Row& row = rows[site_row];
  row = hmm::pack(base(),
                  {static_cast<std::uint8_t>(quality), static_cast<std::uint8_t>(hmm::quality_of(row, 1)),
                   static_cast<std::uint8_t>(hmm::quality_of(row, 2)),
                   static_cast<std::uint8_t>(hmm::quality_of(row, 3))});
}

std::optional<Observation> observe(const bam1_t& read, const SiteWindow& window, const ReadOptions& options) {
  const std::int64_t first = std::int64_t{window.pos} - kReadFlank,
                     last = std::int64_t{window.pos} + kReadFlank;
  Rows rows(read, window, options);
  std::int64_t position = read.core.pos + 1;
  std::int32_t at = 0;
  std::int64_t inserted = 0;  // all insertions together take no more than one may
  const std::uint32_t* cigar = bam_get_cigar(&read);
  for (std::uint32_t i = 0; i < read.core.n_cigar && position <= last; ++i) {
    const auto length = static_cast<std::int64_t>(bam_cigar_oplen(cigar[i]));
    const int takes = bam_cigar_type(bam_cigar_op(cigar[i]));  // bit 0: of the read, bit 1: of the reference
    const bool clipped = bam_cigar_op(cigar[i]) == BAM_CSOFT_CLIP;
    if (takes == 3) {
      const std::int64_t from = std::clamp<std::int64_t>(first - position, 0, length);
      const std::int64_t to = std::clamp<std::int64_t>(last + 1 - position, 0, length);
      for (std::int64_t k = from; k < to; ++k)
        rows.add(at + static_cast<std::int32_t>(k), position + k, false);
    } else if (takes == 1 && !clipped && position > first && inserted + length <= kMoreFlank) {
      inserted += length;
      for (std::int64_t k = 0; k < length; ++k)
        rows.add(at + static_cast<std::int32_t>(k), position - 1, true);
    }
    if ((takes & 1) != 0) at += static_cast<std::int32_t>(length);
    if ((takes & 2) != 0) position += length;
  }
  if (!rows.at_site) return std::nullopt;
  rows.seen.fragment = fragment_of(read);
  return std::move(rows.seen);
}

bool deletes(const bam1_t& read, const SiteWindow& window) {
  std::int64_t position = read.core.pos + 1;
  const std::uint32_t* cigar = bam_get_cigar(&read);
  for (std::uint32_t i = 0; i < read.core.n_cigar && position <= window.pos; ++i) {
    if ((bam_cigar_type(bam_cigar_op(cigar[i])) & 2) == 0) continue;
    position += static_cast<std::int64_t>(bam_cigar_oplen(cigar[i]));
    if (position > window.pos) return bam_cigar_op(cigar[i]) == BAM_CDEL;
  }
  return false;
}

std::uint64_t fragment_of(const bam1_t& read) {
  const std::string_view name = bam_get_qname(&read);
  const bool paired = (read.core.flag & BAM_FPAIRED) != 0 && name != "*";
  return paired ? xxh3_64(name.data(), name.size()) : 0;
}

std::size_t merge_mates(std::vector<Observation>& observations) {
  std::ranges::stable_sort(observations, [](const Observation& a, const Observation& b) {
    return std::tuple(a.fragment, b.quality()) < std::tuple(b.fragment, a.quality());
  });
  std::vector<Observation> merged;
  merged.reserve(observations.size());
  for (Observation& observation : observations) {
    if (merged.empty() || observation.fragment == 0 || merged.back().fragment != observation.fragment) {
      merged.push_back(std::move(observation));
    } else if (Observation& kept = merged.back(); kept.base() != observation.base()) {
      kept.set_quality(kept.quality() - std::min(kept.quality(), observation.quality()));
    }
  }
  std::erase_if(merged, [](const Observation& one) { return one.quality() < hmm::kLeastBaseQuality; });
  const std::size_t left_out = observations.size() - merged.size();
  observations = std::move(merged);
  return left_out;
}

}  // namespace fastid::imports
