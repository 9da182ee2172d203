#include "import/io/content_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;

class ContentHash {
 public:
  ContentHash(std::vector<std::string> files, std::string name, ThreadPool& pool)
      : files_(std::move(files)), name_(std::move(name)), stamps_(stamps()) {
    hashing_ = pool.start_steps([this] { return hash_piece(); });
  }

  std::string finish() {
    hashing_.get();
    if (stamps() != stamps_)
      throw InputError(name_, "", "changed while it was read", "try again when it is whole");
    return sha_.hex();
  }

 private:
  std::vector<std::string> stamps() const;
  bool hash_piece();

  std::vector<std::string> files_;
  std::string name_;
  std::vector<std::string> stamps_;
  Sha256 sha_;
  std::size_t next_ = 0;  ///< file to open
  FileDescriptor file_;   ///< being hashed; none between two files
  std::vector<char> buffer_;
  ThreadPool::Task hashing_;  ///< uses the above
};

std::vector<std::string> ContentHash::stamps() const {
  std::vector<std::string> all;
  for (const std::string& file : files_) all.push_back(file_stamp(file));
  return all;
}

/// False at the end of the last file.
bool ContentHash::hash_piece() {
  if (file_.get() < 0) {
    if (next_ == files_.size()) return false;
    const std::string& path = files_[next_++];
    file_ = open_for_reading(path);
    const std::uint64_t size = file_size(file_.get(), path);
    buffer_.resize(std::max<std::size_t>(buffer_.size(), std::clamp<std::uint64_t>(size, 1, kPiece)));
  }
  const std::size_t got = read_some(file_.get(), buffer_.data(), buffer_.size(), files_[next_ - 1]);
  sha_.update(buffer_.data(), got);
  if (got == 0) file_ = {};
  return true;
}

}  // namespace

std::string file_stamp(const std::string& path) {
  const std::optional<FileState> state = file_state(path);
  if (!state) return {};
  return fmt::format("{}:{}:{}:{}.{:09}", state->device, state->inode, state->bytes, state->changed_s,
                     state->changed_ns);
}

std::shared_future<std::string> hash_content(std::vector<std::string> files, std::string name,
                                             ThreadPool& pool) {
  const auto hash = std::make_shared<ContentHash>(std::move(files), std::move(name), pool);
  return std::async(std::launch::deferred, [hash] { return hash->finish(); }).share();
}

}  // namespace fastid::imports
