#include "base/write_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/retry.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

constexpr std::size_t kLongestNote = 8192;

/// The holder of a lock: the four lines of the lock file.
struct Holder {
  std::string pid, host, since, command;
};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// "fastid db remove". No other argument: it may be somebody's id, and the file stays where the program is
/// killed.
std::string this_command() {
  constexpr std::size_t kMostWords = 3;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::vector<std::string_view> arguments = split(text, '\0');
  std::string command(arguments[0].substr(0, kLongestNote / 2));
  std::ranges::replace(command, '\n', ' ');
  for (std::size_t i = 1; i < std::min(arguments.size(), kMostWords); ++i) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    if (arguments[i].empty() || !std::ranges::all_of(arguments[i], is_letter)) break;
    command.append(" ").append(arguments[i]);
  }
  return command;
}

/// Returns no value where the holder has not written its name yet, or an earlier holder's name is still
/// there.
std::optional<Holder> read_holder(int fd) {
  std::string text(kLongestNote, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  const auto lines = split(text, '\n');
  if (lines.size() != 5 || !lines[4].empty()) return std::nullopt;
  Holder holder{std::string(lines[0]), std::string(lines[1]), std::string(lines[2]), std::string(lines[3])};
  const auto pid = parse_number<pid_t>(holder.pid);
  if (!pid || *pid <= 0) return std::nullopt;
  if (holder.host == host_name() && ::kill(*pid, 0) != 0 && errno == ESRCH) return std::nullopt;
  return holder;
}

/// Takes a lock whose holder is just ending. \throws Failure, naming the holder where that is known, where
/// the lock stays held.
void wait_for_holder(const std::string& target, int fd) {
  for (int i = 0; i < 20; ++i) {
    if (const auto holder = read_holder(fd))
      throw Failure(
          fmt::format("{}: is being written by process {} on host {} since {} ({}); wait until it is done",
                      target, holder->pid, printable(holder->host, 80), printable(holder->since),
                      printable(holder->command, 200)));
    // The holder has not written its name yet, or has just ended.
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return;
  }
  throw Failure(target + ": another program is writing to it; wait until it is done");
}

}  // namespace

std::string lock_trouble(int number) {
  const bool none = number == ENOLCK || number == EOPNOTSUPP || number == ENOSYS;
  return fmt::format(
      "cannot be locked: {}{}", errno_text(number),
      none ? ": its file system has no locks (an NFS whose lock service does not run, or that is "
             "mounted without); write to a file system that has, and move the file here when it is "
             "done"
           : "; try again, or write to another file system");
}

WriteLock::WriteLock(const std::string& target) : target_(resolve_links(target)) {
  constexpr int kMostTries = 1000;
  const std::filesystem::path real(target_);
  path_ = (real.parent_path() / std::string(".").append(real.filename().string()).append(".lock")).string();
  int tries = 0;
  while (!take())
    if (++tries == kMostTries) give_up("its lock file " + path_ + " vanishes again and again");
  emergency_.emplace(path_);
  say_who();
  remove_abandoned_parts(target_);
}

/// Returns false where the file was removed in the meantime, since its holder has just ended.
bool WriteLock::take() {
  fd_ = FileDescriptor(
      ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode_for(target_) & 0666));
  if (fd_.get() < 0)
    throw Failure(fmt::format("{}: cannot write here: {}", target_, cannot_write_text(errno)));
  if (unbroken([this] { return ::flock(fd_.get(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK) give_up(lock_trouble(errno));
    wait_for_holder(target_, fd_.get());
  }
  struct stat held {
  }, there{};
  if (::fstat(fd_.get(), &held) != 0) give_up("cannot be locked: " + errno_text(errno));
  if (::stat(path_.c_str(), &there) != 0 && errno != ENOENT)
    give_up("cannot be locked: " + errno_text(errno));
  return held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

/// Throws a Failure. Removes the lock file first where it is empty, since this object has then just created
/// it.
void WriteLock::give_up(const std::string& why) const {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0 || info.st_size == 0) ::unlink(path_.c_str());
  throw Failure(fmt::format("{}: {}", target_, why));
}

/// Writes the holder into the lock file. This only informs others; the lock does not depend on it.
void WriteLock::say_who() const {
  const std::string note =
      fmt::format("{}\n{}\n{}\n{}\n", ::getpid(), host_name(), utc_clock(), this_command());
  if (::ftruncate(fd_.get(), 0) == 0) [[maybe_unused]]
    const ssize_t put = ::pwrite(fd_.get(), note.data(), note.size(), 0);
}

WriteLock::~WriteLock() {
  ::unlink(path_.c_str());  // removed while the lock is still held
}

}  // namespace fastid
