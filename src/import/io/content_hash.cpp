#include "import/io/content_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"

namespace fastid {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;
constexpr std::size_t kStep = std::size_t{1} << 16;  ///< hashed between two looks at errands

class ContentHash {
 public:
  ContentHash(std::vector<std::string> files, std::string name, bool beside,
              std::shared_ptr<Errands> errands);
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  std::string finish();

 private:
  std::vector<std::string> stamps() const;
  std::string hash() const;

  std::vector<std::string> files_;
  std::string name_;
  std::vector<std::string> stamps_;
  std::shared_ptr<Errands> errands_;
  std::atomic<bool> stop_{false};
  std::future<std::string> result_;
};

ContentHash::ContentHash(std::vector<std::string> files, std::string name, bool beside,
                         std::shared_ptr<Errands> errands)
    : files_(std::move(files)), name_(std::move(name)), stamps_(stamps()), errands_(std::move(errands)) {
  result_ = std::async(beside ? std::launch::async : std::launch::deferred, [this] { return hash(); });
}

ContentHash::~ContentHash() {
  stop_ = true;  // where reading failed, nobody waits for the checksum
}

std::vector<std::string> ContentHash::stamps() const {
  std::vector<std::string> all;
  for (const std::string& file : files_) all.push_back(file_stamp(file));
  return all;
}

std::string ContentHash::hash() const {
  Errands::Runner errands(*errands_);
  Sha256 sha;
  std::vector<char> buffer;
  for (const std::string& path : files_) {
    const FileDescriptor file = open_for_reading(path);
    const std::uint64_t size = file_size(file.get(), path);
    buffer.resize(std::max<std::size_t>(buffer.size(), std::clamp<std::uint64_t>(size, 1, kPiece)));
    while (const std::size_t got = read_some(file.get(), buffer.data(), buffer.size(), path)) {
      for (std::size_t at = 0; at < got; at += kStep) {
        if (stop_) return {};
        errands.run();
        sha.update(buffer.data() + at, std::min(kStep, got - at));
      }
    }
  }
  return sha.hex();
}

std::string ContentHash::finish() {
  std::string hex = result_.get();
  if (stamps() != stamps_)
    throw InputError(name_, "", "changed while it was read", "try again when it is whole");
  return hex;
}

}  // namespace

std::string file_stamp(const std::string& path) {
  const std::optional<FileState> state = file_state(path);
  if (!state) return {};
  return fmt::format("{}:{}:{}:{}.{:09}", state->device, state->inode, state->bytes, state->changed_s,
                     state->changed_ns);
}

std::shared_future<std::string> hash_content(std::vector<std::string> files, std::string name, bool beside,
                                             std::shared_ptr<Errands> errands) {
  const auto hash =
      std::make_shared<ContentHash>(std::move(files), std::move(name), beside, std::move(errands));
  return std::async(std::launch::deferred, [hash] { return hash->finish(); }).share();
}

}  // namespace fastid
