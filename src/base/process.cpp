#include "base/process.hpp"

#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "base/internal/emergency.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

constexpr suseconds_t kSafePointUs = 700'000;  ///< longest wait for a safe point after a signal

volatile std::sig_atomic_t g_signal = 0, g_told = 0;

/// Ends the program at once, from a signal handler, with the exit status of an orderly end.
extern "C" void end_at_once(int) {
  remove_in_emergency();
  constexpr std::string_view kText = "fastid: error: interrupted\n";
  if (g_told == 0 && ::write(STDERR_FILENO, kText.data(), kText.size()) < 0) ::_exit(128 + g_signal);
  ::_exit(128 + g_signal);
}

/// Handles a signal: the first asks the program to stop; a second one, or the end of the time limit, ends it.
extern "C" void note_signal(int signal) {
  if (g_signal != 0) end_at_once(signal);
  g_signal = signal;
  const itimerval soon{{0, 0}, {0, kSafePointUs}};
  ::setitimer(ITIMER_REAL, &soon, nullptr);
}

/// Removes files when the program has crashed; the signal's default action follows.
extern "C" void clear_away(int signal) {
  remove_in_emergency();
  ::raise(signal);
}

/// Sets a handler unless one was set before (by a sanitizer, or by nohup, which ignores the signal).
void set_handler(int signal, void (*handler)(int), int flags) {
  struct sigaction action {
  }, old{};
  if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;
  action.sa_handler = handler;
  action.sa_flags = flags;  // no SA_RESTART, so that a wait for input is interrupted
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_signals() {
  std::signal(SIGALRM, SIG_DFL);  // always reset, since the time limit depends on it
  set_handler(SIGALRM, end_at_once, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1})
    set_handler(signal, note_signal, 0);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP})
    set_handler(signal, clear_away, static_cast<int>(SA_RESETHAND));
}

void interruption_is_told() {
  g_told = 1;
}

void check_interrupt() {
  if (g_signal != 0) throw Interrupted(g_signal);
}

std::size_t available_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return static_cast<std::size_t>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t peak_memory_bytes() {
  // Not getrusage(): its peak still counts the program that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const auto fields = split_blanks(line);
    if (fields.size() == 3 && fields[0] == "VmHWM:")
      return 1024 * parse_number<std::uint64_t>(fields[1]).value_or(0);
  }
  return 0;
}

std::string_view environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::string program_file() {
  // Not /proc/self/exe, which is the loader where that was started.
  const auto here = reinterpret_cast<std::uintptr_t>(&program_file);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uintptr_t first = 0, end = 0;
    char dash = 0;
    std::string rights, offset, device, inode, path;
    fields >> std::hex >> first >> dash >> end >> rights >> offset >> device >> inode >> std::ws;
    if (first <= here && here < end && std::getline(fields, path)) return path;
  }
  throw Failure("/proc/self/maps does not say which file this program is");
}

}  // namespace fastid
