#include "import/match/call_row.hpp"

#include <algorithm>

#include "import/io/count_bits.hpp"

namespace fastid::imports {
void SampleBits::clear() {
  std::ranges::fill(words_, 0);
}

void SampleBits::add(const SampleBits& others) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
}

void SampleBits::clear(const SampleBits& others) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~others.words_[i];
}

std::uint64_t SampleBits::count() const {
  return count_bits(words_);
}

std::uint64_t SampleBits::count_common(const SampleBits& other) const {
  return count_common_bits(words_, other.words_);
}

bool SampleBits::any() const {
  return std::ranges::any_of(words_, [](std::uint64_t word) { return word != 0; });
}

void CallRow::clear() {
  major.clear();
  minor.clear();
}

void CallRow::set(std::size_t sample, Seen seen) {
  if ((seen & kMajorSeen) != 0) major.set(sample);
  if ((seen & kMinorSeen) != 0) minor.set(sample);
}

Seen CallRow::get(std::size_t sample) const {
  return static_cast<Seen>((major.get(sample) ? kMajorSeen : kNoneSeen) |
                           (minor.get(sample) ? kMinorSeen : kNoneSeen));
}

std::uint64_t CallRow::count_called() const {
  return major.count() + minor.count() - major.count_common(minor);
}

void CallRow::assign(const AlleleRow& alleles, AlleleCode first, AlleleCode second) {
  const auto mask = [](bool set) { return set ? ~std::uint64_t{0} : std::uint64_t{0}; };
  const std::uint64_t first_unknown = mask(first == AlleleCode::kUnknown);
  const std::uint64_t second_unknown = mask(second == AlleleCode::kUnknown);
  const std::uint64_t first_major = mask(first == AlleleCode::kMajor);
  const std::uint64_t second_major = mask(second == AlleleCode::kMajor);
  const std::uint64_t first_minor = mask(first == AlleleCode::kMinor);
  const std::uint64_t second_minor = mask(second == AlleleCode::kMinor);
  const auto a = alleles.first.words(), b = alleles.second.words();
  const auto to_major = major.words(), to_minor = minor.words();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t known = ~((a[i] & first_unknown) | (b[i] & second_unknown));
    to_major[i] = ((a[i] & first_major) | (b[i] & second_major)) & known;
    to_minor[i] = ((a[i] & first_minor) | (b[i] & second_minor)) & known;
  }
}

void Ploidy::clear() {
  one.clear();
  many.clear();
  n_alleles = 2;
}

void Ploidy::note(std::size_t sample, std::size_t alleles) {
  if (alleles == 1) one.set(sample);
  if (alleles <= 2) return;
  many.set(sample);
  n_alleles = std::max(n_alleles, alleles);
}

}  // namespace fastid::imports
