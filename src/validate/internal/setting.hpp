/// \file
/// What the tests of a validation share: the panel, where files go, how much to do, and the search that a
/// laboratory would make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/scratch_folder.hpp"
#include "base/thread_pool.hpp"
#include "panel/panel.hpp"
#include "panel/site_class.hpp"
#include "questions/search/run.hpp"
#include "simulate/simulate.hpp"
#include "validate/validation.hpp"

namespace fastid::validate {

struct Setting {
  const Options& options;
  const Subject& subject;
  const Panel& panel;
  const SiteClasses& classes;  ///< of its sites
  std::string panel_path;
  std::string population;
  const std::vector<double>& freq;  ///< minor-allele frequencies that people are drawn by
  ScratchFolder& folder;
  ThreadPool& pool;
  std::vector<report::Material>& materials;

  template <class T>
  T size(T quick, T full) const {
    return options.quick ? quick : full;
  }

  /// Options of a simulated database of the panel's sites. \param name  of its file
  simulate::SimulateOptions people(const std::string& name, std::uint64_t profiles) const;
  /// Simulates a database and notes its checksum under `what`. Returns its path.
  std::string simulate(const simulate::SimulateOptions& people, const std::string& what) const;

  /// Options of a search of `database` for the samples of `file`, all others at fastid's defaults.
  asking::SearchOptions search(const std::string& file, const std::string& database) const;
  std::unique_ptr<engine::Engine> engine() const;

  stats::PopulationModel model(const stats::Parameters& parameters = {}) const {
    return subject.model(freq, parameters);
  }
  /// A model of the autosomal sites alone, which evidence counts.
  stats::PopulationModel counted_model(const stats::Parameters& parameters) const;
  std::uint32_t counted_sites() const { return classes.count(SiteClass::kAutosomal); }
};

/// A test fills in its title and method before it begins, and then its checks and tables.
using Test = void (*)(const Setting& setting, report::Result& result);

void test_vectors(const Setting& setting, report::Result& result);
void test_monotony(const Setting& setting, report::Result& result);
void test_sensitivity(const Setting& setting, report::Result& result);
void test_few_reads(const Setting& setting, report::Result& result);
void test_chance(const Setting& setting, report::Result& result);
void test_strangers(const Setting& setting, report::Result& result);
void test_relatives(const Setting& setting, report::Result& result);
void test_mixtures(const Setting& setting, report::Result& result);
void test_sex_chromosomes(const Setting& setting, report::Result& result);
void test_repeatability(const Setting& setting, report::Result& result);
void test_refusals(const Setting& setting, report::Result& result);
/// These two are not run without a database of the laboratory's own, or known samples.
void test_own_database(const Setting& setting, report::Result& result);
void test_own_samples(const Setting& setting, report::Result& result);

}  // namespace fastid::validate
