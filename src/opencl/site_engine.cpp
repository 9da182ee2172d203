#include "opencl/site_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/embedded.hpp"
#include "base/log.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/matrix_comparer.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t kFirstSites = 1024;  // of a tile: enough work-groups for a GPU
constexpr std::size_t kFirstRead = 4096;     // pairs that are read together with their number

/// What a program is built for, as link_sites.cl has it.
struct SiteShape {
  std::uint32_t instruction = 1, rows = 2, columns = 1;  ///< FASTID_MATRIX, _ROWS and _COLUMNS
  std::uint32_t tiles = 1, blocks = 1;
  bool genotypes = true, all_called = true;

  std::size_t group_items() const { return kWarp * rows * columns; }
  std::size_t group_firsts() const { return kMatrixTile * rows * tiles; }
  std::size_t group_seconds() const { return kLanes * columns * blocks; }
  std::size_t planes() const { return (genotypes ? 2 : 1) + (all_called ? 0 : 1); }
};

/// The device's matrix instruction where a config has one, else the one in OpenCL C.
std::vector<SiteShape> shapes_for(const DeviceFacts& facts, bool genotypes, bool all_called) {
  std::vector<SiteShape> shapes;
  if (const auto config = ptx_config(facts))
    shapes.push_back({kPtxMatrix, config->matrix_rows, config->matrix_columns});
  shapes.emplace_back();
  for (SiteShape& shape : shapes) {
    shape.genotypes = genotypes;
    shape.all_called = all_called;
    if (all_called) shape.tiles = 4;  // else there are more sums, and registers for fewer pairs
  }
  return shapes;
}

ProgramSource source_of(const SiteShape& shape) {
  std::string text;
  for (const std::string_view file :
       {"kernels/thresholds.h", "kernels/matrix_product.h", "kernels/link_sites.cl"})
    text += embedded_text(file);
  return {std::move(text),
          fmt::format("-cl-std=CL1.2 -D FASTID_WIDE=0 -D FASTID_MATRIX={} -D FASTID_MATRIX_ROWS={} "
                      "-D FASTID_MATRIX_COLUMNS={} -D FASTID_TILES={} -D FASTID_BLOCKS={} "
                      "-D FASTID_GENOTYPES={:d} -D FASTID_ALL_CALLED={:d}",
                      shape.instruction, shape.rows, shape.columns, shape.tiles, shape.blocks,
                      shape.genotypes, shape.all_called),
          "find_sites"};
}

/// Each site's part of the test where all units are called (may_pass() of link_sites.cl), two floats a site.
/// A site that does not vary is linked to none.
std::vector<cl_float> own_parts(const SiteProblem& problem) {
  const std::span<const SiteCounts> own = problem.own;
  const auto units = static_cast<double>(problem.sites.shape.n_sites);
  std::vector<cl_float> parts(2 * kLanes * static_cast<std::size_t>(problem.sites.shape.n_blocks()));
  for (std::size_t site = 0; site < own.size(); ++site) {
    const double x = own[site].x, spread = units * own[site].xx - x * x;
    parts[2 * site] = static_cast<cl_float>(x / std::sqrt(units));
    parts[2 * site + 1] = spread == 0
                              ? std::numeric_limits<cl_float>::infinity()
                              : static_cast<cl_float>(std::sqrt(std::sqrt(problem.min_r2) * spread / units));
  }
  return parts;
}

/// A problem's sites on a device.
class DeviceSites {
 public:
  DeviceSites(const cl::Context& context, const cl::Device& device, const cl::Program& program,
              const SiteShape& shape, const SiteProblem& problem, std::uint32_t most_found)
      : problem_(problem),
        shape_(shape),
        most_found_(most_found),
        queue_(context, device, CL_QUEUE_PROFILING_ENABLE),
        pack_(program, "pack_sites"),
        find_(program, "find_sites") {
    const std::size_t plane = checked_mul(static_cast<std::size_t>(problem.sites.shape.n_blocks()),
                                          problem.sites.shape.block_bytes());
    minor_ = upload(context, problem.sites.bits, plane);
    major_ = upload(context, problem.sites.second, plane);
    std::vector<cl_float> parts = own_parts(problem);
    own_ = make_buffer(context, CL_MEM_READ_ONLY, parts.size() * sizeof(cl_float), parts.data());
    found_ = make_buffer(context, CL_MEM_READ_WRITE, (std::size_t{most_found} + 1) * sizeof(Found));
    pack(context);
    set_arguments();
  }

  double kernel_seconds() const { return seconds_; }

