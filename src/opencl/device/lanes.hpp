/// \file
/// Lanes of work of a device: one computes while another's results are fetched.
#pragma once

#include <cstddef>
#include <deque>

#include "base/lender.hpp"

namespace fastid {

/// Each lane makes again what it keeps for the next work, so that more than keep a device busy would cost
/// more than they bring.
inline constexpr std::size_t kLanesOfADevice = 2;

/// The lanes of a device, each with a command queue and buffers of its own, which has kernel_seconds().
template <class Lane>
class Lanes {
 public:
  /// \param each  what a lane is made of
  template <class... Arguments>
  explicit Lanes(const Arguments&... each) {
    for (std::size_t i = 0; i < kLanesOfADevice; ++i) free_.put(&lanes_.emplace_back(each...));
  }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  std::size_t size() const { return lanes_.size(); }
  /// A lane that nobody else has meanwhile.
  typename Lender<Lane>::Loan lend() { return free_.lend(); }

  double kernel_seconds() const {
    double seconds = 0;
    for (const Lane& lane : lanes_) seconds += lane.kernel_seconds();
    return seconds;
  }

 private:
  std::deque<Lane> lanes_;
  Lender<Lane> free_;
};

}  // namespace fastid
