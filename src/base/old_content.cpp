#include "base/old_content.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/retry.hpp"

namespace fastid {

OldContent::OldContent(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
  if (file_.get() < 0) trouble_ = errno_text(errno);
}

std::string OldContent::overwrite() const {
  if (!trouble_.empty()) return trouble_;
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) return errno_text(errno);
  if (info.st_nlink > 0) return "it has another name";
  // A write lease is granted only where no other descriptor of the file is open.
  if (::fcntl(file_.get(), F_SETLEASE, F_WRLCK) != 0)
    return errno == EAGAIN ? "another program has it open" : errno_text(errno);
  const std::vector<char> zeros(std::size_t{1} << 20);
  for (off_t at = 0; at < info.st_size;) {
    check_interrupt();
    const auto some = std::min<std::size_t>(zeros.size(), static_cast<std::size_t>(info.st_size - at));
    const ssize_t put = unbroken([&] { return ::pwrite(file_.get(), zeros.data(), some, at); });
    if (put <= 0) return errno_text(errno);
    at += put;
  }
  return ::fdatasync(file_.get()) == 0 ? "" : errno_text(errno);
}

}  // namespace fastid