  /// Appends the pairs of a tile that may be linked, and perhaps others.
  void find(const SiteTile& tile, std::vector<std::pair<cl_uint, cl_uint>>& out) {
    const std::uint64_t n_firsts = tile.first_end - tile.first_begin,
                        n_seconds = tile.second_end - tile.second_begin;
    if (n_firsts == 0 || n_seconds == 0) return;
    if (n_firsts * n_seconds <= kMostPairs) {
      const std::size_t n = run(tile);
      if (n <= most_found_) return read(n, out);
      if (n > n_firsts * n_seconds)
        throw DeviceError(fmt::format("the device found {} pairs among {}", n, n_firsts * n_seconds));
    }
    SiteTile rest = tile, part = tile;  // its longer side in two
    if (n_firsts >= n_seconds)
      part.first_end = rest.first_begin = tile.first_begin + static_cast<std::uint32_t>(n_firsts / 2);
    else
      part.second_end = rest.second_begin = tile.second_begin + static_cast<std::uint32_t>(n_seconds / 2);
    find(part, out);
    find(rest, out);
  }

 private:
  struct Found {
    cl_uint first, second;
  };
  static constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 31;  // that the kernel's counter can count

  // With padding, since the kernel reads past the last block.
  cl::Buffer upload(const cl::Context& context, const Word* plane, std::size_t bytes) const {
    cl::Buffer buffer = make_buffer(context, CL_MEM_READ_ONLY, bytes + kTilePadding * sizeof(Word));
    queue_.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, plane);
    return buffer;
  }

  void pack(const cl::Context& context) {
    const BlockShape& sites = problem_.sites.shape;
    const std::size_t tiles = static_cast<std::size_t>(sites.n_blocks()) * (kLanes / kMatrixTile);
    const std::size_t items = ceil_div(sites.n_words(), kMatrixStep) * kWarp;  // of a tile
    packed_ = make_buffer(context, CL_MEM_READ_WRITE,
                          checked_mul(checked_mul(tiles, items), shape_.planes() * sizeof(cl_uint4)));
    pack_.setArg(0, minor_);
    pack_.setArg(1, major_);
    pack_.setArg(2, narrow<cl_uint>(sites.n_words()));
    pack_.setArg(3, narrow<cl_uint>(sites.n_profiles));
    pack_.setArg(4, packed_);
    queue_.enqueueNDRangeKernel(pack_, cl::NullRange, cl::NDRange(items, tiles), cl::NDRange(kWarp, 1));
    queue_.finish();
  }

  void set_arguments() {
    const BlockShape& sites = problem_.sites.shape;
    find_.setArg(0, packed_);
    find_.setArg(1, minor_);
    find_.setArg(2, major_);
    find_.setArg(3, own_);
    find_.setArg(4, narrow<cl_uint>(sites.n_words()));
    find_.setArg(5, narrow<cl_uint>(sites.n_blocks()));
    find_.setArg(10, static_cast<cl_float>(problem_.min_r2));
    find_.setArg(11, cl_float{covariance_slack(sites.n_sites)});
    find_.setArg(12, cl_uint{most_found_});
    find_.setArg(13, found_);
  }

  // How many pairs were found, of which the buffer holds the first.
  std::size_t run(const SiteTile& tile) {
    queue_.enqueueFillBuffer(found_, cl_uint{0}, 0, sizeof(Found));
    find_.setArg(6, cl_uint{tile.first_begin});
    find_.setArg(7, cl_uint{tile.first_end});
    find_.setArg(8, cl_uint{tile.second_begin});
    find_.setArg(9, cl_uint{tile.second_end});
    const std::size_t rows =
        ceil_div(tile.first_end - tile.first_begin / kMatrixTile * kMatrixTile, shape_.group_firsts());
    const std::size_t columns =
        ceil_div(tile.second_end - tile.second_begin / kLanes * kLanes, shape_.group_seconds());
    cl::Event ran;
    queue_.enqueueNDRangeKernel(find_, cl::NullRange, cl::NDRange(columns * shape_.group_items(), rows),
                                cl::NDRange(shape_.group_items(), 1), nullptr, &ran);
    head_.resize(1 + std::min<std::size_t>(kFirstRead, most_found_));
    queue_.enqueueReadBuffer(found_, CL_TRUE, 0, head_.size() * sizeof(Found), head_.data());
    seconds_ += seconds_of(ran);
    return head_.front().first;
  }

  void read(std::size_t n, std::vector<std::pair<cl_uint, cl_uint>>& out) {
    const std::size_t here = head_.size();
    head_.resize(n + 1);
    if (n + 1 > here)
      queue_.enqueueReadBuffer(found_, CL_TRUE, here * sizeof(Found), (n + 1 - here) * sizeof(Found),
                               head_.data() + here);
    for (std::size_t i = 1; i <= n; ++i) out.emplace_back(head_[i].first, head_[i].second);
  }

  SiteProblem problem_;
  SiteShape shape_;
  std::uint32_t most_found_;
  cl::CommandQueue queue_;
  cl::Kernel pack_, find_;
  cl::Buffer minor_, major_, packed_, own_, found_;
  std::vector<Found> head_;
  double seconds_ = 0;  ///< that the kernel ran
};

