#include "ingest/internal/sex_columns.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid::ingest {

SexColumns::SexColumns(const db::Reader& reader)
    : classes_(reader.panel()),
      of_people_(reader.header().kind == db::Kind::kIndividuals),
      says_alleles_(reader.shape().encoding == Encoding::kAlleles),
      populations_(stats::choose_populations(reader.panel(), "", {}, std::nullopt, reader.path())),
      model_(classes_, populations_.empty() ? nullptr : &populations_.front()) {}

void SexColumns::read(const BlocksView& block) {
  std::vector<std::uint64_t> lanes(static_cast<std::size_t>(block.shape.n_profiles));
  std::iota(lanes.begin(), lanes.end(), std::uint64_t{0});
  const ProfileRows rows = ProfileRows::from_blocks(block, lanes);
  found_.clear();
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) found_.push_back(model_.of(rows.row(lane)));
}

std::array<Json, 5> SexColumns::of(std::size_t lane, const std::string& id, const std::string& stated) {
  constexpr std::uint64_t kMostNamed = 5;
  const stats::SexFindings& found = found_[lane];
  const std::optional<Sex> sex = of_people_ ? found.sex : std::nullopt, said = parse_sex(stated);
  if (said && sex && *sex != Sex::kUndecided && *sex != *said && contradicted_++ < kMostNamed)
    examples_ += fmt::format("{}'{}' (sex={}, by X and Y {})", examples_.empty() ? "" : ", ", printable(id),
                             printable(stated), fastid::name_of(*sex));
  return {sex ? Json(fastid::name_of(*sex)) : Json(nullptr), Json(found.x_called),
          says_alleles_ ? Json(found.x_het) : Json(nullptr), Json(found.y_called),
          stated.empty() ? Json(nullptr) : Json(stated)};
}

void SexColumns::warn(const std::string& database) const {
  if (contradicted_ == 0) return;
  log::warn("{}: X and Y contradict the tag sex of {}: {}", database, counted(contradicted_, "profile"),
            examples_);
}

}  // namespace fastid::ingest
