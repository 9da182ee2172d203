/// \file
/// Threads that stop together, the signals that ask them to, and what the process has and took.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace fastid {

/// Runs work(0, failed) .. work(n - 1, failed), each on a thread of its own, and waits for all. The first
/// exception is rethrown here; once one thread has thrown, `failed` is true and the others should return at
/// their next safe point. \throws Failure where the system gives no more threads; those that run are told by
/// `failed`.
void run_crew(std::size_t n, const std::function<void(std::size_t, const std::atomic<bool>& failed)>& work);

/// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU and SIGUSR1 set a flag that check_interrupt() sees.
/// Where the program has not ended 0.7 s later (a driver, a disk), or at a second signal, it is ended at
/// once, without what emergency.hpp knows of. A signal that whoever started the program has it ignore (nohup)
/// stays ignored. A signal that means a crash removes the same files first. Takes SIGALRM. Called once, by
/// main.
void catch_signals();

/// \throws Interrupted once a signal has asked the program to stop. Cheap: call it once a tile.
void check_interrupt();

/// Logical CPUs this process may run on (affinity respected), at least 1.
std::size_t available_cpus();

/// Most memory that this process has held at once, in bytes; 0 where the system does not say.
std::uint64_t peak_memory_bytes();

}  // namespace fastid