class OpenClSites final : public SiteEngine {
 public:
  OpenClSites(const OpenClDevice& device, const SiteProblem& problem, std::uint32_t most_found)
      : name_("opencl:" + device.facts.selector), problem_(problem) {
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    const auto shapes = shapes_for(device.facts, problem.unit == SiteUnit::kGenotypes, all_called(problem));
    use_first_built(name_, context, device, shapes, source_of,
                    [&](const cl::Program& program, const SiteShape& shape) {
                      prove(context, device.device, program, shape);
                      sites_.emplace(with_cl_memory_errors(name_, [&] {
                        return DeviceSites(context, device.device, program, shape, problem, most_found);
                      }));
                    });
  }

  ~OpenClSites() override { log::detail("{}: kernel {:.6f} s", name_, sites_->kernel_seconds()); }
  OpenClSites(const OpenClSites&) = delete;
  OpenClSites& operator=(const OpenClSites&) = delete;

  std::uint32_t first_sites() const override { return kFirstSites; }

  void find(const SiteTile& tile, std::vector<LinkedSites>& out) const override {
    std::vector<std::pair<cl_uint, cl_uint>> found;
    {
      const std::lock_guard lock(using_);
      with_cl_errors(name_, [&] { sites_->find(tile, found); });
    }
    for (const auto& [first, second] : found) {
      if (first < tile.first_begin || first >= std::min(tile.first_end, second) ||
          second < tile.second_begin || second >= tile.second_end)
        throw DeviceError(
            fmt::format("{}: the device found a pair that it was not asked for; {}", name_, kDistrust));
      append_if_linked(problem_, first, second, out);
    }
  }

 private:
  // The device must find what the definition finds in a small cohort, where every third site is nearly the
  // one before it.
  void prove(const cl::Context& context, const cl::Device& device, const cl::Program& program,
             const SiteShape& shape) const {
    constexpr std::uint32_t kSites = 70, kUnits = 301;
    BitBlocks cohort({kSites, kUnits, Encoding::kAlleles});
    std::minstd_rand rng(1);
    for (std::uint32_t unit = 0; unit < kUnits; ++unit) {
      std::uint32_t seen = 0;
      for (std::uint32_t site = 0; site < kSites; ++site) {
        if (site % 3 != 1 || rng() % 8 == 0)
          seen = static_cast<std::uint32_t>(rng() % (shape.genotypes ? 3 : 2));
        constexpr Seen kSeen[] = {kMajorSeen, kMinorSeen, kBothSeen};
        if (shape.all_called || rng() % 16 != 0) cohort.set_seen(site, unit, kSeen[seen]);
      }
    }
    const SiteUnit unit = shape.genotypes ? SiteUnit::kGenotypes : SiteUnit::kHaplotypes;
    const std::vector<SiteCounts> own = own_counts(unit, cohort.view());
    const SiteProblem problem{cohort.view(), unit, .2, own};
    const SiteTile all{0, kSites, 0, kSites};
    std::vector<LinkedSites> right, found;
    make_site_engine("reference", problem)->find(all, right);
    std::vector<std::pair<cl_uint, cl_uint>> may;
    with_cl_memory_errors(name_, [&] {
      DeviceSites(context, device, program, shape, problem, kSites * kSites).find(all, may);
    });
    std::ranges::sort(may, {}, [](const auto& pair) { return std::pair(pair.second, pair.first); });
    for (const auto& [first, second] : may) append_if_linked(problem, first, second, found);
    if (found != right)
      throw DeviceError(fmt::format("{}: the device finds {} of {} linked sites; {}", name_, found.size(),
                                    right.size(), kDistrust));
  }

  std::string name_;
  SiteProblem problem_;
  mutable std::mutex using_;
  mutable std::optional<DeviceSites> sites_;
};

}  // namespace

std::unique_ptr<SiteEngine> make_opencl_site_engine(const std::string& selector, const SiteProblem& problem,
                                                    std::uint32_t most_found) {
  return std::make_unique<OpenClSites>(select_opencl_device(selector), problem, most_found);
}

}  // namespace fastid
