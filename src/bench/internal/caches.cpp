#include "bench/internal/caches.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "base/text.hpp"

namespace fastid::bench {
namespace {

/// The first line of a file; "" where there is none.
std::string line_of(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The number that a text begins with; 0 where it begins with none. \param rest  what follows
std::size_t number_in(std::string_view text, std::string_view& rest) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? number : 0;
}

/// "48K", "1M".
std::size_t bytes_in(std::string_view text) {
  std::string_view unit;
  const std::size_t number = number_in(text, unit);
  return number << (unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0);
}

/// How many CPUs a list such as "0-3,8" has.
std::size_t cpus_in(std::string_view list) {
  std::size_t n = 0;
  for (const std::string_view range : split(list, ',')) {
    std::string_view rest;
    const std::size_t first = number_in(range, rest);
    const std::size_t last = rest.starts_with('-') ? number_in(rest.substr(1), rest) : first;
    n += last >= first ? last - first + 1 : 0;
  }
  return n;
}

}  // namespace

std::size_t Cache::share_of(std::size_t threads) const {
  return bytes / std::clamp<std::size_t>(threads, 1, cpus);
}

std::size_t bytes_to_read(std::span<const Cache> caches, std::size_t i, std::size_t threads) {
  const std::size_t share = caches[i].share_of(threads);
  const std::size_t least = i == 0 ? 0 : 2 * caches[i - 1].share_of(threads);
  return least > share / 4 * 3 ? 0 : std::max(share / 2, least);
}

std::vector<Cache> caches_of_cpu(const std::string& folder) {
  std::vector<Cache> caches;
  for (std::size_t i = 0;; ++i) {
    const std::string cache = folder + "/index" + std::to_string(i) + "/";
    const std::string type = line_of(cache + "type");
    if (type.empty()) break;
    std::string_view rest;
    const Cache made{static_cast<unsigned>(number_in(line_of(cache + "level"), rest)),
                     bytes_in(line_of(cache + "size")),
                     std::max<std::size_t>(1, cpus_in(line_of(cache + "shared_cpu_list")))};
    if (type != "Instruction" && made.level > 0 && made.bytes > 0) caches.push_back(made);
  }
  std::ranges::sort(caches, {}, &Cache::level);
  return caches;
}

}  // namespace fastid::bench
