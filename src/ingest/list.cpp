#include "ingest/list.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "bits/called_sites.hpp"
#include "db/database.hpp"
#include "import/text_output.hpp"
#include "ingest/internal/sex_columns.hpp"

namespace fastid::ingest {
namespace {

/// A profile and what its line states.
struct Listed {
  std::uint64_t row;
  const std::string& id;
  std::uint32_t called;
  std::array<Json, SexColumns::kNames.size()> sex;  ///< if asked for
};

/// Writes lines of one form.
class Lines {
 public:
  Lines(const ListOptions& options, const db::Tags& tags) : options_(options), tags_(tags) {}

  std::string head() const {
    std::string line = "row\tprofile\tcalled_sites";
    if (options_.sex)
      for (const char* name : SexColumns::kNames) line += fmt::format("\t{}", name);
    for (const auto& [key, column] : tags_.columns())
      if (has_column(key)) line += '\t' + key;
    return line + '\n';
  }
  std::string line(const Listed& profile) const { return options_.json_lines ? json(profile) : tsv(profile); }

 private:
  /// Whether a tag has its own column: `sex` has none where the columns of sexes state it.
  bool has_column(const std::string& key) const { return !options_.sex || key != db::kSexKey; }

  std::string tsv(const Listed& profile) const {
    std::string line = fmt::format("{}\t{}\t{}", profile.row, profile.id, profile.called);
    if (options_.sex)
      for (const Json& cell : profile.sex)
        line += '\t' + (cell.is_null() ? "NA" : cell.is_text() ? cell.text() : cell.dump());
    for (const auto& [key, column] : tags_.columns())
      if (has_column(key)) line += '\t' + column.value(profile.row);
    return line + '\n';
  }

  std::string json(const Listed& profile) const {
    Json line = {{"row", profile.row}, {"profile", profile.id}, {"called_sites", profile.called}};
    if (options_.sex)
      for (std::size_t i = 0; i < profile.sex.size(); ++i) line[SexColumns::kNames[i]] = profile.sex[i];
    line["tags"] = Json::object();
    for (const auto& [key, column] : tags_.columns())
      if (const std::string& value = column.value(profile.row); !value.empty()) line["tags"][key] = value;
    return line.dump(-1, Json::BadText::kThrow) + '\n';
  }

  const ListOptions& options_;
  const db::Tags& tags_;
};

}  // namespace

void list_database(const ListOptions& options) {
  const db::Reader reader(options.database);
  const db::ChosenRows chosen = db::choose_rows(reader, options.rows);
  const db::Tags tags = reader.tags();
  const Lines lines(options, tags);
  imports::TextOutput out(options.output);
  if (options.header && !options.json_lines) out.write(lines.head());
  constexpr std::uint64_t kSlab = 1 << 14;  ///< profiles, whole blocks
  BlockReader blocks(reader);
  std::optional<SexColumns> sexes;
  if (options.sex) sexes.emplace(reader);
  for (std::uint64_t first = 0; first < reader.shape().n_profiles; first += kSlab) {
    check_interrupt();
    const auto n = static_cast<std::size_t>(std::min(kSlab, reader.shape().n_profiles - first));
    const std::vector<std::string> ids = reader.profile_ids(first, n);
    std::string text;
    BlocksView block;
    std::array<std::uint32_t, kLanes> called{};
    for (std::size_t i = 0; i < n; ++i) {
      if (i % kLanes == 0 && (!chosen.rows || chosen.rows->block((first + i) / kLanes) != 0)) {
        block = blocks.block_of(first + i);
        called = called_in_block(block, 0);
        if (sexes) sexes->read(block);
      }
      if (chosen.rows && !chosen.rows->holds(first + i)) continue;
      const std::size_t lane = i % kLanes;
      Listed profile{first + i, ids[i], called[lane], {}};
      if (sexes) profile.sex = sexes->of(lane, ids[i], std::string(tags.value(db::kSexKey, first + i)));
      text += lines.line(profile);
    }
    out.write(text);
  }
  out.commit();
  if (sexes) sexes->warn(options.database);
}

}  // namespace fastid::ingest
