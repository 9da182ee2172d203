/// \file
/// What compare.cl and compare_matrix.cl have in common on the host's side (kernels/pair.h): queries packed
/// as a kernel reads them, and the profiles' own bits.
#pragma once

#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "opencl/kernel/comparer.hpp"

namespace fastid {

/// What a kernel of this kind reads of a problem.
struct ProductInputs {
  cl::Buffer queries;   ///< in the kernel's order, filled up to what it takes at once by rows of 0
  BarTable bars;        ///< as many rows
  bool weighs = false;  ///< the kernel takes each profile's bits, counted once a tile
};

/// Tiles of so many rows, from row 0 on, that rows first .. end - 1 lie in.
constexpr std::size_t tiles_over(std::size_t first, std::size_t end, std::size_t tile) {
  return ceil_div(end, tile) - first / tile;
}

class ProductComparer : public Comparer {
 public:
  void read_from(const DeviceTile& tile) override;
  void prepare(const cl::CommandQueue& queue, const BlockRange& blocks,
               std::vector<cl::Event>& events) override;
  void compare(const cl::CommandQueue& queue, const PairRange& range, std::size_t end_block,
               std::vector<cl::Event>& events) override;

 protected:
  ProductComparer(const cl::Context& context, const cl::Program& program, const Problem& problem,
                  const KernelConfig& config, const DeviceTile& tile, const ProductInputs& inputs);

  /// Work-items of a run of `compare`, and of a work-group. May set the arguments that are its own, from
  /// kOwnArgument on.
  struct Launch {
    cl::NDRange items, group;
  };
  virtual Launch launch(cl::Kernel& kernel, const PairRange& range) = 0;

  /// Column tiles that a work-group takes one after the other: as many as each compute unit has work-groups
  /// for beyond `groups_a_unit`, if none took more than one, and `most` at most.
  std::size_t run_of(std::size_t groups, std::size_t groups_a_unit, std::size_t most) const {
    return std::clamp<std::size_t>(groups / (groups_a_unit * units_), 1, most);
  }
  static constexpr cl_uint kOwnArgument = 14;

  const Problem& problem() const { return problem_; }
  cl::Kernel& kernel() { return compare_; }

 private:
  void set_fixed_arguments(const DeviceTile& tile, std::size_t n_rows, const cl::Device& device);

  Problem problem_;
  std::size_t units_;  ///< compute units of the device
  cl::Kernel compare_, weigh_;
  bool weighs_;
  std::size_t weigh_items_ = 1;  ///< of a work-group of weigh_
  cl::Buffer queries_;
};

/// Whether a pair's weight is counted pair by pair where it depends on both sides: the stored side alone
/// bounds it closely where nearly all sites of each query are called, and few pairs then pass the bound that
/// fail the bar. Always so for reverse mixtures with a called plane.
bool counts_pair_weights(const Problem& problem);
/// Whether each query has nearly all of its sites called.
bool nearly_all_called(const Problem& problem);

}  // namespace fastid
