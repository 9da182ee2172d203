#include "model/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace fastid::model {
namespace {

constexpr std::uint64_t kMostBytes = 65536;     // of a config file
constexpr std::uint32_t kMostValue = 1u << 30;  // of any of its numbers
constexpr std::uint32_t kMostShape = 65536;     // of numbers that are multiplied with each other
constexpr std::string_view kPrefix = "FASTID_";

using Number = ConfigNumber;
using C = KernelConfig;
constexpr Number kNumbers[] = {
    {"M_C", &C::m_c, true, true},
    {"K_C", &C::k_c, true, true},
    {"M_R", &C::m_r, true, true},
    {"N_R", &C::n_r, true, true},
    {"N_VEC", &C::n_vec, true, true},
    {"GROUP_ROWS", &C::group_rows, true, true},
    {"GROUP_COLUMNS", &C::group_columns, true, true},
    {"CARRY_LEVELS", &C::carry_levels, true, true},
    {"POPCOUNT", &C::popcount, true, true},
    {"LOAD_AHEAD", &C::load_ahead, false, true},
    {"RUN", &C::run, false, true},
    {"GRID_ROWS", &C::grid_rows, false, false},
    {"GRID_COLUMNS", &C::grid_columns, false, false},
    {"LD_N_R", &C::ld_n_r, false, false},
    {"LD_GRID_ROWS", &C::ld_grid_rows, false, false},
    {"LD_GRID_COLUMNS", &C::ld_grid_columns, false, false},
    {"MATRIX", &C::matrix, false, true},
    {"MATRIX_TILES", &C::matrix_tiles, false, true},
    {"MATRIX_BLOCKS", &C::matrix_blocks, false, true},
    {"MATRIX_HELD_WORDS", &C::matrix_held_words, false, true},
    {"MATRIX_HELD_TILES", &C::matrix_held_tiles, false, true},
    {"MATRIX_HELD_BLOCKS", &C::matrix_held_blocks, false, true},
    {"MATRIX_AHEAD", &C::matrix_ahead, false, true},
    {"MATRIX_ROWS", &C::matrix_rows, false, true},
    {"MATRIX_COLUMNS", &C::matrix_columns, false, true},
    {"MATRIX_RUN", &C::matrix_run, false, true},
    {"RATE_POPCOUNT", &C::rate_popcount, false, false},
    {"START_POPCOUNT", &C::start_popcount, false, false},
    {"RATE_MATRIX", &C::rate_matrix, false, false},
    {"START_MATRIX", &C::start_matrix, false, false},
    {"HW_LOCAL_BYTES", &C::hw_local_bytes, true, true},
    {"HW_REG_WORDS", &C::hw_reg_words, true, true},
    {"HW_COMPUTE_UNITS", &C::hw_compute_units, false, false},
    {"HW_CLOCK_MHZ", &C::hw_clock_mhz, false, false},
    {"HW_POPCOUNTS", &C::hw_popcounts, false, false},
    {"HW_LOGIC", &C::hw_logic, false, false},
    {"HW_MATRIX", &C::hw_matrix, false, false},
    {"HW_MEMORY_MBYTES", &C::hw_memory_mbytes, false, false},
    {"HW_UPLOAD_MBYTES", &C::hw_upload_mbytes, false, false},
    {"HW_PAGEABLE_MBYTES", &C::hw_pageable_mbytes, false, false},
    {"HW_UPLOAD_NS", &C::hw_upload_ns, false, false},
    {"HW_LAUNCH_NS", &C::hw_launch_ns, false, false},
    {"HW_STARTUP_MS", &C::hw_startup_ms, false, false},
    {"HW_N_T", &C::hw_n_t, false, false},
    {"HW_N_CL", &C::hw_n_cl, false, false},
    {"HW_L_FN", &C::hw_l_fn, false, false},
    {"HW_N_B", &C::hw_n_b, false, false},
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : text_(text) { config_.source = source; }

  KernelConfig parse() {
    std::string code = without_comments();
    for (const std::string_view line : split(code, '\n')) {
      ++line_;
      if (!trim(line).empty()) take(trim(line));
    }
    for (const Number& number : kNumbers)
      if (number.needed && !seen_.contains(number.name))
        refuse_whole(fmt::format("{}{} is missing", kPrefix, number.name));
    if (config_.name.empty()) refuse_whole("FASTID_CONFIG_NAME is missing");
    return config_;
  }

 private:
  [[noreturn]] void refuse(std::string_view problem, std::string_view cure) const {
    throw InputError(config_.source, fmt::format("line {}", line_), problem, cure);
  }
  [[noreturn]] void refuse_whole(std::string_view problem) const {
    throw InputError(config_.source, "", problem, "configs/README.md says what a config holds");
  }

  // Replaces each comment by one blank and keeps the lines.
  std::string without_comments() {
    std::string code;
    bool inside = false;
    line_ = 1;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') ++line_;
      const std::string_view two = text_.substr(i, 2);
      if (!inside && two == "/*") {
        inside = true;
        ++i;
        code += ' ';
      } else if (inside && two == "*/") {
        inside = false;
        ++i;
      } else if (!inside || text_[i] == '\n') {
        code += text_[i];
      }
    }
    if (inside) refuse("a comment has no end", "close it with */");
    line_ = 0;
    return code;
  }

