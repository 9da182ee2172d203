#include "base/staged_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <random>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/retry.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCopyBytes = std::size_t{16} << 20;  ///< copied between two checks for signals

constexpr int kMostTries = 100;  ///< to find an unused name

std::atomic<Privacy> g_privacy{Privacy::kOwner};

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// The prefix of all hidden names beside `target`.
std::string part_prefix(const std::string& target) {
  return std::string(".").append(fs::path(target).filename().string()) + ".part-";
}

std::string part_path(const std::string& target, const std::string& suffix) {
  return (fs::path(target).parent_path() / (part_prefix(target) + suffix)).string();
}

std::string random_suffix() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  std::string suffix(6, ' ');
  for (char& c : suffix) c = kLetters[random() % kLetters.size()];
  return suffix;
}

void sync_folder_of(const std::string& path) {
  const FileDescriptor fd(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());  // best effort: some file systems refuse it for folders
}

/// Gives a file the access control list of the file that it replaces, if that has one. Returns false where it
/// cannot be kept.
bool take_over_list(int fd, const std::string& target) {
  constexpr const char* kList = "system.posix_acl_access";
  std::vector<char> list(std::size_t{64} << 10);
  const ssize_t bytes = ::getxattr(target.c_str(), kList, list.data(), list.size());
  if (bytes < 0) return errno != ERANGE;  // no list, or a file system without them
  return ::fsetxattr(fd, kList, list.data(), static_cast<std::size_t>(bytes), 0) == 0;
}

/// Gives a file the owner, the group, the permissions and the access control list of the file that it
/// replaces, as far as this user may. Where the group or the list cannot be kept, the new file's group gets
/// no permissions. (In a file with a list, the group's permissions are the most that an entry of the list
/// has.)
bool take_over_access(int fd, const std::string& target) {
  mode_t mode = mode_for(target);
  const mode_t without_group = mode & ~static_cast<mode_t>(S_IRWXG);
  struct stat old {
  }, own{};
  if (::stat(target.c_str(), &old) == 0 && ::fstat(fd, &own) == 0 &&
      (old.st_uid != own.st_uid || old.st_gid != own.st_gid) && ::fchown(fd, old.st_uid, old.st_gid) != 0 &&
      old.st_gid != own.st_gid && ::fchown(fd, own.st_uid, old.st_gid) != 0)
    return ::fchmod(fd, without_group) == 0;
  if (::fchmod(fd, mode) != 0) return false;
  return take_over_list(fd, target) || ::fchmod(fd, without_group) == 0;
}

/// Follows a chain of links. visit(link) for each of them. Returns what the last one leads to.
template <class Visit>
std::string follow_links(const std::string& path, const Visit& visit) {
  constexpr int kMostLinks = 40;  // the kernel's limit
  fs::path real = path;
  std::error_code failed;
  for (int i = 0; i < kMostLinks && fs::is_symlink(real, failed); ++i) {
    visit(real.string());
    real = real.parent_path() / fs::read_symlink(real, failed);
  }
  return real.string();
}

/// Refuses the links that resolve_own_links() refuses. Linux refuses them too, with fs.protected_symlinks,
/// but not where a program reads the link itself.
void refuse_others_link(const std::string& path) {
  struct stat link {
  }, folder{};
  if (::lstat(path.c_str(), &link) != 0 || ::stat(folder_of(path).c_str(), &folder) != 0) return;
  const bool anybodys = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  if (anybodys && link.st_uid != ::geteuid() && link.st_uid != folder.st_uid)
    throw Failure(path +
                  ": is a link that another user put into a folder that everybody may write to; name the "
                  "file that it leads to, or remove it");
}

/// The bytes that a file written to this path can have; no value for pipes, devices, and where the system
/// does not say.
std::optional<double> room_at(const std::string& path) {
  const bool standard = path.empty() || path == "-";
  const std::string target = standard ? path : resolve_links(path);
  struct stat info {};
  const bool exists = (standard ? ::fstat(STDOUT_FILENO, &info) : ::stat(target.c_str(), &info)) == 0;
  if (exists ? !S_ISREG(info.st_mode) : standard) return std::nullopt;
  struct statvfs disk {};
  const int looked =
      standard ? ::fstatvfs(STDOUT_FILENO, &disk) : ::statvfs(folder_of(target).c_str(), &disk);
  if (looked != 0 || disk.f_blocks == 0) return std::nullopt;  // some file systems do not count
  return static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
}

}  // namespace

void set_privacy(Privacy privacy) {
  g_privacy = privacy;
}

mode_t mode_for(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return info.st_mode & 07777;
  if (g_privacy == Privacy::kOwner) return 0600;
  const mode_t mask = ::umask(0);  // the umask can only be read by setting it
  ::umask(mask);
  return 0666 & ~mask;
}

std::string resolve_links(const std::string& path) {
  return follow_links(path, [](const std::string&) {});
}

void check_room(const std::string& path, double bytes, std::string_view what, std::string_view cure) {
  const std::optional<double> room = room_at(path);
  if (!room || bytes <= *room) return;
  const auto shown = [](double value) {
    constexpr double kMost = 1e19;
    return with_commas(static_cast<std::uint64_t>(std::min(std::ceil(value), kMost)));
  };
  throw Failure(fmt::format("{}: {} take at least {} bytes, and {} are free there; {}",
                            path.empty() || path == "-" ? "standard output" : path, what, shown(bytes),
                            shown(*room), cure));
}

