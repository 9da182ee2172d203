#include "bits/picked_units.hpp"

#include <array>

#include "bits/popcount.hpp"

namespace fastid {
namespace {

using Bytes = std::array<std::uint8_t, 256>;

// [mask][byte]: the bits of the byte that are set in the mask, moved together.
std::array<Bytes, 256> close_bytes() {
  std::array<Bytes, 256> made{};
  for (std::size_t mask = 0; mask < made.size(); ++mask)
    for (std::size_t byte = 0; byte < made.size(); ++byte) {
      unsigned together = 0, n = 0;
      for (unsigned bit = 0; bit < 8; ++bit)
        if ((mask >> bit & 1) != 0) together |= static_cast<unsigned>(byte >> bit & 1) << n++;
      made[mask][byte] = static_cast<std::uint8_t>(together);
    }
  return made;
}

// The bits of words that one mask picks.
class Picker {
 public:
  explicit Picker(Word mask) {
    static const std::array<Bytes, 256> kClose = close_bytes();
    std::uint32_t shift = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const Word byte = mask >> 8 * i & 0xff;
      rows_[i] = &kClose[byte];
      shifts_[i] = shift;
      shift += static_cast<std::uint32_t>(bits_set(byte));
    }
  }

  std::uint64_t operator()(Word word) const {
    std::uint64_t close = 0;
    for (std::size_t i = 0; i < 4; ++i)
      close |= std::uint64_t{(*rows_[i])[word >> 8 * i & 0xff]} << shifts_[i];
    return close;
  }

 private:
  std::array<const Bytes*, 4> rows_{};
  std::array<std::uint32_t, 4> shifts_{};
};

std::uint32_t n_picked(std::span<const std::vector<Word>> picked) {
  std::uint32_t n = 0;
  for (const std::vector<Word>& row : picked)
    for (const Word word : row) n += static_cast<std::uint32_t>(bits_set(word));
  return n;
}

}  // namespace

PickedUnits::PickedUnits(std::span<const BlocksView> from, std::span<const std::vector<Word>> picked,
                         std::uint64_t first)
    : shape_{from[0].shape.n_profiles, n_picked(picked), Encoding::kAlleles},
      minor_(checked_mul(static_cast<std::size_t>(shape_.n_blocks()), shape_.block_words())),
      major_(minor_.size()) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::size_t word = 0; word < picked[i].size(); ++word)
      if (const Word mask = picked[i][word]; mask != 0) {
        take(from[i], word, mask, first, to);
        to += static_cast<std::size_t>(bits_set(mask));
      }
}

// Takes a word's units of all profiles. \param to  the place of the first unit
void PickedUnits::take(const BlocksView& from, std::size_t word, Word picked, std::uint64_t first,
                       std::size_t to) {
  const Picker close(picked);
  const std::size_t shift = to % kWordBits;
  const bool is_split = shift + static_cast<std::size_t>(bits_set(picked)) > kWordBits;
  for (std::uint64_t profile = first; profile < shape_.n_profiles; ++profile) {
    const std::size_t at = static_cast<std::size_t>(profile / kLanes) * shape_.block_words() +
                           to / kWordBits * kLanes + profile % kLanes;
    const auto put = [&](WordBuffer& plane, Word bits) {
      const std::uint64_t moved = close(bits) << shift;
      plane.data()[at] |= static_cast<Word>(moved);
      if (is_split) plane.data()[at + kLanes] |= static_cast<Word>(moved >> kWordBits);
    };
    put(minor_, from.bits_word(profile, word));
    put(major_, from.major_word(profile, word));
  }
}

}  // namespace fastid
