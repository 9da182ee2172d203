#include "import/io/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kFirstPiece = std::size_t{1} << 14;  // holds most files of one person
constexpr std::size_t kLargestPiece = std::size_t{1} << 18;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(const Source& source, std::size_t threads)
    : name_(source.name()),
      file_bytes_(file_size(source.open().get(), source.name())),
      stream_(open_stream(source, threads)) {}

void LineReader::set_longest_line(std::size_t bytes) {
  constexpr std::uint64_t kMostOfAByte = 64, kAlways = std::uint64_t{1} << 24;
  const std::uint64_t most =
      std::max(kAlways, std::min<std::uint64_t>(file_bytes_, SIZE_MAX / kMostOfAByte) * kMostOfAByte);
  longest_line_ = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, most));
}

std::string LineReader::place() const {
  return fmt::format("line {}", number_);
}

/// Moves what is left to the front and reads on after it. False at the end.
bool LineReader::refill() {
  const std::size_t kept = end_ - begin_;
  if (kept > longest_line_)
    throw InputError(name_, fmt::format("line {}", number_ + 1), "is longer than any line of genotypes",
                     "is it the right file?");
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  begin_ = 0;
  end_ = kept;
  const std::size_t piece = std::clamp(2 * buffer_.size(), kFirstPiece, kLargestPiece);
  if (buffer_.size() < kept + piece) buffer_.resize(std::max(kept + piece, 2 * kept));
  end_ += stream_->read(buffer_.data() + kept, buffer_.size() - kept);
  return end_ > kept;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  const void* found = nullptr;
  for (;;) {
    found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    if (found != nullptr) break;
    const std::size_t held = end_ - begin_;
    if (!refill()) break;
    searched = begin_ + held;
  }
  if (found == nullptr && begin_ == end_) {
    line = {};  // its bytes may have been overwritten
    return false;
  }
  const std::size_t stop =
      found == nullptr ? end_ : static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
  line = std::string_view(buffer_).substr(begin_, stop - begin_);
  begin_ = std::min(stop + 1, end_);
  within_line_ = found == nullptr;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (++number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return true;
}

}  // namespace fastid::imports
