#include "ingest/internal/sex_columns.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid {

SexColumns::SexColumns(const db::Reader& reader)
    : classes_(reader.panel()),
      of_people_(reader.header().kind == db::Kind::kIndividuals),
      says_alleles_(reader.shape().encoding == Encoding::kAlleles) {}

std::array<nlohmann::ordered_json, 5> SexColumns::of(const BlocksView& block, std::size_t lane,
                                                     std::uint32_t called_sites, const std::string& id,
                                                     const std::string& stated) {
  using Json = nlohmann::ordered_json;
  constexpr std::uint64_t kMostNamed = 5;
  const SexCounts counts = count_sex(block, lane, called_sites, classes_);
  const SexCall call = of_people_ ? sex_of(counts, classes_, says_alleles_) : SexCall();
  const std::optional<Sex> said = parse_sex(stated);
  if (said && call.sex && *call.sex != Sex::kUndecided && *call.sex != *said && contradicted_++ < kMostNamed)
    examples_ += fmt::format("{}'{}' (sex={}, by X and Y {})", examples_.empty() ? "" : ", ", printable(id),
                             printable(stated), name_of(*call.sex));
  return {call.sex ? Json(name_of(*call.sex)) : Json(nullptr), Json(counts.x_called),
          says_alleles_ ? Json(counts.x_het) : Json(nullptr), Json(counts.y_called),
          stated.empty() ? Json(nullptr) : Json(stated)};
}

void SexColumns::warn(const std::string& database) const {
  if (contradicted_ == 0) return;
  log::warn("{}: X and Y contradict the tag sex of {}: {}", database, counted(contradicted_, "profile"),
            examples_);
}

}  // namespace fastid
