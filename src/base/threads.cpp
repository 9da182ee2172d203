#include "base/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

volatile std::sig_atomic_t g_signal = 0;

extern "C" void note_signal(int signal) {
  g_signal = signal;
}

}  // namespace

void run_crew(std::size_t n, const std::function<void(std::size_t, const std::atomic<bool>&)>& work) {
  std::atomic<bool> failed{false};
  std::exception_ptr first;
  std::mutex guard;
  const auto member = [&](std::size_t i) {
    try {
      work(i, failed);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!first) first = std::current_exception();
      failed = true;
    }
  };
  {
    std::vector<std::jthread> crew;
    try {
      for (std::size_t i = 1; i < n; ++i) crew.emplace_back(member, i);
    } catch (const std::system_error&) {
      failed = true;
      throw Failure("the system does not let " + std::to_string(n) +
                    " threads run; ask for fewer: --threads");
    }
    if (n > 0) member(0);  // the caller works too
  }
  if (first) std::rethrow_exception(first);
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  // No SA_RESTART: who waits for input that does not come is woken. A second signal ends the program at once.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
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

}  // namespace fastid
