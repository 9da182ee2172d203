#include "ingest/list.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "db/database.hpp"

namespace fastid {
namespace {

/// The called sites of each of a block's profiles.
std::array<std::uint32_t, kLanes> called_sites(const BlocksView& block) {
  std::array<std::uint32_t, kLanes> called{};
  for (std::size_t word = 0; word < block.shape.n_words(); ++word)
    for (std::size_t lane = 0; lane < block.shape.n_profiles; ++lane)
      called[lane] += static_cast<std::uint32_t>(std::popcount(block.called_word(lane, word)));
  return called;
}

/// What is known of one profile.
struct Listed {
  std::uint64_t row;
  const std::string& id;
  std::uint32_t called;
};

std::string tsv_line(const Listed& profile, const db::Tags& tags) {
  std::string line = fmt::format("{}\t{}\t{}", profile.row, profile.id, profile.called);
  for (const auto& [key, column] : tags.columns()) line += '\t' + column.value(profile.row);
  return line + '\n';
}

std::string json_line(const Listed& profile, const db::Tags& tags) {
  Json line = {{"row", profile.row}, {"profile", profile.id}, {"called_sites", profile.called}};
  line["tags"] = Json::object();
  for (const auto& [key, column] : tags.columns())
    if (const std::string& value = column.value(profile.row); !value.empty()) line["tags"][key] = value;
  return line.dump(-1, Json::BadText::kThrow) + '\n';
}

}  // namespace

void list_database(const ListOptions& options) {
  const db::Reader reader(options.database);
  const db::ChosenRows chosen = db::choose_rows(reader, options.rows);
  const db::Tags tags = reader.tags();
  OutputFile out(options.output);
  if (options.header && !options.json_lines) {
    std::string line = "row\tprofile\tcalled_sites";
    for (const auto& [key, column] : tags.columns()) line += '\t' + key;
    out.write(line + '\n');
  }
  constexpr std::uint64_t kSlab = 1 << 14;  ///< profiles, whole blocks
  BlockReader blocks(reader);
  for (std::uint64_t first = 0; first < reader.shape().n_profiles; first += kSlab) {
    check_interrupt();
    const auto n = static_cast<std::size_t>(std::min(kSlab, reader.shape().n_profiles - first));
    const std::vector<std::string> ids = reader.profile_ids(first, n);
    std::string lines;
    std::array<std::uint32_t, kLanes> called{};
    for (std::size_t i = 0; i < n; ++i) {
      if (i % kLanes == 0 && (!chosen.rows || chosen.rows->block((first + i) / kLanes) != 0))
        called = called_sites(blocks.block_of(first + i));
      if (chosen.rows && !chosen.rows->holds(first + i)) continue;
      const Listed profile{first + i, ids[i], called[i % kLanes]};
      lines += options.json_lines ? json_line(profile, tags) : tsv_line(profile, tags);
    }
    out.write(lines);
  }
  out.commit();
}

}  // namespace fastid
