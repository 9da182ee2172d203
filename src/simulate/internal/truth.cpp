#include "simulate/internal/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "base/file.hpp"
#include "base/process.hpp"
#include "simulate/internal/cases.hpp"

namespace fastid::simulate {
namespace {

/// The numbers of autosomal sites at which a plant and its relative have 0, 1, 2 alleles identical by
/// descent.
std::array<std::uint32_t, 3> count_descent(const Plant& plant, const People& people) {
  std::array<std::uint32_t, 3> sites{};
  for (const auto& [first, second] : people.descent(plant)) ++sites[static_cast<std::size_t>(first + second)];
  return sites;
}

void write_relatives(const SimulateOptions& options, const People& people) {
  OutputFile file(relatives_path(options.output));
  file.write(fmt::format("relation\tprofile\trow\trelative\trelative_row\tibd0\tibd1\tibd2{}\n",
                         people.has_sexes() ? "\tkind" : ""));
  for (const Plant& plant : people.relatives().all()) {
    check_interrupt();
    const auto sites = count_descent(plant, people);
    const std::string kind = people.has_sexes() ? fmt::format("\t{}", people.kind(plant).name) : "";
    file.write(fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}{}\n", name_of(plant.relation),
                           profile_id(plant.row), plant.row, profile_id(plant.of), plant.of, sites[0],
                           sites[1], sites[2], kind));
  }
  file.commit();
}

void write_populations(const SimulateOptions& options, const People& people) {
  OutputFile file(populations_path(options.output));
  file.write("profile\trow\tpopulation\n");
  for (std::uint64_t first = 0; first < options.profiles; first += kLanes) {
    check_interrupt();
    const auto populations = people.populations_of(first / kLanes);
    const std::uint64_t n = std::min<std::uint64_t>(kLanes, options.profiles - first);
    std::string lines;
    for (std::uint64_t lane = 0; lane < n; ++lane)
      lines += fmt::format("{}\t{}\tpop{}\n", profile_id(first + lane), first + lane, populations[lane] + 1);
    file.write(lines);
  }
  file.commit();
}

void write_sexes(const SimulateOptions& options, const People& people) {
  OutputFile file(sexes_path(options.output));
  file.write("id\tsex\n");
  for (std::uint64_t first = 0; first < options.profiles; first += kLanes) {
    check_interrupt();
    const std::uint32_t men = people.men(first / kLanes);
    std::string lines;
    for (std::uint64_t lane = 0; lane < std::min<std::uint64_t>(kLanes, options.profiles - first); ++lane)
      lines += fmt::format("{}\t{}\n", profile_id(first + lane),
                           fastid::name_of((men >> lane & 1) != 0 ? Sex::kMale : Sex::kFemale));
    file.write(lines);
  }
  file.commit();
}

/// The text that states a planted trait.
std::string text_of(const PlantedTrait& asked, const Panel& panel, const Trait& trait) {
  std::string text = fmt::format("# model {}, heritability {}, prevalence {}\n# sites", name_of(asked.model),
                                 asked.heritability, asked.prevalence);
  for (const std::uint32_t site : trait.sites) text += " " + panel.sites()[site].id;
  text += "\n";
  for (std::size_t cell = 0; cell < trait.penetrance.size(); ++cell)
    text += fmt::format("# penetrance of {}{}{} minor copies: {:.6f}\n", cell / 9, cell / 3 % 3, cell % 3,
                        trait.penetrance[cell]);
  return text;
}

}  // namespace

void write_phenotypes(const SimulateOptions& options, const Panel& panel, const People& people,
                      const Trait& trait) {
  OutputFile file(phenotypes_path(options.output));
  file.write(text_of(*options.epistasis, panel, trait));
  for (std::uint64_t first = 0; first < options.profiles; first += kLanes) {
    check_interrupt();
    const std::uint32_t cases = cases_of(trait, people, options.seed, first / kLanes);
    std::string lines;
    for (std::uint64_t lane = 0; lane < std::min<std::uint64_t>(kLanes, options.profiles - first); ++lane)
      lines += fmt::format("{}\t{}\n", profile_id(first + lane), 1 + (cases >> lane & 1));
    file.write(lines);
  }
  file.commit();
}

void remove_tables(const std::string& output) {
  for (const auto& path_of : {relatives_path, populations_path, phenotypes_path, sexes_path, families_path,
                              typed_path, remains_path, samples_path}) {
    std::error_code none;
    std::filesystem::remove(path_of(output), none);
  }
}

void write_truth(const SimulateOptions& options, const People& people) {
  if (!people.relatives().all().empty()) write_relatives(options, people);
  if (options.populations > 0) write_populations(options, people);
  if (people.has_sexes()) write_sexes(options, people);
}

}  // namespace fastid::simulate
