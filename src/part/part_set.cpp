#include "part/part_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"

namespace fastid::part {
namespace {

constexpr std::string_view kOneRun = "merge the parts of one run";

void check_program(const File& part) {
  const Head& head = part.head();
  if (head.version == version() && head.revision == revision()) return;
  throw InputError(part.path(), "",
                   fmt::format("was made by fastid {} ({}), and this is {} ({})", printable(head.version),
                               printable(head.revision), version(), revision()),
                   "merge it with that one, or run all shards with this one");
}

/// An argument of `own` that `others` lacks, or "nothing about it".
std::string lacking(const std::vector<std::string>& own, const std::vector<std::string>& others) {
  constexpr std::size_t kMost = 100;
  for (const std::string& argument : own)
    if (std::ranges::find(others, argument) == others.end()) return printable(argument, kMost);
  return "no such argument";
}

void check_same(const File& part, const File& first) {
  const Head &own = part.head(), &other = first.head();
  const auto differ = [&](const std::string& how) { throw InputError(part.path(), "", how, kOneRun); };
  if (own.command != other.command)
    differ(fmt::format("is of fastid {}, and {} of fastid {}", printable(own.command), first.path(),
                       printable(other.command)));
  if (own.shard.of != other.shard.of)
    differ(fmt::format("is one of {}, and {} one of {}", counted(own.shard.of, "shard"), first.path(),
                       with_commas(other.shard.of)));
  if (own.arguments != other.arguments)
    differ(fmt::format("was made with {}, and {} with {}", lacking(own.arguments, other.arguments),
                       first.path(), lacking(other.arguments, own.arguments)));
  for (const Basis& basis : own.basis)
    if (const auto same = std::ranges::find(other.basis, basis.what, &Basis::what);
        same == other.basis.end() || same->digest != basis.digest)
      differ(fmt::format("differs in the {} from {}", printable(basis.what), first.path()));
  if (own.basis.size() != other.basis.size() || own.held != other.held ||
      own.databases.size() != other.databases.size())
    differ(fmt::format("was made otherwise than {}", first.path()));
}

/// \throws InputError: a shard twice, or not at all
void check_complete(const std::vector<File>& parts) {
  std::map<std::uint32_t, const File*> shards;
  for (const File& part : parts) {
    const auto [other, is_new] = shards.emplace(part.head().shard.index, &part);
    if (!is_new)
      throw InputError(part.path(), "",
                       fmt::format("is shard {} of {}, as {} is", part.head().shard.index,
                                   part.head().shard.of, other->second->path()),
                       "name each part once");
  }
  constexpr std::size_t kMost = 20;
  std::vector<std::uint32_t> missing;
  const std::uint32_t of = parts.front().head().shard.of;
  for (std::uint32_t i = 1; i <= of && missing.size() < kMost; ++i)
    if (!shards.contains(i)) missing.push_back(i);
  if (missing.empty()) return;
  const std::uint64_t lacking = of - shards.size();
  throw InputError(fmt::format("{} missing of {}: {}{}; run {} again, with the same arguments",
                               lacking == 1 ? "1 part is" : with_commas(lacking) + " parts are",
                               with_commas(of), fmt::join(missing, ", "),
                               lacking > missing.size() ? ", ..." : "",
                               lacking == 1 ? "that shard" : "those shards"));
}

std::vector<File> opened(const std::vector<std::string>& paths) {
  std::vector<std::optional<File>> parts(paths.size());
  ThreadPool(std::min(paths.size(), available_cpus()))
      .for_each(paths.size(), [&](std::size_t i, const ThreadPool::Stop&) {
        check_interrupt();
        parts[i].emplace(paths[i]);
      });
  std::vector<File> all;
  for (std::optional<File>& part : parts) all.push_back(std::move(*part));
  return all;
}

}  // namespace

PartSet::PartSet(const std::vector<std::string>& paths) : PartSet(opened(paths)) {}

PartSet::PartSet(std::vector<File> parts) : files_(std::move(parts)) {
  for (const File& part : files_) {
    check_program(part);
    check_same(part, files_.front());
  }
  check_complete(files_);
  std::ranges::sort(files_, {}, [](const File& part) { return part.head().shard.index; });
}

std::vector<std::string> PartSet::paths() const {
  std::vector<std::string> all;
  for (const File& part : files_) all.push_back(part.path());
  return all;
}

void PartSet::check(std::string_view what, const std::string& digest) const {
  const auto known = std::ranges::find(head().basis, what, &Basis::what);
  if (known != head().basis.end() && known->digest == digest) return;
  throw InputError(files_.front().path(), "", fmt::format("differs in the {} from what is there now", what),
                   "run all shards again, or merge with what they were made from");
}

}  // namespace fastid::part
