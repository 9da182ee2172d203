#include "opencl/kernel/proof.hpp"

#include <fmt/format.h>

#include <mutex>
#include <random>
#include <set>

#include "base/log.hpp"

namespace fastid::opencl {
namespace {

/// The programs that were proved, by their keys and devices. Thread-safe.
class Proved {
 public:
  bool contains(const std::string& key) {
    const std::scoped_lock lock(guard_);
    return keys_.contains(key);
  }
  void add(const std::string& key) {
    const std::scoped_lock lock(guard_);
    keys_.insert(key);
  }

 private:
  std::mutex guard_;
  std::set<std::string> keys_;
};

Proved& proved() {
  static Proved of_process;
  return of_process;
}

}  // namespace

void prove(const OpenClDevice& device, const ProgramSource& source, std::string_view answers,
           const std::function<bool()>& solves) {
  const std::string name = device.name(), key = name + " " + program_key(source, device.facts);
  if (proved().contains(key)) return;
  bool solved = false;
  try {
    solved = with_cl_errors(name, solves);
  } catch (const DeviceMemoryError&) {  // less at once may fit
    throw;
  } catch (const WrongAnswer& error) {
    throw KernelFault(name, error.problem());
  } catch (const DeviceError& error) {
    throw KernelBuildError(error.what());  // the device is older, of the same family, or too small for it
  }
  if (!solved)
    throw KernelFault(name, fmt::format("kernel {} gives other {} of a small problem than the definition",
                                        source.kernel, answers));
  proved().add(key);
}

std::string try_kernel(const std::function<void()>& make, bool is_last) {
  try {
    make();
    return "";
  } catch (const KernelBuildError& error) {
    if (is_last) throw;
    const std::string_view text = error.what();
    std::string first_line(text.substr(0, text.find('\n')));
    log::detail("{}; another kernel is used", first_line);
    return first_line;
  } catch (const KernelFault& error) {
    if (is_last) throw;
    log::warn("{}: {}; another kernel is used", error.device(), error.fault());
    return error.fault();
  }
}

BitBlocks random_profiles(const BlockShape& shape, std::span<const Seen> drawn, bool missing,
                          std::uint32_t seed) {
  constexpr std::uint32_t kOneMissingOf = 16;
  std::minstd_rand random(seed);
  BitBlocks profiles(shape);
  for (std::uint64_t profile = 0; profile < shape.n_profiles; ++profile)
    for (std::uint32_t site = 0; site < shape.n_sites; ++site)
      if (!missing || random() % kOneMissingOf != 0)
        profiles.set_seen(profile, site, drawn[random() % drawn.size()]);
  return profiles;
}

}  // namespace fastid::opencl
