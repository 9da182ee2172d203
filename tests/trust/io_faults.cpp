// A library to preload into fastid that ends it, or makes the disk fail, at any one of its calls that change
// a file: how a power cut, a kill -9 or a full disk at that very instant looks. Calls are counted in their
// order, from 1.
//
//   IO_FAULT_AT     the call at which it happens; 0 or unset: never
//   IO_FAULT_KIND   "kill": SIGKILL just before the call; "full": it and all later writes fail with ENOSPC;
//                   "broken": the same with EIO; "once": this one write fails with EIO; "signal":
//                   IO_FAULT_SIGNAL (a number) before the call; "eintr": it and all later writes say that a
//                   signal broke them off, though none came (but for libhdf5's, which itself tries without
//                   end); "locks": no flock works (ENOLCK), at whatever
//                   call; "stat": no file can be looked at once it is locked; "threads": none begins;
//                   "room": every disk has IO_FAULT_BYTES free;
//                   "torn": SIGKILL once IO_FAULT_BYTES of a write have been made; "replace": IO_FAULT_FROM
//                   is renamed to IO_FAULT_TO before the call, whatever the program has there
//   IO_FAULT_COUNT  a file for the number of calls, written when the program ends
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> g_calls{0};

struct CountAtEnd {
  ~CountAtEnd() {
    const char* const path = std::getenv("IO_FAULT_COUNT");
    if (path == nullptr) return;
    const long calls = g_calls;
    if (std::FILE* const file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls);
      std::fclose(file);
    }
  }
} g_count_at_end;

/// True where IO_FAULT_KIND is this, whatever the call.
bool always(const char* name) {
  static const char* const kind = std::getenv("IO_FAULT_KIND");
  return kind != nullptr && std::strcmp(kind, name) == 0;
}

std::atomic<bool> g_locked{false};

/// True where the call about to be made must fail; errno is then set.
bool faulty(bool writes) {
  static const char* const at_text = std::getenv("IO_FAULT_AT");
  static const char* const kind = std::getenv("IO_FAULT_KIND");
  static const long at = at_text == nullptr ? 0 : std::atol(at_text);
  const long call = ++g_calls;
  if (at == 0 || kind == nullptr || call < at) return false;
  if (call == at && std::strcmp(kind, "kill") == 0) ::kill(::getpid(), SIGKILL);
  if (call == at && std::strcmp(kind, "signal") == 0)
    ::kill(::getpid(), std::atoi(std::getenv("IO_FAULT_SIGNAL")));
  if (call == at && std::strcmp(kind, "replace") == 0)
    ::renameat(AT_FDCWD, std::getenv("IO_FAULT_FROM"), AT_FDCWD, std::getenv("IO_FAULT_TO"));
  if (!writes) return false;
  const bool full = std::strcmp(kind, "full") == 0, broken = std::strcmp(kind, "broken") == 0;
  const bool endless = std::strcmp(kind, "eintr") == 0;
  const bool once = call == at && std::strcmp(kind, "once") == 0;
  errno = full ? ENOSPC : endless ? EINTR : EIO;
  return full || broken || endless || once;
}

bool from_hdf5(const void* caller) {
  Dl_info info{};
  return ::dladdr(caller, &info) != 0 && std::strstr(info.dli_fname, "hdf5") != nullptr;
}

bool standard_stream(int fd) {
  return fd == STDOUT_FILENO || fd == STDERR_FILENO;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int with_room(int done, struct statvfs* disk) {
  if (done != 0 || !always("room")) return done;
  disk->f_frsize = 1;
  disk->f_bavail = static_cast<fsblkcnt_t>(std::atoll(std::getenv("IO_FAULT_BYTES")));
  return done;
}

}  // namespace

// clang-format off
extern "C" {

ssize_t write(int fd, const void* from, size_t bytes) {
  static const auto next = real<ssize_t(int, const void*, size_t)>("write");
  if (standard_stream(fd)) return next(fd, from, bytes);
  if (always("torn")) {
    const auto some = static_cast<size_t>(std::atol(std::getenv("IO_FAULT_BYTES")));
    next(fd, from, some < bytes ? some : bytes);
    ::kill(::getpid(), SIGKILL);
  }
  return faulty(true) ? -1 : next(fd, from, bytes);
}
ssize_t pwrite(int fd, const void* from, size_t bytes, off_t at) {
  static const auto next = real<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  const bool spared = always("eintr") && from_hdf5(__builtin_return_address(0));
  return faulty(!spared) ? -1 : next(fd, from, bytes, at);
}
ssize_t pwrite64(int fd, const void* from, size_t bytes, off64_t at) {
  static const auto next = real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return faulty(true) ? -1 : next(fd, from, bytes, at);
}
int ftruncate(int fd, off_t size) noexcept {
  static const auto next = real<int(int, off_t)>("ftruncate");
  return faulty(true) ? -1 : next(fd, size);
}
int ftruncate64(int fd, off64_t size) noexcept {
  static const auto next = real<int(int, off64_t)>("ftruncate64");
  return faulty(true) ? -1 : next(fd, size);
}
ssize_t copy_file_range(int in, off64_t* in_at, int out, off64_t* out_at, size_t bytes, unsigned flags) {
  static const auto next = real<ssize_t(int, off64_t*, int, off64_t*, size_t, unsigned)>("copy_file_range");
  return faulty(true) ? -1 : next(in, in_at, out, out_at, bytes, flags);
}
int fsync(int fd) {
  static const auto next = real<int(int)>("fsync");
  return faulty(true) ? -1 : next(fd);
}
int rename(const char* from, const char* to) noexcept {
  static const auto next = real<int(const char*, const char*)>("rename");
  // Between the program's last look and this call nothing can be done about a replacement.
  return !always("replace") && faulty(true) ? -1 : next(from, to);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static const auto next = real<int(int, const char*, int, const char*, int)>("linkat");
  return faulty(true) ? -1 : next(from_folder, from, to_folder, to, flags);
}
int flock(int fd, int operation) noexcept {
  static const auto next = real<int(int, int)>("flock");
  errno = ENOLCK;
  if (always("locks")) return -1;
  const int done = next(fd, operation);
  g_locked = g_locked || done == 0;
  return done;
}
int fstat(int fd, struct stat* into) noexcept {
  static const auto next = real<int(int, struct stat*)>("fstat");
  errno = EIO;
  return g_locked && always("stat") ? -1 : next(fd, into);
}
int statvfs(const char* path, struct statvfs* into) noexcept {
  static const auto next = real<int(const char*, struct statvfs*)>("statvfs");
  return with_room(next(path, into), into);
}
int fstatvfs(int fd, struct statvfs* into) noexcept {
  static const auto next = real<int(int, struct statvfs*)>("fstatvfs");
  return with_room(next(fd, into), into);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*), void* with) noexcept {
  static const auto next =
      real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return always("threads") ? EAGAIN : next(thread, how, body, with);
}
int unlink(const char* path) noexcept {
  static const auto next = real<int(const char*)>("unlink");
  faulty(false);  // a full disk can still forget
  return next(path);
}
int ioctl(int fd, unsigned long request, ...) noexcept {
  static const auto next = real<int(int, unsigned long, void*)>("ioctl");
  va_list rest;
  va_start(rest, request);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  faulty(false);
  return next(fd, request, argument);
}

}  // extern "C"
