/// \file
/// The planes of lanes' tiles, which stay with an engine when a lane is closed: a driver takes longer to make
/// host memory fit for direct transfer than to open the rest of a lane.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "opencl/cl_api.hpp"
#include "opencl/tile_plane.hpp"

namespace fastid {

/// Thread-safe. Keeps planes of one size: those that were last asked for.
class PlanePool : public std::enable_shared_from_this<PlanePool> {
 public:
  /// \param unified  the device works in the host's memory
  /// \param threads  that zero a plane's pages
  PlanePool(const cl::Context& context, const cl::Device& device, bool unified, std::size_t threads);
  ~PlanePool();
  PlanePool(const PlanePool&) = delete;
  PlanePool& operator=(const PlanePool&) = delete;

  /// Begins to make what there is less than `n` planes of so many words, on threads of its own, and frees
  /// what there is more. What fails will fail again in take(), which says so. Called by one thread at a time.
  void prepare(std::size_t n, std::size_t words);

  /// A plane that is free or was being made, else a new one: anything in it. Comes back to the pool with its
  /// last owner. \throws cl::Error, Failure
  std::shared_ptr<TilePlane> take(std::size_t words);

 private:
  void make_free(std::size_t n, std::size_t words);
  void end_preparing();
  void ask_for(std::size_t words);
  std::unique_ptr<TilePlane> take_free(std::size_t words);
  void give_back(std::unique_ptr<TilePlane> plane, std::size_t words) noexcept;
  std::unique_ptr<TilePlane> make(std::size_t words, const std::function<bool()>& wanted);

  cl::Context context_;
  cl::Device device_;
  bool unified_;
  std::size_t threads_;
  std::mutex driver_;  ///< planes are made one after the other: so the first one is there soon
  std::mutex guard_;   ///< of what follows
  std::condition_variable changed_;
  std::size_t words_ = 0;    ///< of each plane that is kept
  std::size_t pending_ = 0;  ///< planes that are being made ahead
  std::vector<std::unique_ptr<TilePlane>> free_;
  std::jthread preparing_;  ///< last: it uses all of them
};

}  // namespace fastid
