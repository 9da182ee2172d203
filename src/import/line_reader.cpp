#include "import/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace fastid {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LineReader::LineReader(const Source& source) : name_(source.name()), file_(hts::open_decompressed(source)) {}

std::string LineReader::place() const {
  return fmt::format("line {}", number_);
}

bool LineReader::refill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t kept = buffer_.size();
  if (kept > kLongestLine)
    throw InputError(name_, fmt::format("line {}", number_ + 1), "is longer than any line of genotypes",
                     "is it the right file?");
  buffer_.resize(kept + kPiece);
  const ssize_t got = bgzf_read(file_.get(), buffer_.data() + kept, kPiece);
  if (got < 0)
    throw InputError(name_, fmt::format("after line {}", number_),
                     "the compressed data are damaged or truncated", "restore the file from a copy");
  buffer_.resize(kept + static_cast<std::size_t>(got));
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t end = buffer_.find('\n', begin_);
  while (end == std::string::npos) {
    const std::size_t searched = buffer_.size() - begin_;
    if (!refill()) {
      if (buffer_.empty()) return false;
      end = buffer_.size();
      break;
    }
    end = buffer_.find('\n', searched);
  }
  line = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = std::min(end + 1, buffer_.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (++number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return true;
}

}  // namespace fastid
