#include "tune/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "model/registry.hpp"
#include "tune/choose/header.hpp"

namespace fastid::tune {
namespace {

using C = model::KernelConfig;

template <std::uint32_t C::*member>
std::uint32_t value_of(const C& config) {
  return config.*member;
}
template <std::uint32_t C::*member>
void put(C& config, std::uint32_t value) {
  config.*member = value;
}

void put_columns(C& config, std::uint32_t value) {
  config.n_r = value * config.group_columns;
}
void put_group_columns(C& config, std::uint32_t value) {
  const std::uint32_t columns = config.columns();
  config.group_columns = value;
  put_columns(config, columns);
}

void put_n_vec(C& config, std::uint32_t value) {
  config.n_vec = value;
  if (config.columns() % value != 0) put_columns(config, value);
}
void put_m_r(C& config, std::uint32_t value) {
  config.m_r = value;
  while (config.group_rows > 1 && config.m_c / value % config.group_rows != 0) config.group_rows /= 2;
}

constexpr auto kPop = model::MicroKernel::kPopcount;
constexpr auto kMat = model::MicroKernel::kMatrix;

// Moves a parameter by `steps` choices. Returns false where there is no such choice; a value that is not a
// choice moves to its neighbours.
bool turn(const Parameter& parameter, int steps, model::KernelConfig& config) {
  const auto& choices = parameter.choices;
  const std::uint32_t now = parameter.get(config);
  auto at = std::ranges::lower_bound(choices, now) - choices.begin();
  const bool is_choice = at < std::ssize(choices) && choices[static_cast<std::size_t>(at)] == now;
  at += !is_choice && steps > 0 ? steps - 1 : steps;
  if (at < 0 || at >= std::ssize(choices)) return false;
  parameter.set(config, choices[static_cast<std::size_t>(at)]);
  return true;
}

std::uint32_t register_words(const model::DeviceTraits& traits) {
  const double most = traits.item_registers.value_or(64);
  return static_cast<std::uint32_t>(std::clamp(most, 64.0, 512.0));
}

constexpr std::uint32_t kMostHeld = 512;  // words of each query in local memory: no known panel needs more

}  // namespace

// When one number is changed, others follow where this keeps the config legal: a work-item keeps its number
// of profiles while GROUP_COLUMNS is turned, and has as many profiles as a load brings; each row of
// work-items has one strip of queries.
std::span<const Parameter> parameters() {
  static const std::vector<Parameter> all = {
      {"M_C", kPop, {8, 16, 32, 64, 128}, value_of<&C::m_c>, put<&C::m_c>},
      {"M_R", kPop, {1, 2, 4, 8, 16, 32}, value_of<&C::m_r>, put_m_r, true},
      {"COLUMNS", kPop, {1, 2, 4, 8, 16, 32}, [](const C& c) { return c.columns(); }, put_columns, true},
      {"N_VEC", kPop, {1, 2, 4, 8, 16}, value_of<&C::n_vec>, put_n_vec},
      {"GROUP_ROWS", kPop, {1, 2, 4, 8}, value_of<&C::group_rows>, put<&C::group_rows>},
      {"GROUP_COLUMNS", kPop, {1, 8, 16, 32, 64, 128, 256}, value_of<&C::group_columns>, put_group_columns},
      {"CARRY_LEVELS", kPop, {0, 1, 2, 3}, value_of<&C::carry_levels>, put<&C::carry_levels>, true},
      {"POPCOUNT", kPop, {0, 1}, value_of<&C::popcount>, put<&C::popcount>},
      {"LOAD_AHEAD", kPop, {0, 1}, value_of<&C::load_ahead>, put<&C::load_ahead>},
      {"RUN", kPop, {1, 2, 4, 8, 16, 32, 64}, value_of<&C::run>, put<&C::run>},
      {"MATRIX_TILES",
       kMat,
       {1, 2, 3, 4, 5, 6, 7, 8},
       value_of<&C::matrix_tiles>,
       put<&C::matrix_tiles>,
       true},
      {"MATRIX_BLOCKS", kMat, {1, 2, 3, 4}, value_of<&C::matrix_blocks>, put<&C::matrix_blocks>, true},
      {"MATRIX_ROWS", kMat, {1, 2, 4, 8}, value_of<&C::matrix_rows>, put<&C::matrix_rows>},
      {"MATRIX_COLUMNS", kMat, {1, 2, 4, 8, 16}, value_of<&C::matrix_columns>, put<&C::matrix_columns>},
      {"MATRIX_RUN", kMat, {1, 2, 4, 8, 16, 32, 64}, value_of<&C::matrix_run>, put<&C::matrix_run>},
      {"MATRIX_HELD_TILES", kMat, {1, 2, 3, 4}, value_of<&C::matrix_held_tiles>, put<&C::matrix_held_tiles>},
      {"MATRIX_HELD_BLOCKS",
       kMat,
       {1, 2, 3, 4},
       value_of<&C::matrix_held_blocks>,
       put<&C::matrix_held_blocks>},
  };
  return all;
}

double seconds_by_pipes(model::KernelConfig config, const model::DeviceTraits& traits,
                        const model::Workload& work) {
  config.rate_popcount = 0;
  return model::compare_seconds(config, traits,
                                model::kernel_work(model::MicroKernel::kPopcount, config, work));
}

model::KernelConfig model_config(const std::string& name, const model::DeviceTraits& traits,
                                 const model::Workload& work) {
  model::KernelConfig config = model::model_shape(traits, work);
  config.name = name;
  config.origin = "model";
  return fitted(config, traits);
}

model::KernelConfig fitted(model::KernelConfig config, const model::DeviceTraits& traits) {
  const double local = traits.local_bytes.value_or(32768) - traits.local_reserved.value;
  config.hw_local_bytes = static_cast<std::uint32_t>(std::min(local, 1e9)) / 4 * 4;
  config.hw_reg_words = register_words(traits);
  const std::uint32_t fits = config.hw_local_bytes / (4 * std::max(1u, config.m_c));
  config.k_c = std::min(kMostHeld, fits);
  return config;
}

std::string illegal_reason(const model::KernelConfig& config, const model::DeviceFacts& facts) {
  try {
    return model::unfit_reason(model::parse_config(header_lines(config), "a config"), facts);
  } catch (const InputError& error) {
    return error.what();
  }
}

bool same_shape(const model::KernelConfig& a, const model::KernelConfig& b) {
  return std::ranges::all_of(model::config_numbers(), [&](const model::ConfigNumber& number) {
    return !number.in_shape || number.name.starts_with("HW_") || a.*number.value == b.*number.value;
  });
}

std::vector<model::KernelConfig> neighbours(const model::KernelConfig& config, model::MicroKernel kernel,
                                            const model::DeviceFacts& facts,
                                            const model::DeviceTraits& traits) {
  std::vector<model::KernelConfig> near;
  const auto add = [&](const model::KernelConfig& turned) {
    model::KernelConfig made = fitted(turned, traits);
    made.name = made.origin = "tuned";  // the old name no longer describes it
    const auto same = [&](const model::KernelConfig& other) { return same_shape(made, other); };
    if (same(config) || std::ranges::any_of(near, same)) return;
    if (illegal_reason(made, facts).empty()) near.push_back(made);
  };
  for (const Parameter& one : parameters()) {
    if (one.kernel != kernel) continue;
    for (const int steps : {1, -1}) {
      model::KernelConfig turned = config;
      if (!turn(one, steps, turned)) continue;
      add(turned);
      for (const Parameter& other : parameters()) {
        model::KernelConfig traded = turned;
        const bool both = one.trades && other.trades && other.kernel == kernel && other.name != one.name;
        if (both && turn(other, -steps, traded)) add(traded);
      }
    }
  }
  return near;
}

std::string describe(const model::KernelConfig& config, model::MicroKernel kernel) {
  std::string text;
  for (const Parameter& one : parameters())
    if (one.kernel == kernel)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.name, one.get(config));
  return text;
}

}  // namespace fastid::tune
