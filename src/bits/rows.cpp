#include "bits/rows.hpp"

#include <algorithm>

#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"

namespace fastid {

ProfileRows::ProfileRows(std::size_t n_rows, std::uint32_t n_sites, Encoding encoding)
    : n_rows_(n_rows),
      n_sites_(n_sites),
      n_words_(ceil_div<std::size_t>(n_sites, kWordBits)),
      encoding_(encoding),
      bits_(checked_mul(n_rows, n_words_)),
      called_(bits_.size()),
      major_(encoding == Encoding::kAlleles ? bits_.size() : 0),
      called_sites_(n_rows) {}

ProfileRows ProfileRows::from_blocks(const BlocksView& blocks, std::span<const std::uint64_t> profiles) {
  ProfileRows rows(0, blocks.shape.n_sites);
  rows.append(blocks, profiles);
  return rows;
}

ProfileRows ProfileRows::from_source(const BlockSource& source, std::uint64_t first, std::size_t n,
                                     ThreadPool& pool) {
  constexpr std::uint64_t kPiece = 8;  // blocks
  ProfileRows rows(n, source.shape().n_sites, source.shape().encoding);
  const std::uint64_t end = first + n, first_block = first / kLanes;
  const std::uint64_t pieces = ceil_div(ceil_div<std::uint64_t>(end, kLanes) - first_block, kPiece);
  pool.for_each(static_cast<std::size_t>(pieces), [&](std::size_t piece, const ThreadPool::Stop&) {
    check_interrupt();
    BlockReader blocks(source);
    const std::uint64_t begin = (first_block + piece * kPiece) * kLanes;
    const std::uint64_t stop = std::min(end, begin + kPiece * kLanes);
    for (std::uint64_t profile = std::max(first, begin); profile < stop; ++profile)
      rows.copy_profile(blocks.block_of(profile), profile % kLanes,
                        static_cast<std::size_t>(profile - first));
  });
  return rows;
}

void ProfileRows::copy_profile(const BlocksView& blocks, std::uint64_t profile, std::size_t row) {
  const std::size_t first =
      static_cast<std::size_t>(profile / kLanes) * blocks.shape.block_words() + profile % kLanes;
  Word *const bits = bits_.data() + row * n_words_, *const called = called_.data() + row * n_words_;
  for (std::size_t word = 0; word < n_words_; ++word) bits[word] = blocks.bits[first + word * kLanes];
  if (blocks.second == nullptr)
    for (std::size_t word = 0; word < n_words_; ++word) called[word] = blocks.called_word(profile, word);
  else
    for (std::size_t word = 0; word < n_words_; ++word) called[word] = blocks.second[first + word * kLanes];
  if (blocks.second != nullptr && blocks.shape.encoding == Encoding::kAlleles) {
    if (!major_.empty()) std::copy_n(called, n_words_, major_.data() + row * n_words_);
    for (std::size_t word = 0; word < n_words_; ++word) called[word] |= bits[word];
  }
  std::uint32_t called_sites = 0;
  for (std::size_t word = 0; word < n_words_; ++word)
    called_sites += static_cast<std::uint32_t>(bits_set(called[word]));
  called_sites_[row] = called_sites;
}

void ProfileRows::append(const BlocksView& blocks, std::span<const std::uint64_t> profiles) {
  if (n_rows_ == 0) encoding_ = blocks.shape.encoding;
  if (blocks.shape.encoding == Encoding::kMinor && encoding_ == Encoding::kAlleles) {
    encoding_ = Encoding::kMinor;
    major_.clear();
  }
  const std::size_t first = n_rows_;
  n_rows_ += profiles.size();
  bits_.resize(n_rows_ * n_words_);
  called_.resize(n_rows_ * n_words_);
  if (encoding_ == Encoding::kAlleles) major_.resize(n_rows_ * n_words_);
  called_sites_.resize(n_rows_);
  for (std::size_t i = 0; i < profiles.size(); ++i) copy_profile(blocks, profiles[i], first + i);
}

ProfileRows ProfileRows::slice(std::size_t first, std::size_t n) const {
  ProfileRows rows(n, n_sites_, encoding_);
  const auto copy = [&](const std::vector<Word>& from, std::vector<Word>& to) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first * n_words_), to.size(), to.begin());
  };
  copy(bits_, rows.bits_);
  copy(called_, rows.called_);
  if (!major_.empty()) copy(major_, rows.major_);
  std::copy_n(called_sites_.begin() + static_cast<std::ptrdiff_t>(first), n, rows.called_sites_.begin());
  return rows;
}

void ProfileRows::set_seen(std::size_t row, std::uint32_t site, Seen seen) {
  const std::size_t at = row * n_words_ + site / kWordBits;
  const Word bit = Word{1} << (site % kWordBits);
  const auto put = [&](std::vector<Word>& plane, bool on) {
    plane[at] = on ? plane[at] | bit : plane[at] & ~bit;
  };
  called_sites_[row] += (called_[at] & bit) == 0;
  called_[at] |= bit;
  put(bits_, (seen & kMinorSeen) != 0);
  if (!major_.empty()) put(major_, (seen & kMajorSeen) != 0);
}

void ProfileRows::set_word(std::size_t row, std::size_t word, Word minor, Word called, Word major) {
  const std::size_t at = row * n_words_ + word;
  called_sites_[row] += static_cast<std::uint32_t>(bits_set(called));
  called_sites_[row] -= static_cast<std::uint32_t>(bits_set(called_[at]));
  called_[at] = called;
  bits_[at] = minor;
  if (!major_.empty()) major_[at] = major;
}

void ProfileRows::keep_rows(std::span<const std::size_t> rows) {
  for (std::size_t to = 0; to < rows.size(); ++to) {
    for (std::vector<Word>* const plane : {&bits_, &called_, &major_})
      if (!plane->empty())
        std::copy_n(plane->begin() + static_cast<std::ptrdiff_t>(rows[to] * n_words_), n_words_,
                    plane->begin() + static_cast<std::ptrdiff_t>(to * n_words_));
    called_sites_[to] = called_sites_[rows[to]];
  }
  n_rows_ = rows.size();
  for (std::vector<Word>* const plane : {&bits_, &called_, &major_})
    if (!plane->empty()) plane->resize(n_rows_ * n_words_);
  called_sites_.resize(n_rows_);
}

void ProfileRows::keep_sites(std::span<const Word> sites) {
  for (std::size_t row = 0; row < n_rows_; ++row) {
    std::uint32_t called = 0;
    for (std::size_t word = 0; word < n_words_; ++word) {
      const std::size_t at = row * n_words_ + word;
      bits_[at] &= sites[word];
      called_[at] &= sites[word];
      if (!major_.empty()) major_[at] &= sites[word];
      called += static_cast<std::uint32_t>(bits_set(called_[at]));
    }
    called_sites_[row] = called;
  }
}

bool ProfileRows::all_called() const {
  return std::ranges::all_of(called_sites_, [this](std::uint32_t sites) { return sites == n_sites_; });
}

MaskedRow::MaskedRow(const RowView& row, std::span<const Word> sites)
    : bits_(row.bits.begin(), row.bits.end()),
      called_(row.called.begin(), row.called.end()),
      major_(row.major.begin(), row.major.end()) {
  for (std::vector<Word>* const plane : {&bits_, &called_, &major_})
    for (std::size_t word = 0; word < plane->size(); ++word) (*plane)[word] &= sites[word];
}

}  // namespace fastid
