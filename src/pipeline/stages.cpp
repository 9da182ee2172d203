#include "pipeline/stages.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/text.hpp"

namespace fastid::pipeline {
namespace {

/// What a stage's rate and time are compared with; 0: not known, and not mentioned.
struct Yardstick {
  double peak = 0;       ///< highest rate
  double predicted = 0;  ///< seconds
};

std::string beside(const Yardstick& known, double rate) {
  std::string text;
  if (known.peak > 0) text += fmt::format(", {:.0f} % of the device's peak", 100 * rate / known.peak);
  if (known.predicted > 0) text += fmt::format("; predicted {:.3f} s", known.predicted);
  return text;
}

/// Adds "upload   0.048 s  2.62 GB, 54.6 GB/s, 99 % of the device's peak; predicted 0.047 s". A stage that
/// took no time is left out.
void add_transfer(std::vector<std::string>& lines, std::string_view stage, double seconds,
                  std::uint64_t bytes, const Yardstick& known = {}) {
  if (seconds <= 0) return;
  const double rate = static_cast<double>(bytes) / seconds;
  lines.push_back(fmt::format("{:<8} {:8.3f} s  {:.3f} GB, {:.2f} GB/s{}", stage, seconds,
                              static_cast<double>(bytes) / 1e9, rate / 1e9, beside(known, rate)));
}

void add_compare(std::vector<std::string>& lines, double seconds, double bits, const Yardstick& known) {
  if (seconds <= 0) return;
  lines.push_back(fmt::format("{:<8} {:8.3f} s  {:.4g} Tbit, {:.4g} Tbit/s{}", "compare", seconds,
                              bits / 1e12, bits / seconds / 1e12, beside(known, bits / seconds)));
}

}  // namespace

std::vector<std::string> describe_stages(const StreamStats& stats, const engine::DevicePeaks& peaks,
                                         const engine::ExpectedTimes& expected, double bits, double seconds) {
  const engine::DeviceWork& device = stats.device;
  const auto workers = static_cast<double>(stats.workers);
  const bool on_device = device.compare_seconds > 0;
  std::vector<std::string> lines = {
      fmt::format("{} of up to {} over {}: {:.3f} s, {:.4g} Tbit/s; {} passed", counted(stats.tiles, "tile"),
                  counted(stats.tile_blocks, "block"), counted(stats.workers, "worker"), seconds,
                  bits / seconds / 1e12, counted(stats.pairs, "pair"))};
  if (stats.sample_seconds > 0.0005)
    lines.push_back(fmt::format("{:<8} {:8.3f} s", "sample", stats.sample_seconds));
  if (on_device) lines.push_back(fmt::format("{:<8} {:8.3f} s", "open", stats.open_seconds));
  // Workers read and rank at the same time, so these times are divided by their number. The device's are not:
  // it works for all workers.
  add_transfer(lines, "read", stats.read_seconds / workers, stats.read_bytes);
  add_transfer(lines, "upload", device.upload_seconds, device.upload_bytes, {peaks.upload, expected.upload});
  add_compare(lines, on_device ? device.compare_seconds : stats.compare_seconds / workers, bits,
              {peaks.comparisons, expected.compare});
  add_transfer(lines, "fetch", device.fetch_seconds, device.fetch_bytes);
  lines.push_back(fmt::format("{:<8} {:8.3f} s", "rank", stats.rank_seconds / workers));
  if (!on_device) return lines;
  const double stages = (stats.read_seconds + stats.rank_seconds) / workers + device.upload_seconds +
                        device.compare_seconds + device.fetch_seconds;
  lines.push_back(
      fmt::format("overlap  {:.2f}: the stages take {:.3f} s one after the other", stages / seconds, stages));
  if (expected.stream > 0)
    lines.push_back(fmt::format("all      {:8.3f} s  once a worker was open; predicted {:.3f} s",
                                seconds - stats.open_seconds, expected.stream));
  return lines;
}

}  // namespace fastid::pipeline
