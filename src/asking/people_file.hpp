/// \file
/// The people of a file that is asked about its sites: a database, or genotypes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "db/database.hpp"
#include "import/import.hpp"
#include "panel/panel.hpp"
#include "panel/site_class.hpp"
#include "stats/population_model.hpp"

namespace fastid::asking {

class PeopleFile {
 public:
  /// Opens a database, whose expired profiles are left out, or reads a file that makes a panel (VCF, BCF,
  /// .bed, EIGENSTRAT), whose people have Encoding::kAlleles. \param import  of genotypes; haplotypes where
  /// it says so \throws InputError
  PeopleFile(const std::string& path, const imports::ImportOptions& import);

  const Panel& panel() const { return *panel_; }
  const std::vector<Site>& sites() const { return panel_->sites(); }
  const BlockSource& people() const { return *people_; }
  std::vector<std::string> ids() const;
  /// Whether rows are haplotypes: each person's two are neighbours.
  bool haplotypes() const { return haplotypes_; }
  /// Of each person the sex that the file, or the database's tag `sex`, states; empty where none is.
  std::vector<std::optional<Sex>> stated_sexes() const;
  /// Of the panel's populations.
  std::vector<stats::PopulationModel> models() const;

 private:
  void open_database(const std::string& path);
  void read_genotypes(const std::string& path, imports::ImportOptions import);

  std::optional<Panel> panel_;
  std::unique_ptr<db::Reader> reader_;  ///< of a database
  std::vector<std::uint64_t> rows_;     ///< of the database, where some have expired; empty: all
  std::optional<imports::ImportedProfiles> profiles_;  ///< of genotypes
  std::unique_ptr<BlockSource> memory_;                ///< what is read in place of the whole database
  const BlockSource* people_ = nullptr;
  bool haplotypes_;
};

}  // namespace fastid::asking
