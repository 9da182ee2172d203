#include "asking/people_file.hpp"

#include <algorithm>

#include "asking/frequencies.hpp"
#include "base/error.hpp"
#include "bits/selected.hpp"
#include "db/row_choice.hpp"

namespace fastid::asking {

PeopleFile::PeopleFile(const std::string& path, const imports::ImportOptions& import)
    : haplotypes_(import.haplotypes) {
  if (db::is_database(path)) {
    if (import.haplotypes)
      throw InputError(path, "", "is a database, which does not keep phases", "give the phased VCF");
    open_database(path);
  } else {
    read_genotypes(path, import);
  }
}

std::vector<std::string> PeopleFile::ids() const {
  if (!reader_) return profiles_->ids;
  if (!rows_.empty()) return reader_->profile_ids(rows_);
  return reader_->profile_ids(0, static_cast<std::size_t>(reader_->shape().n_profiles));
}

std::vector<std::optional<Sex>> PeopleFile::stated_sexes() const {
  if (!reader_) return profiles_->stated_sexes;
  std::vector<std::optional<Sex>> sexes;
  const std::vector<std::string> keys = reader_->tag_keys();
  if (std::ranges::find(keys, db::kSexKey) == keys.end()) return sexes;
  const db::TagColumn stated = reader_->tag(db::kSexKey);
  for (std::uint64_t i = 0; i < people_->shape().n_profiles; ++i)
    sexes.push_back(parse_sex(stated.value(rows_.empty() ? i : rows_[static_cast<std::size_t>(i)])));
  return sexes;
}

std::vector<stats::PopulationModel> PeopleFile::models() const {
  if (reader_) return models_of(*reader_, stats::kAllPopulations, {}, nullptr);
  return stats::choose_populations(*panel_, "", {}, profiles_->ids.size(), profiles_->file);
}

void PeopleFile::open_database(const std::string& path) {
  reader_ = std::make_unique<db::Reader>(path);
  if (reader_->header().kind == db::Kind::kMixtures)
    throw InputError(path, "", "holds mixtures, which have no genotypes", "name a database of individuals");
  panel_ = reader_->panel();
  people_ = reader_.get();
  const db::ChosenRows chosen = db::choose_rows(*reader_, {});
  db::say_chosen(*reader_, chosen);
  if (!chosen.rows) return;
  rows_ = chosen.rows->list();
  memory_ = std::make_unique<SelectedRows>(*reader_, rows_);
  people_ = memory_.get();
}

void PeopleFile::read_genotypes(const std::string& path, imports::ImportOptions import) {
  import.individuals = true;
  import.encoding = Encoding::kAlleles;
  imports::PanelAndProfiles read = imports::derive_panel_and_profiles(
      path, import, "give a database, or a VCF or PLINK file of many people");
  profiles_ = read.profiles ? std::move(*read.profiles) : imports::import_profiles(path, read.panel, import);
  imports::publish(*profiles_, import);
  panel_ = std::move(read.panel);
  memory_ = std::make_unique<MemorySource>(profiles_->blocks.view());
  people_ = memory_.get();
}

}  // namespace fastid::asking
