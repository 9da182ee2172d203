#include "pipeline/stages.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/text.hpp"

namespace fastid {
namespace {

std::string share_of(double rate, double peak) {
  return peak > 0 ? fmt::format(", {:.0f} % of the device's peak", 100 * rate / peak) : "";
}

/// "upload   0.048 s  2.62 GB, 54.6 GB/s, 99 % of the device's peak". Nothing is said of what took no time.
void add_transfer(std::vector<std::string>& lines, std::string_view stage, double seconds,
                  std::uint64_t bytes, double peak) {
  if (seconds <= 0) return;
  const double rate = static_cast<double>(bytes) / seconds;
  lines.push_back(fmt::format("{:<8} {:8.3f} s  {:.3f} GB, {:.2f} GB/s{}", stage, seconds,
                              static_cast<double>(bytes) / 1e9, rate / 1e9, share_of(rate, peak)));
}

void add_compare(std::vector<std::string>& lines, double seconds, double bits, double peak) {
  if (seconds <= 0) return;
  lines.push_back(fmt::format("{:<8} {:8.3f} s  {:.4g} Tbit, {:.4g} Tbit/s{}", "compare", seconds,
                              bits / 1e12, bits / seconds / 1e12, share_of(bits / seconds, peak)));
}

}  // namespace

std::vector<std::string> describe_stages(const StreamStats& stats, const DevicePeaks& peaks, double seconds,
                                         double bits) {
  const DeviceWork& device = stats.device;
  const auto lanes = static_cast<double>(stats.lanes);
  const bool on_device = device.compare_seconds > 0;
  std::vector<std::string> lines = {
      fmt::format("{} of up to {} over {}: {:.3f} s, {:.4g} Tbit/s; {}", counted(stats.tiles, "tile"),
                  counted(stats.tile_blocks, "block"), counted(stats.lanes, "lane"), seconds,
                  bits / seconds / 1e12, counted(stats.candidates, "candidate"))};
  if (on_device) lines.push_back(fmt::format("{:<8} {:8.3f} s", "open", stats.open_seconds));
  // Lanes read and rank side by side; a device's own work of all lanes goes through the one device.
  add_transfer(lines, "read", stats.read_seconds / lanes, stats.read_bytes, 0);
  add_transfer(lines, "upload", device.upload_seconds, device.upload_bytes, peaks.upload);
  add_compare(lines, on_device ? device.compare_seconds : stats.compare_seconds / lanes, bits,
              peaks.comparisons);
  add_transfer(lines, "fetch", device.fetch_seconds, device.fetch_bytes, 0);
  lines.push_back(fmt::format("{:<8} {:8.3f} s", "rank", stats.rank_seconds / lanes));
  if (!on_device) return lines;
  const double stages = (stats.read_seconds + stats.rank_seconds) / lanes + device.upload_seconds +
                        device.compare_seconds + device.fetch_seconds;
  lines.push_back(
      fmt::format("overlap  {:.2f}: the stages take {:.3f} s one after the other", stages / seconds, stages));
  return lines;
}

}  // namespace fastid
