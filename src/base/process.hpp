/// \file
/// The signals that ask the process to stop, and its CPUs and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fastid {

/// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU and SIGUSR1 set a flag that check_interrupt() sees.
/// Where the program has not ended 0.7 s later (because of a driver or a disk), or at a second signal, it
/// ends at once, says so, and the files registered with emergency.hpp are removed. A signal that the program
/// was started to ignore (nohup) stays ignored. A signal for a crash removes the same files first. Uses
/// SIGALRM. Called once, by main.
void catch_signals();

/// From now on an end at once prints no message about the interruption: somebody else prints it, or has.
void interruption_is_told();

/// \throws Interrupted once a signal has asked the program to stop. It is cheap enough to be called for each
/// tile.
void check_interrupt();

/// Logical CPUs this process may run on (affinity respected), at least 1.
std::size_t available_cpus();

/// The number of threads that an option asks for: 0 stands for all available CPUs.
inline std::size_t threads_or_all(std::size_t threads) {
  return threads > 0 ? threads : available_cpus();
}

/// The peak memory of this process, in bytes; 0 where the system does not state it.
std::uint64_t peak_memory_bytes();

/// The memory of this machine, in bytes.
std::uint64_t physical_memory_bytes();

/// A variable of the environment; "" where it is not set. Valid until the environment changes.
std::string_view environment(const char* name);

/// The file that this program's code was loaded from, also where a loader was started with it as an argument.
/// \throws Failure where the system does not say.
std::string program_file();

}  // namespace fastid
