#include "tune/choose/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/text.hpp"

namespace fastid::tune {
namespace {

struct Comment {
  std::string_view name, text;
};
constexpr Comment kComments[] = {
    {"M_C", "[queries] of a work-group"},
    {"K_C", "[32-bit words] of each query in local memory"},
    {"M_R", "[queries] of a work-item"},
    {"N_R", "[profiles] of a work-group"},
    {"N_VEC", "[32-bit words] that one load brings"},
    {"GROUP_ROWS", "[work-items] along the queries"},
    {"GROUP_COLUMNS", "[work-items] along the profiles"},
    {"CARRY_LEVELS", "[levels of full adders] before the popcount"},
    {"POPCOUNT", "[0, 1] popcount() is an instruction"},
    {"LOAD_AHEAD", "[0, 1] the next words are loaded before these are compared"},
    {"RUN", "[column tiles] that a work-group takes in turn at most"},
    {"GRID_ROWS", "[work-groups] along the queries; 0: one for each M_C"},
    {"GRID_COLUMNS", "[work-groups] along the profiles; 0: one for each RUN x N_R"},
    {"LD_N_R", "[profiles] N_R where there are as many queries as profiles"},
    {"LD_GRID_ROWS", "[work-groups] likewise"},
    {"LD_GRID_COLUMNS", "[work-groups] likewise"},
    {"MATRIX", "[0, 1, 2] the matrix kernel's instruction"},
    {"MATRIX_TILES", "[16 queries] of a warp"},
    {"MATRIX_BLOCKS", "[32 profiles] of a warp"},
    {"MATRIX_HELD_WORDS", "[32-bit words] of registers for queries of short panels"},
    {"MATRIX_HELD_TILES", "[16 queries] of a warp there"},
    {"MATRIX_HELD_BLOCKS", "[32 profiles] of a warp there"},
    {"MATRIX_ROWS", "[warps] of a work-group, along the queries"},
    {"MATRIX_COLUMNS", "[warps] of a work-group, along the profiles"},
    {"MATRIX_RUN", "[steps] that a work-group takes in turn at most"},
    {"RATE_POPCOUNT", "[10^9 bits a second] compared, long panels"},
    {"START_POPCOUNT", "[sites] that a pair costs besides"},
    {"RATE_MATRIX", "[10^9 bits a second] by the matrix kernel"},
    {"START_MATRIX", "[sites] that a pair costs besides"},
    {"HW_LOCAL_BYTES", "[bytes] of local memory for a work-group"},
    {"HW_REG_WORDS", "[32-bit words] of a work-item"},
    {"HW_COMPUTE_UNITS", "[compute units]"},
    {"HW_CLOCK_MHZ", "[MHz]"},
    {"HW_POPCOUNTS", "[32-bit popcounts] a clock and compute unit"},
    {"HW_LOGIC", "[32-bit logic operations] a clock and compute unit"},
    {"HW_MATRIX", "[bits] that the matrix unit counts a clock and compute unit"},
    {"HW_MEMORY_MBYTES", "[10^6 bytes a second] of the device's memory"},
    {"HW_UPLOAD_MBYTES", "[10^6 bytes a second] from pinned memory"},
    {"HW_PAGEABLE_MBYTES", "[10^6 bytes a second] from memory that is not pinned"},
    {"HW_UPLOAD_NS", "[10^-9 s] that each upload takes besides"},
    {"HW_LAUNCH_NS", "[10^-9 s] from one kernel to the next"},
    {"HW_STARTUP_MS", "[10^-3 s] to start OpenCL"},
    {"HW_N_T", "[threads] of a thread group"},
    {"HW_N_CL", "[clusters] of a compute unit"},
    {"HW_L_FN", "[clocks] latency of a popcount"},
    {"HW_N_B", "[banks] of local memory"},
};

// Whether the header states the number: a required number always, any other where it is not 0.
bool is_said(const model::ConfigNumber& number, const model::KernelConfig& config) {
  return number.needed || config.*number.value != 0;
}

enum class Section { kShape, kRates, kHardware };
Section section_of(const model::ConfigNumber& number) {
  if (number.name.starts_with("HW_")) return Section::kHardware;
  const bool rate = number.name.starts_with("RATE_") || number.name.starts_with("START_");
  return rate ? Section::kRates : Section::kShape;
}

std::string lines_of(const model::KernelConfig& config, Section section) {
  std::string lines;
  for (const model::ConfigNumber& number : model::config_numbers()) {
    if (section_of(number) != section || !is_said(number, config)) continue;
    const auto* const comment = std::ranges::find(kComments, number.name, &Comment::name);
    const std::string define = fmt::format("#define FASTID_{} {}", number.name, config.*number.value);
    lines += comment == std::end(kComments) ? define + "\n"
                                            : fmt::format("{:<36} /* {} */\n", define, comment->text);
  }
  return lines;
}

// Makes a text safe inside a comment.
std::string inert(const std::string& text) {
  constexpr std::size_t kMost = 200;
  std::string safe = printable(text, kMost);
  for (std::size_t at = safe.find("*/"); at != std::string::npos; at = safe.find("*/", at))
    safe.insert(at + 1, " ");
  for (std::size_t at = safe.find("/*"); at != std::string::npos; at = safe.find("/*", at))
    safe.insert(at + 1, " ");
  return safe;
}

std::string figure(double value) {
  return value >= 1e7 ? fmt::format("{:.4g}", value) : fmt::format("{:.6g}", value);
}

std::string trait_lines(const model::DeviceTraits& traits) {
  std::string lines;
  for (const model::TraitName& name : model::trait_names())
    if (const model::Trait& trait = traits.*name.value; trait.known())
      lines += fmt::format(" *   {:<22}{:>12} {:<24}{}\n", name.key, figure(trait.value), name.unit,
                           model::name_of(trait.source));
  return lines;
}

std::string label_lines(const model::KernelConfig& config) {
  return fmt::format("#define FASTID_CONFIG_NAME \"{}\"\n#define FASTID_CONFIG_ORIGIN \"{}\"\n", config.name,
                     config.origin);
}

}  // namespace

std::string header_lines(const model::KernelConfig& config) {
  std::string lines = label_lines(config);
  for (const Section section : {Section::kShape, Section::kRates, Section::kHardware})
    lines += lines_of(config, section);
  return lines;
}

std::string header_text(const model::KernelConfig& config, const HeaderOrigin& origin) {
  const model::DeviceFacts& device = origin.device;
  std::string text = fmt::format("/* configs/{}.h: {} ({}).\n *\n", config.name, inert(device.device),
                                 inert(device.platform));
  text += fmt::format(" * Written by `fastid tune`: {}, {}.\n * Driver {}, {}.\n", inert(origin.program),
                      inert(origin.date), inert(device.driver), inert(device.version));
  if (!origin.report.empty()) text += fmt::format(" * Report: {}\n", inert(origin.report));
  for (const std::string_view line : split(origin.findings, '\n'))
    if (!line.empty()) text += fmt::format(" * {}\n", inert(std::string(line)));
  text += " *\n * The device, by the table of known devices, the driver's answers, and measurements:\n *\n" +
          trait_lines(origin.traits) + " */\n" + label_lines(config);
  text += "\n/* The shape. */\n" + lines_of(config, Section::kShape);
  if (const std::string rates = lines_of(config, Section::kRates); !rates.empty())
    text += "\n/* What it reaches. */\n" + rates;
  return text + "\n/* The hardware. */\n" + lines_of(config, Section::kHardware);
}

std::string config_name_for(const std::string& device) {
  constexpr std::size_t kMost = 38;
  std::string name;
  for (const char c : ascii_lower(device)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128;
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
    if (name.size() == kMost) break;
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "device" : name;
}

}  // namespace fastid::tune
