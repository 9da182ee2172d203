#include "part/internal/head_json.hpp"

#include <concepts>
#include <cstdint>
#include <limits>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace fastid::part {

namespace {

Json json_of(const Head& head) {
  Json basis = Json::array();
  for (const Basis& of : head.basis) basis.push_back({{"what", of.what}, {"digest", of.digest}});
  return {{"program", {{"version", version()}, {"revision", revision()}}},
          {"command", head.command},
          {"arguments", head.arguments},
          {"databases", head.databases},
          {"shard", {{"index", head.shard.index}, {"of", head.shard.of}}},
          {"basis", std::move(basis)},
          {"kept", head.kept},
          {"held", head.held},
          {"run",
           {{"engine", head.run.engine},
            {"description", head.run.description},
            {"started_utc", head.run.started_utc},
            {"workers", head.run.workers},
            {"search_seconds", head.run.search_seconds}}}};
}

template <std::unsigned_integral T>
T whole(const Json& json) {
  const std::uint64_t value = json.count();
  if (value > std::numeric_limits<T>::max()) throw Json::Error("a number is too large");
  return static_cast<T>(value);
}

void read(const Json& json, Head& head, std::vector<Section>& sections) {
  head.version = json.at("program").at("version").text();
  head.revision = json.at("program").at("revision").text();
  head.command = json.at("command").text();
  head.arguments = json.at("arguments").texts();
  head.databases = json.at("databases").texts();
  head.shard.index = whole<std::uint32_t>(json.at("shard").at("index"));
  head.shard.of = whole<std::uint32_t>(json.at("shard").at("of"));
  for (const Json& of : json.at("basis").elements())
    head.basis.push_back({of.at("what").text(), of.at("digest").text()});
  head.kept = json.at("kept").count();
  head.held = json.at("held").count();
  const Json& run = json.at("run");
  head.run.engine = run.at("engine").text();
  head.run.description = run.at("description").text();
  head.run.started_utc = run.at("started_utc").text();
  head.run.workers = whole<std::size_t>(run.at("workers"));
  head.run.search_seconds = run.at("search_seconds").number();
  for (const Json& of : json.at("sections").elements())
    sections.push_back(
        {of.at("name").text(), of.at("offset").count(), of.at("bytes").count(), of.at("xxh3_64").count()});
}

}  // namespace

std::string json_text(const Head& head, std::span<const Section> sections) {
  Json json = json_of(head);
  Json all = Json::array();
  for (const Section& of : sections)
    all.push_back({{"name", of.name}, {"offset", of.offset}, {"bytes", of.bytes}, {"xxh3_64", of.checksum}});
  json["sections"] = std::move(all);
  try {
    return json.dump(-1, Json::BadText::kThrow) + '\n';
  } catch (const Json::Error&) {
    throw UsageError("--shard: a path or another argument is no UTF-8, which a part cannot hold; rename it");
  }
}

void parse_head(const std::string& text, const std::string& path, Head& head,
                std::vector<Section>& sections) {
  constexpr std::size_t kMostShown = 200;
  try {
    read(Json::parse(text), head, sections);
  } catch (const Json::Error& error) {
    throw InputError(path, "its head",
                     "is none that fastid writes (" + printable(error.what(), kMostShown) + ")",
                     "run its shard again");
  }
  if (head.shard.index == 0 || head.shard.index > head.shard.of)
    throw InputError(path, "its head", "says what cannot be of its shard", "run its shard again");
}

}  // namespace fastid::part