  void take(std::string_view line) {
    constexpr std::string_view kCure = "write comments and `#define FASTID_NAME NUMBER` only";
    const std::vector<std::string_view> words = split_blanks(line);
    if (words.size() != 3 || words[0] != "#define" || !words[1].starts_with(kPrefix))
      refuse(fmt::format("'{}' is no definition of a number", printable(line)), kCure);
    const std::string_view name = words[1].substr(kPrefix.size());
    if (!seen_.emplace(name).second)
      refuse(fmt::format("{} is defined twice", printable(words[1])), "leave one");
    if (name == "CONFIG_NAME") return void(config_.name = label(words[2]));
    if (name == "CONFIG_ORIGIN") return void(config_.origin = label(words[2]));
    const auto known = std::ranges::find(kNumbers, name, &Number::name);
    if (known == std::end(kNumbers))
      refuse(fmt::format("{} is no number of a config", printable(words[1])), "configs/README.md lists them");
    const auto value = parse_number<std::uint32_t>(words[2]);
    const bool is_shape = !known->name.starts_with("HW_") && !known->name.starts_with("RATE_");
    const std::uint32_t most = is_shape ? kMostShape : kMostValue;
    if (!value || *value > most)
      refuse(
          fmt::format("{} is {}, which is no whole number from 0 to {}", words[1], printable(words[2]), most),
          kCure);
    config_.*known->value = *value;
  }

  std::string label(std::string_view quoted) const {
    constexpr std::size_t kMostLetters = 40;
    const auto plain = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    };
    if (quoted.size() < 3 || quoted.size() > kMostLetters || quoted.front() != '"' || quoted.back() != '"' ||
        !std::ranges::all_of(quoted.substr(1, quoted.size() - 2), plain))
      refuse(fmt::format("{} is no name", printable(quoted)),
             "write letters, digits, _ and - between quotation marks");
    return std::string(quoted.substr(1, quoted.size() - 2));
  }

  std::string_view text_;
  KernelConfig config_;
  std::set<std::string_view> seen_;
  std::size_t line_ = 0;
};

