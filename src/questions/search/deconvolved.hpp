/// \file
/// The contributors of mixtures one by one, as a VCF of genotypes by their probabilities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panel/panel.hpp"
#include "stats/stain.hpp"

namespace fastid::search {

/// An unknown contributor to a mixture.
struct DeconvolvedContributor {
  std::string name;
  double share = 0;       ///< or drop-out
  std::size_t alike = 1;  ///< contributors who left as much, and whom this one stands for
  /// [site of the panel]; no value where the mixture is not called.
  std::vector<std::optional<stats::GenotypeChances>> sites;
};

struct DeconvolvedMixture {
  std::string name, population, model;
  unsigned contributors = 0;
  double probability = 0;  ///< P(so many contributors)
  bool by_shares = false;
  std::vector<DeconvolvedContributor> people;  ///< who left most first
};

/// By the most probable number of contributors. \param supports  of the stain, one or more
DeconvolvedMixture deconvolved(const std::string& name, const stats::StainModel& model,
                               const stats::Stain& stain, const std::vector<stats::StainSupport>& supports);

/// Writes a VCF with GT, GQ, GP and PL. \param min_posterior  of a genotype that is called \throws Failure
void write_deconvolved(const std::string& path, const Panel& panel,
                       const std::vector<DeconvolvedMixture>& mixtures, double min_posterior);

}  // namespace fastid::search
