#include "part/internal/head_json.hpp"

#include <nlohmann/json.hpp>

#include "base/build_info.hpp"
#include "base/error.hpp"

namespace fastid::part {

using Json = nlohmann::ordered_json;

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

void read(const Json& json, Head& head, std::vector<Section>& sections) {
  json.at("program").at("version").get_to(head.version);
  json.at("program").at("revision").get_to(head.revision);
  json.at("command").get_to(head.command);
  json.at("arguments").get_to(head.arguments);
  json.at("databases").get_to(head.databases);
  json.at("shard").at("index").get_to(head.shard.index);
  json.at("shard").at("of").get_to(head.shard.of);
  for (const Json& of : json.at("basis"))
    head.basis.push_back({of.at("what").get<std::string>(), of.at("digest").get<std::string>()});
  json.at("kept").get_to(head.kept);
  json.at("held").get_to(head.held);
  const Json& run = json.at("run");
  run.at("engine").get_to(head.run.engine);
  run.at("description").get_to(head.run.description);
  run.at("started_utc").get_to(head.run.started_utc);
  run.at("workers").get_to(head.run.workers);
  run.at("search_seconds").get_to(head.run.search_seconds);
  for (const Json& of : json.at("sections"))
    sections.push_back({of.at("name").get<std::string>(), of.at("offset").get<std::uint64_t>(),
                        of.at("bytes").get<std::uint64_t>(), of.at("xxh3_64").get<std::uint64_t>()});
}

}  // namespace

std::string json_text(const Head& head, std::span<const Section> sections) {
  Json json = json_of(head);
  Json all = Json::array();
  for (const Section& of : sections)
    all.push_back({{"name", of.name}, {"offset", of.offset}, {"bytes", of.bytes}, {"xxh3_64", of.checksum}});
  json["sections"] = std::move(all);
  try {
    return json.dump() + '\n';
  } catch (const Json::exception&) {
    throw UsageError("--shard: a path or another argument is no UTF-8, which a part cannot hold; rename it");
  }
}

void parse_head(const std::string& text, const std::string& path, Head& head,
                std::vector<Section>& sections) {
  try {
    read(Json::parse(text), head, sections);
  } catch (const Json::exception& error) {
    throw InputError(path, "its head", std::string("is none that fastid writes (") + error.what() + ")",
                     "run its shard again");
  }
  if (head.shard.index == 0 || head.shard.index > head.shard.of)
    throw InputError(path, "its head", "says what cannot be of its shard", "run its shard again");
}

}  // namespace fastid::part