std::string resolve_own_links(const std::string& path) {
  return follow_links(path, refuse_others_link);
}

StagedFile::StagedFile(const std::string& target, Name name) : target_(resolve_own_links(target)) {
  struct stat info {};
  if (::stat(target_.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    throw Failure(fmt::format("{}: cannot write here: there is a folder or a device of that name", target));
  if (name == Name::kHidden || !create_unnamed()) create_named(target);
}

StagedFile::~StagedFile() {
  if (named_) ::unlink(path_.c_str());
}

bool StagedFile::create_unnamed() {
  fd_ = FileDescriptor(::open(folder_of(target_).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd_.get() < 0) return false;
  path_ = fmt::format("/proc/self/fd/{}", fd_.get());
  if (::access(path_.c_str(), W_OK) == 0) return true;
  fd_ = FileDescriptor();
  return false;
}

void StagedFile::create_named(const std::string& shown) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    path_ = part_path(target_, "XXXXXX");
    fd_ = FileDescriptor(::mkostemp(path_.data(), O_CLOEXEC));
    if (fd_.get() < 0)
      throw Failure(fmt::format("{}: cannot write here: {}", shown, cannot_write_text(errno)));
    emergency_.emplace(path_);
    named_ = true;
    ::flock(fd_.get(), LOCK_EX);
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0 || info.st_nlink > 0) return;
    named_ = false;  // another process removed the file before it was locked: try again
  }
  throw Failure(shown + ": cannot write here: somebody removes its temporary files");
}

/// Gives an unnamed file a hidden name for an instant, since only a rename replaces the target atomically.
void StagedFile::give_name() {
  ::flock(fd_.get(), LOCK_EX);
  const std::string unnamed = path_;
  for (int tries = 0; tries < kMostTries; ++tries) {
    path_ = part_path(target_, random_suffix());
    emergency_.emplace(path_);
    named_ = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    if (named_ || errno != EEXIST) return;
  }
}

void StagedFile::begin_flush() const noexcept {
  ::sync_file_range(fd_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);  // only a hint; errors show on commit()
}

void StagedFile::refuse(const char* what) const {
  throw Failure(fmt::format("{}: cannot {}: {}", target_, what, errno_text(errno)));
}

void StagedFile::commit() {
  prepare();
  put_in_place();
}

void StagedFile::commit_over(const std::optional<FileState>& expected) {
  prepare();
  if (file_state(target_) != expected) refuse_changed(target_);
  put_in_place();
}

void refuse_changed(const std::string& target) {
  throw Failure(target +
                ": another program changed or replaced it meanwhile; it was left as it is now: try again");
}

void StagedFile::commit_together(std::span<StagedFile* const> files) {
  for (StagedFile* const file : files) file->prepare();
  if (::unlink(files.back()->target_.c_str()) != 0 && errno != ENOENT) files.back()->refuse("be replaced");
  for (StagedFile* const file : files) file->put_in_place();
}

void StagedFile::prepare() {
  if (!take_over_access(fd_.get(), target_) || ::fsync(fd_.get()) != 0) refuse("flush to the disk");
  check_interrupt();
}

void StagedFile::put_in_place() {
  if (!named_) give_name();
  if (!named_ || ::rename(path_.c_str(), target_.c_str()) != 0) refuse("be put in place");
  named_ = false;
  sync_folder_of(target_);
}

void remove_abandoned_parts(const std::string& target) noexcept {
  const std::string real = resolve_links(target), prefix = part_prefix(real);
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_of(real), failed)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + 6) continue;
    // The path may be a pipe, where a plain open would wait.
    const FileDescriptor part(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info {};
    if (part.get() < 0 || ::fstat(part.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (::flock(part.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

namespace {

/// Copies by reading and writing. \throws Failure.
void copy_by_hand(int from, int to, std::uint64_t at, std::uint64_t end, const std::string& from_name,
                  const std::string& to_name) {
  std::vector<char> piece(kCopyBytes);
  while (at < end) {
    check_interrupt();
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), end - at));
    read_at(from, piece.data(), some, at, from_name);
    for (std::size_t done = 0; done < some;) {
      const ssize_t put = unbroken(
          [&] { return ::pwrite(to, piece.data() + done, some - done, static_cast<off_t>(at + done)); });
      if (put < 0) throw Failure(fmt::format("{}: cannot write: {}", to_name, errno_text(errno)));
      done += static_cast<std::size_t>(put);
    }
    at += some;
  }
}

}  // namespace

void copy_content(int from, int to, const std::string& from_name, const std::string& to_name) {
  if (::ioctl(to, FICLONE, from) == 0) return;
  const std::uint64_t end = file_size(from, from_name);
  loff_t in = 0, out = 0;
  while (static_cast<std::uint64_t>(in) < end) {
    check_interrupt();
    const auto some =
        static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBytes, end - static_cast<std::uint64_t>(in)));
    const ssize_t put = unbroken([&] { return ::copy_file_range(from, &in, to, &out, some, 0); });
    if (put < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO))
      throw Failure(fmt::format("{}: cannot write: {}", to_name, errno_text(errno)));
    if (put <= 0) break;
  }
  copy_by_hand(from, to, static_cast<std::uint64_t>(in), end, from_name, to_name);
}

}  // namespace fastid
