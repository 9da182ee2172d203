/// \file
/// Threads that stop together, the signals that ask them to stop, and the process's CPUs and memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace fastid {

/// Runs work(0, failed) .. work(n - 1, failed), each on its own thread, and waits for all. The first
/// exception is rethrown here; once a thread has thrown, `failed` is true and the others should return at
/// their next safe point. \throws Failure where the system cannot start enough threads; `failed` is then true
/// for those that run.
void run_crew(std::size_t n, const std::function<void(std::size_t, const std::atomic<bool>& failed)>& work);

/// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU and SIGUSR1 set a flag that check_interrupt() sees.
/// Where the program has not ended 0.7 s later (because of a driver or a disk), or at a second signal, it
/// ends at once, and the files registered with emergency.hpp are removed. A signal that the program was
/// started to ignore (nohup) stays ignored. A signal for a crash removes the same files first. Uses SIGALRM.
/// Called once, by main.
void catch_signals();

/// \throws Interrupted once a signal has asked the program to stop. It is cheap enough to be called for each
/// tile.
void check_interrupt();

/// Logical CPUs this process may run on (affinity respected), at least 1.
std::size_t available_cpus();

/// The peak memory of this process, in bytes; 0 where the system does not state it.
std::uint64_t peak_memory_bytes();

}  // namespace fastid
