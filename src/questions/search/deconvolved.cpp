#include "questions/search/deconvolved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/process.hpp"
#include "import/text_output.hpp"
#include "ingest/genotype_text.hpp"
#include "stats/mixture.hpp"

namespace fastid::search {
namespace {

constexpr std::string_view kFields =
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype, where its probability is high enough\">\n"
    "##FORMAT=<ID=GQ,Number=1,Type=Integer,Description=\"-10 log10 P(another genotype), at most 99\">\n"
    "##FORMAT=<ID=GP,Number=G,Type=Float,Description=\"P(genotype), given the mixture and the population\">\n"
    "##FORMAT=<ID=PL,Number=G,Type=Integer,Description=\"-10 log10 P(mixture given genotype), less the "
    "best's\">\n";

/// -10 log10 in whole numbers, at most `most`.
int phred_of(double probability, int most) {
  if (!(probability > 0)) return most;
  return static_cast<int>(std::lround(std::min(-10 * std::log10(probability), static_cast<double>(most))));
}

/// The supports whose contributor in question is the one in this place, by what they left.
std::vector<stats::StainSupport> supports_of_place(const std::vector<stats::StainSupport>& supports,
                                                   unsigned contributors, std::size_t place) {
  std::vector<stats::StainSupport> of_place;
  for (const stats::StainSupport& support : supports)
    if (support.contributors == contributors && support.place() == place) of_place.push_back(support);
  return of_place;
}

/// How many contributors these stand for: where all have one drop-out there is one support for all.
std::size_t number_alike(const std::vector<stats::StainSupport>& supports) {
  std::size_t alike = stats::kMostContributors;
  for (const stats::StainSupport& support : supports)
    alike = std::min(alike, 1 + static_cast<std::size_t>(std::ranges::count(support.unknown, support.own)));
  return alike;
}

double mean_of_own(const std::vector<stats::StainSupport>& supports) {
  double sum = 0, weights = 0;
  for (const stats::StainSupport& support : supports) {
    sum += std::exp(support.log_weight) * support.own;
    weights += std::exp(support.log_weight);
  }
  return weights > 0 ? sum / weights : 0;
}

std::string cell_of(const std::optional<stats::GenotypeChances>& at, double min_posterior) {
  constexpr int kMostQuality = 99, kMostLikelihood = 999;
  static constexpr std::string_view kGenotypes[] = {"0/0", "0/1", "1/1"};
  if (!at) return "\t./.:.:.:.";
  const auto best = static_cast<std::size_t>(std::ranges::max_element(at->posterior) - at->posterior.begin());
  double others = 0;
  for (std::size_t g = 0; g < at->posterior.size(); ++g)
    if (g != best) others += at->posterior[g];
  std::array<int, stats::kGenotypes> likelihoods{};
  const double most = std::ranges::max(at->likelihood);
  for (std::size_t g = 0; g < likelihoods.size(); ++g)
    likelihoods[g] = phred_of(most > 0 ? at->likelihood[g] / most : 1, kMostLikelihood);
  return fmt::format("\t{}:{}:{:.6g}:{}", at->posterior[best] >= min_posterior ? kGenotypes[best] : "./.",
                     phred_of(others, kMostQuality), fmt::join(at->posterior, ","),
                     fmt::join(likelihoods, ","));
}

std::string remark_of(const DeconvolvedMixture& mixture) {
  std::string text =
      fmt::format("##fastid_mixture=<ID={},Model={},Population={},Contributors={},P={:.4f}>\n", mixture.name,
                  mixture.model, mixture.population, mixture.contributors, mixture.probability);
  for (const DeconvolvedContributor& person : mixture.people)
    text += fmt::format("##fastid_contributor=<ID={},{}={:.4f}{}>\n", person.name,
                        mixture.by_shares ? "Share" : "Drop_out", person.share,
                        person.alike > 1 ? fmt::format(",Stands_for={}", person.alike) : "");
  return text;
}

}  // namespace

DeconvolvedMixture deconvolved(const std::string& name, const stats::StainModel& model,
                               const stats::Stain& stain, const std::vector<stats::StainSupport>& supports) {
  const std::vector<double> numbers = stats::probabilities_of_numbers(supports);
  const auto most = std::ranges::max_element(numbers);
  DeconvolvedMixture mixture{.name = name,
                             .population = model.population().name(),
                             .model = stain.measured == nullptr    ? "semi-continuous"
                                      : stain.measured->of_peaks() ? "gamma"
                                                                   : "continuous",
                             .contributors = static_cast<unsigned>(most - numbers.begin()) + 1,
                             .probability = *most,
                             .by_shares = stain.measured != nullptr,
                             .people = {}};
  const std::size_t unknown = mixture.contributors - model.n_known();
  for (std::size_t place = 0; place < unknown; ++place) {
    const auto of_place = supports_of_place(supports, mixture.contributors, place);
    if (of_place.empty()) continue;
    DeconvolvedContributor& person = mixture.people.emplace_back(
        fmt::format("{}_{}", name, place + 1), mean_of_own(of_place), number_alike(of_place),
        std::vector<std::optional<stats::GenotypeChances>>(model.population().n_sites()));
    const std::vector<stats::GenotypeChances> chances = model.genotypes(stain, of_place);
    std::size_t i = 0;
    for (std::size_t site = 0; site < person.sites.size(); ++site)
      if ((stain.shown.called[site / kWordBits] >> site % kWordBits & 1) != 0)
        person.sites[site] = chances[i++];
  }
  return mixture;
}

void write_deconvolved(const std::string& path, const Panel& panel,
                       const std::vector<DeconvolvedMixture>& mixtures, double min_posterior) {
  std::vector<std::string> samples;
  std::string head(kFields);
  head +=
      "##fastid_note=These are no typed profiles: each genotype is as probable as GP says, given the "
      "mixture, the "
      "number of its contributors and the frequencies of a population\n";
  for (const DeconvolvedMixture& mixture : mixtures) {
    head += remark_of(mixture);
    for (const DeconvolvedContributor& person : mixture.people) samples.push_back(person.name);
  }
  imports::TextOutput out(path);
  out.write(ingest::vcf_head(panel, samples, head, "; contributors of mixtures"));
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    std::string line = fmt::format("{}\t{}\t{}\t{}\t{}\t.\t.\t.\tGT:GQ:GP:PL", site.chrom, site.pos, site.id,
                                   site.major, site.minor);
    for (const DeconvolvedMixture& mixture : mixtures)
      for (const DeconvolvedContributor& person : mixture.people)
        line += cell_of(person.sites[s], min_posterior);
    out.write(line + '\n');
    check_interrupt();
  }
  out.commit();
}

}  // namespace fastid::search