std::optional<std::string_view> first_broken_of_matrix(const KernelConfig& c) {
  if (c.matrix > 2) return "MATRIX must be 0, 1 or 2";
  if (c.matrix == 0) return std::nullopt;
  if (c.matrix_tiles < 1 || c.matrix_tiles > 8) return "MATRIX_TILES must be 1 to 8";
  if (c.matrix_blocks < 1 || c.matrix_blocks > 4) return "MATRIX_BLOCKS must be 1 to 4";
  // Registers for the counts, for the operands of this step and the next, and for addresses and thresholds.
  if (16 * c.matrix_tiles * c.matrix_blocks + 8 * c.matrix_tiles + 16 * c.matrix_blocks > 240)
    return "MATRIX_TILES x MATRIX_BLOCKS takes more registers than a work-item has";
  if (c.matrix_rows < 1 || c.matrix_rows > 32 || c.matrix_columns < 1 || c.matrix_columns > 32 ||
      c.matrix_rows * c.matrix_columns > 32)
    return "MATRIX_ROWS x MATRIX_COLUMNS must be 1 to 32 warps";
  if (c.matrix_run < 1) return "MATRIX_RUN must be 1 at least";
  if (c.matrix_held_words == 0) return std::nullopt;
  if (c.matrix_held_tiles < 1 || c.matrix_held_tiles > 8) return "MATRIX_HELD_TILES must be 1 to 8";
  if (c.matrix_held_blocks < 1 || c.matrix_held_blocks > 4) return "MATRIX_HELD_BLOCKS must be 1 to 4";
  if (c.matrix_ahead < 1 || c.matrix_ahead > 8) return "MATRIX_AHEAD must be 1 to 8";
  if (c.matrix_held_words > 240 ||
      16 * c.matrix_held_tiles * c.matrix_held_blocks + 16 * c.matrix_held_blocks + c.matrix_held_words > 240)
    return "MATRIX_HELD_WORDS beside its counts takes more registers than a work-item has";
  return std::nullopt;
}

// The rules of kernels/config_check.h, in its order and words; a rule may rely on those before it.
std::optional<std::string_view> first_broken(const KernelConfig& c, std::uint32_t n_r) {
  if (c.m_c < 4 || c.m_c % 4) return "M_C must be a multiple of 4";
  if (c.m_r < 1 || c.m_r > c.m_c || c.m_c % c.m_r) return "M_R must divide M_C";
  if (c.group_rows < 1 || c.m_c / c.m_r % c.group_rows)
    return "GROUP_ROWS must divide M_C / M_R, the strips that its work-items share";
  if (c.group_columns < 1 || n_r < 1 || n_r % c.group_columns) return "GROUP_COLUMNS must divide N_R";
  if (c.n_vec != 1 && c.n_vec != 2 && c.n_vec != 4 && c.n_vec != 8 && c.n_vec != 16)
    return "N_VEC must be 1, 2, 4, 8 or 16";
  const std::uint32_t columns = n_r / c.group_columns;
  if (columns % c.n_vec) return "N_VEC must divide N_R / GROUP_COLUMNS, the profiles of a work-item";
  if (columns > 32) return "N_R / GROUP_COLUMNS, the profiles of a work-item, must be 32 at most";
  if (c.carry_levels > 3) return "CARRY_LEVELS must be 0 to 3";
  if (c.popcount > 1) return "POPCOUNT must be 0 or 1";
  if (c.load_ahead > 1) return "LOAD_AHEAD must be 0 or 1";
  if (c.run < 1) return "RUN must be 1 at least";
  if (c.k_c < 2) return "K_C must be 2 at least: one word of each of a query's planes";
  if (std::uint64_t{4} * c.m_c * c.k_c > c.hw_local_bytes)
    return "the M_C x K_C query block does not fit in HW_LOCAL_BYTES of local memory";
  if (std::uint64_t{c.m_r} * columns * (1 + c.carry_levels) > c.hw_reg_words / 2)
    return "counts take more than half of HW_REG_WORDS; they would spill";
  return first_broken_of_matrix(c);
}

}  // namespace

KernelConfig parse_config(std::string_view text, const std::string& source) {
  KernelConfig config = Parser(text, source).parse();
  for (const std::uint32_t n_r : {config.n_r, config.ld_n_r != 0 ? config.ld_n_r : config.n_r})
    if (const auto reason = first_broken(config, n_r))
      throw InputError(source, n_r == config.n_r ? "" : "with LD_N_R as its N_R", *reason,
                       "mend its numbers");
  return config;
}

KernelConfig read_config(const std::string& path) {
  return parse_config(read_whole_file(path, kMostBytes), path);
}

std::span<const ConfigNumber> config_numbers() {
  return kNumbers;
}

std::string config_defines(const KernelConfig& config) {
  std::string lines;
  for (const Number& number : kNumbers)
    if (number.in_shape)
      lines += fmt::format("#define {}{} {}\n", kPrefix, number.name, config.*number.value);
  return lines;
}

}  // namespace fastid::model
