#include "import/match/call_row.hpp"

#include <algorithm>

#include "import/io/count_bits.hpp"

namespace fastid {
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
  called.clear();
  minor.clear();
}

void CallRow::set(std::size_t sample, Call call) {
  if (call == Call::kNoCall) return;
  called.set(sample);
  if (call == Call::kHasMinor) minor.set(sample);
}

Call CallRow::get(std::size_t sample) const {
  if (!called.get(sample)) return Call::kNoCall;
  return minor.get(sample) ? Call::kHasMinor : Call::kMajorOnly;
}

void CallRow::assign(const AlleleRow& alleles, AlleleCode first, AlleleCode second) {
  const auto mask = [](bool set) { return set ? ~std::uint64_t{0} : std::uint64_t{0}; };
  const std::uint64_t first_unknown = mask(first == AlleleCode::kUnknown);
  const std::uint64_t second_unknown = mask(second == AlleleCode::kUnknown);
  const std::uint64_t first_minor = mask(first == AlleleCode::kMinor);
  const std::uint64_t second_minor = mask(second == AlleleCode::kMinor);
  const auto a = alleles.first.words(), b = alleles.second.words();
  const auto to_called = called.words(), to_minor = minor.words();
  for (std::size_t i = 0; i < a.size(); ++i) {
    to_called[i] = (a[i] | b[i]) & ~(a[i] & first_unknown) & ~(b[i] & second_unknown);
    to_minor[i] = ((a[i] & first_minor) | (b[i] & second_minor)) & to_called[i];
  }
}

}  // namespace fastid
