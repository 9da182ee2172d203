#include "bank/internal/panel_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bank/internal/db_info.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "panel/build_detector.hpp"
#include "report/columns.hpp"

namespace fastid::bank {
namespace {

/// Within 50 kb alleles are linked; one million base pairs are about one centimorgan, within which relatives
/// inherit together.
constexpr std::array<std::uint32_t, 2> kDistances = {50'000, 1'000'000};
constexpr std::array<unsigned, 5> kContributors = {1, 2, 3, 4, 5};

void find_close_pairs(const Panel& panel, PanelCheck& check) {
  const auto& sites = panel.sites();
  std::vector<std::uint32_t> order = check.classes.sites(SiteClass::kAutosomal);
  std::erase_if(order, [&](std::uint32_t s) { return sites[s].pos == 0; });
  const auto place = [&](std::uint32_t s) {
    return std::pair(place_chromosome(sites[s].chrom), sites[s].pos);
  };
  std::ranges::sort(order, {}, place);
  for (const std::uint32_t distance : kDistances) check.close.push_back({distance, 0});
  std::uint32_t least = UINT32_MAX;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Site &a = sites[order[i - 1]], &b = sites[order[i]];
    if (place_chromosome(a.chrom) != place_chromosome(b.chrom)) continue;
    const std::uint32_t apart = b.pos - a.pos;
    for (ClosePairs& pairs : check.close) pairs.pairs += apart < pairs.distance;
    if (apart >= least) continue;
    least = apart;
    check.closest = fmt::format("{} and {}, {} bp", a.id, b.id, with_commas(apart));
  }
}

std::string line(std::string_view term, std::string_view text) {
  return wrapped(term, text, kTermWidth);
}

std::string build_text(const PanelCheck& check) {
  const bool agree = check.detected == GenomeBuild::kUnknown || check.build == GenomeBuild::kUnknown ||
                     check.detected == check.build;
  return fmt::format("{}{}{}", name_of(check.build),
                     agree ? "" : fmt::format(", but its positions are those of {}", name_of(check.detected)),
                     check.without_position == 0
                         ? ""
                         : fmt::format("; {} of unknown position, which match by id alone",
                                       counted(check.without_position, "site")));
}

std::string sites_text(const PanelCheck& check) {
  if (check.classes.parts().empty())
    return fmt::format("{0} ({0} autosomal; {1} palindromic)", with_commas(check.classes.n_sites()),
                       with_commas(check.palindromic));
  return fmt::format("{}; {} palindromic; {}", check.classes.describe(), with_commas(check.palindromic),
                     evidence_text(check.classes));
}

std::string linked_text(const PanelCheck& check) {
  if (!check.classes.has(SiteClass::kAutosomal)) return "no autosomal site";
  if (!check.median_distance)
    return fmt::format("no two {}sites of known position are on one chromosome",
                       check.classes.all_autosomal() ? "" : "autosomal ");
  std::string text =
      fmt::format("neighbours are {} bp apart at the median", with_commas(*check.median_distance));
  for (const ClosePairs& pairs : check.close)
    text += fmt::format(", {} closer than {} kb", counted(pairs.pairs, "pair"),
                        with_commas(pairs.distance / 1000));
  return text +
         fmt::format(
             "; closest: {}. Evidence takes sites as independent, and is overstated where they are not",
             check.closest);
}

std::string mixture_text(const asking::PopulationPower& of) {
  std::string shares;
  for (const unsigned n : kContributors)
    shares += fmt::format("{}{} {:.1f}", shares.empty() ? "" : ", ", n, of.power.log10_all_shown[n - 1]);
  return fmt::format(
      "{}: log10 of the chance that a mixture of n shows all minor alleles of someone else, n {}; of "
      "all these people it is expected to leave at most one with up to {}",
      of.population, shares, counted(of.power.max_contributors, "contributor"));
}

}  // namespace

PanelCheck check_panel(const Panel& panel, const std::string& name, const PanelQuestion& question) {
  PanelCheck check{.name = name, .question = question, .classes = SiteClasses(panel)};
  check.without_position = static_cast<std::uint64_t>(
      std::ranges::count(panel.sites(), 0u, [](const Site& site) { return site.pos; }));
  find_close_pairs(panel, check);
  check.palindromic = palindromic_sites(panel);
  check.build = panel.build();
  check.detected = detect_build(panel);
  check.median_distance = panel.median_distance();
  check.dense = density_warning(panel);
  check.populations = population_names(panel);
  check.sha256 = panel.sha256();
  check.powers = asking::panel_powers(panel, question.populations, question.n_profiles, name);
  return check;
}

std::string check_text(const PanelCheck& check) {
  std::string text = line("panel", printable(check.name, check.name.size()));
  text += line("sites", sites_text(check)) + line("genome build", build_text(check));
  text += line("frequencies", check.populations) + line("linked", linked_text(check));
  if (!check.dense.empty()) text += line("warning", check.dense);
  if (const std::string none = no_power_text(check.classes); !none.empty()) return text + line("power", none);
  if (check.powers.empty())
    return text +
           line("power", "not known: the panel has no frequencies; a search ranks by mismatches alone");
  text += line("among", fmt::format("{} people, unrelated, every site called",
                                    with_commas(check.question.n_profiles)));
  text += power_text(check.powers);
  for (const asking::PopulationPower& of : check.powers) text += line("mixtures", mixture_text(of));
  return text;
}

std::string check_json(const PanelCheck& check) {
  Json close = Json::array();
  for (const ClosePairs& pairs : check.close)
    close.push_back({{"closer_than_bp", pairs.distance}, {"pairs", pairs.pairs}});
  Json powers = power_json(check.powers);
  for (std::size_t i = 0; i < check.powers.size(); ++i)
    for (const unsigned n : kContributors)
      powers.elements()[i]["log10_all_shown"].push_back(
          page::rounded(check.powers[i].power.log10_all_shown[n - 1]));
  const Json document = {
      {"panel", check.name},
      {"panel_sha256", check.sha256},
      {"n_sites", check.classes.n_sites()},
      {"sites", classes_json(check.classes)},
      {"palindromic_sites", check.palindromic},
      {"sites_without_position", check.without_position},
      {"genome_build", name_of(check.build)},
      {"genome_build_of_positions", name_of(check.detected)},
      {"median_distance_bp", check.median_distance ? Json(*check.median_distance) : Json(nullptr)},
      {"close_neighbours", std::move(close)},
      {"linkage_warning", check.dense.empty() ? Json(nullptr) : Json(check.dense)},
      {"n_profiles", check.question.n_profiles},
      {"power", std::move(powers)}};
  return document.dump(2) + '\n';
}

}  // namespace fastid::bank
