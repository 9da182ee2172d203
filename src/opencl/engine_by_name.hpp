/// \file
/// From a word of `--device` to an engine, whatever the engine computes.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/device_facts.hpp"

namespace fastid::opencl {

inline constexpr std::string_view kOpenCl = "opencl", kOpenClAll = "opencl:all";

/// The words for `--device` of every question.
inline constexpr std::string_view kDeviceWords =
    "auto, cpu, reference, opencl, opencl:all or opencl:SELECTOR";

/// The selector of "opencl:SELECTOR"; "" of "opencl"; no value of another word.
std::optional<std::string> opencl_selector(const std::string& device);

/// The devices without those that are CPUs, unless all are CPUs: a GPU compares all the rest before a CPU's
/// driver has finished its first tile, and would then wait for it.
std::vector<model::DeviceFacts> devices_to_combine(std::vector<model::DeviceFacts> devices);

/// The selectors of devices_to_combine() of all devices; "" where there is none: its error says what to
/// install.
std::vector<std::string> all_selectors();

/// The engine that `device` names.
/// \param wrong   what is said of a word that it does not take
/// \param of_word  makes an engine of a word; null where the word names none without OpenCL
/// \param on_one  makes an engine of an OpenCL device, given its selector
/// \param joint   makes one engine of several
/// \throws UsageError (unknown word), DeviceError (no such device)
template <class Made, class OfWord, class OnOne, class Joint>
std::unique_ptr<Made> engine_named(const std::string& device, std::string_view wrong, const OfWord& of_word,
                                   const OnOne& on_one, const Joint& joint) {
  if (std::unique_ptr<Made> engine = of_word(device)) return engine;
  if (device == kOpenClAll) {
    std::vector<std::unique_ptr<Made>> engines;
    for (const std::string& selector : all_selectors()) engines.push_back(on_one(selector));
    return joint(std::move(engines));
  }
  if (const auto selector = opencl_selector(device)) return on_one(*selector);
  throw UsageError(fmt::format("--device {}: {}; use {} (`fastid devices` lists them)", printable(device),
                               wrong, kDeviceWords));
}

}  // namespace fastid::opencl
