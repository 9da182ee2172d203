#include "analysis/internal/people_file.hpp"

#include <algorithm>

#include "analysis/internal/frequencies.hpp"
#include "base/error.hpp"

namespace fastid {

PeopleFile::PeopleFile(const std::string& path, const ImportOptions& import)
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
  return reader_ ? reader_->profile_ids(0, static_cast<std::size_t>(reader_->shape().n_profiles))
                 : profiles_->ids;
}

std::vector<std::optional<Sex>> PeopleFile::stated_sexes() const {
  if (!reader_) return profiles_->stated_sexes;
  std::vector<std::optional<Sex>> sexes;
  const std::vector<std::string> keys = reader_->tag_keys();
  if (std::ranges::find(keys, db::kSexKey) == keys.end()) return sexes;
  const db::TagColumn stated = reader_->tag(db::kSexKey);
  for (std::uint64_t row = 0; row < reader_->shape().n_profiles; ++row)
    sexes.push_back(parse_sex(stated.value(row)));
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
}

void PeopleFile::read_genotypes(const std::string& path, ImportOptions import) {
  import.individuals = true;
  import.encoding = Encoding::kAlleles;
  PanelAndProfiles read = derive_panel_and_profiles(path, import);
  profiles_ = read.profiles ? std::move(*read.profiles) : import_profiles(path, read.panel, import);
  publish(*profiles_, import);
  panel_ = std::move(read.panel);
  memory_ = std::make_unique<MemorySource>(profiles_->blocks.view());
  people_ = memory_.get();
}

}  // namespace fastid
