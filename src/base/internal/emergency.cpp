#include "base/internal/emergency.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>

namespace fastid {
namespace {

enum State : int { kFree, kFilling, kSet };

/// A signal handler must not lock or allocate, so paths are kept in slots of a fixed size.
struct Slot {
  std::atomic<int> state{kFree};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<int>::is_always_lock_free);

std::array<Slot, 64> g_slots;

}  // namespace

RemovedInEmergency::RemovedInEmergency(const std::string& path) : slot_(g_slots.size()) {
  if (path.size() >= PATH_MAX) return;
  for (std::size_t i = 0; i < g_slots.size(); ++i) {
    int expected = kFree;
    if (!g_slots[i].state.compare_exchange_strong(expected, kFilling)) continue;
    std::memcpy(g_slots[i].path.data(), path.c_str(), path.size() + 1);
    g_slots[i].state = kSet;
    slot_ = i;
    return;
  }
}

RemovedInEmergency::~RemovedInEmergency() {
  if (slot_ < g_slots.size()) g_slots[slot_].state = kFree;
}

void remove_in_emergency() noexcept {
  for (Slot& slot : g_slots)
    if (slot.state == kSet) ::unlink(slot.path.data());
}

}  // namespace fastid
