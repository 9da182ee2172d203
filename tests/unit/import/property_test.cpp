// Rules that hold for every panel and every genotype: strand, order of alleles and format do not change the
// bits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/import/import_support.hpp"

namespace fastid::imports {
namespace {

using namespace fastid::testing;

constexpr std::uint32_t kMostSites = 70;

/// A panel, and people's allele pairs on it as letters ("" not called): genotypes[site][person].
struct Cohort {
  std::vector<Site> sites;
  std::vector<std::vector<std::string>> genotypes;
  std::size_t people = 0;
};

Cohort any_cohort() {
  Cohort cohort;
  cohort.people = *rc::gen::inRange<std::size_t>(1, 40);
  const auto n_sites = *rc::gen::inRange<std::uint32_t>(1, kMostSites);
  for (std::uint32_t s = 0; s < n_sites; ++s) {
    const char major = *rc::gen::element('A', 'C', 'G', 'T');
    const char minor = *rc::gen::distinctFrom(rc::gen::element('A', 'C', 'G', 'T'), major);
    cohort.sites.push_back({"rs" + std::to_string(s), "1", 1000 + s, major, minor});
    std::vector<std::string> row;
    for (std::size_t p = 0; p < cohort.people; ++p)
      row.push_back(*rc::gen::element(std::string{major, major}, std::string{major, minor},
                                      std::string{minor, major}, std::string{minor, minor}, std::string()));
    cohort.genotypes.push_back(row);
  }
  return cohort;
}

/// The definition, from the letters alone.
std::string expected(const Cohort& cohort, std::size_t person) {
  std::string calls;
  for (std::size_t s = 0; s < cohort.sites.size(); ++s) {
    const std::string& letters = cohort.genotypes[s][person];
    calls += letters.empty() ? '-' : letters.find(cohort.sites[s].minor) == std::string::npos ? '0' : '1';
  }
  return calls;
}

/// The same people from a strand or an allele order of one's choice, site by site.
struct Spelling {
  bool flip;         ///< letters are complements (never at palindromic sites)
  bool minor_first;  ///< the minor allele is the reference, or allele 1
};

std::vector<Spelling> any_spelling(const Cohort& cohort) {
  std::vector<Spelling> spelling;
  for (const Site& site : cohort.sites)
    spelling.push_back({!site.palindromic() && *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()});
  return spelling;
}

char letter(char allele, const Spelling& spelling) {
  return spelling.flip ? complement(allele) : allele;
}

std::string as_vcf(const Cohort& cohort, const std::vector<Spelling>& spelling) {
  std::string names;
  for (std::size_t p = 0; p < cohort.people; ++p) names += (p == 0 ? "P" : " P") + std::to_string(p);
  std::vector<std::string> records;
  for (std::size_t s = 0; s < cohort.sites.size(); ++s) {
    const Site& site = cohort.sites[s];
    const char ref = spelling[s].minor_first ? site.minor : site.major;
    const char alt = spelling[s].minor_first ? site.major : site.minor;
    std::string record = "1 " + std::to_string(site.pos) + " " + site.id + " " + letter(ref, spelling[s]) +
                         " " + letter(alt, spelling[s]) + " . . . GT";
    for (const std::string& g : cohort.genotypes[s])
      record +=
          g.empty() ? " ./." : std::string(" ") + (g[0] == ref ? "0/" : "1/") + (g[1] == ref ? "0" : "1");
    records.push_back(record);
  }
  return vcf_text(names, records);
}

std::string as_plink(const TempFolder& folder, const Cohort& cohort, const std::vector<Spelling>& spelling) {
  std::vector<std::string> fam, bim, genotypes;
  for (std::size_t p = 0; p < cohort.people; ++p) fam.push_back("F P" + std::to_string(p) + " 0 0 0 -9");
  for (std::size_t s = 0; s < cohort.sites.size(); ++s) {
    const Site& site = cohort.sites[s];
    const char first = spelling[s].minor_first ? site.minor : site.major;
    const char second = spelling[s].minor_first ? site.major : site.minor;
    bim.push_back("1 " + site.id + " 0 " + std::to_string(site.pos) + " " + letter(first, spelling[s]) + " " +
                  letter(second, spelling[s]));
    std::string row;
    for (const std::string& g : cohort.genotypes[s])
      row += g.empty() ? '.' : g[0] != g[1] ? 'h' : g[0] == first ? '1' : '2';
    genotypes.push_back(row);
  }
  return write_plink(folder, "set", fam, bim, genotypes);
}

std::string as_text(const Cohort& cohort, const std::vector<Spelling>& spelling, std::size_t person) {
  std::string text;
  for (std::size_t s = 0; s < cohort.sites.size(); ++s) {
    std::string letters = cohort.genotypes[s][person];
    for (char& c : letters) c = letter(c, spelling[s]);
    text += cohort.sites[s].id + "\t1\t" + std::to_string(cohort.sites[s].pos) + "\t" +
            (letters.empty() ? "--" : letters) + "\n";
  }
  return text;
}

RC_GTEST_PROP(ImportProperty, EveryFormatStrandAndAlleleOrderGivesTheSameBits, ()) {
  const Cohort cohort = any_cohort();
  const std::vector<Spelling> spelling = any_spelling(cohort);
  const Panel panel = make_panel(cohort.sites);
  const TempFolder folder;
  const auto vcf = read_profiles(folder.write("c.vcf", as_vcf(cohort, spelling)), panel, {});
  const auto plink = read_profiles(as_plink(folder, cohort, spelling), panel, {});
  for (std::size_t p = 0; p < cohort.people; ++p) {
    RC_ASSERT(calls_of(vcf, p) == expected(cohort, p));
    RC_ASSERT(calls_of(plink, p) == expected(cohort, p));
  }
  const auto text = read_profiles(folder.write("t.snp", as_text(cohort, spelling, 0)), panel, {});
  RC_ASSERT(calls_of(text) == expected(cohort, 0));
  RC_ASSERT(vcf.counts.no_calls == plink.counts.no_calls && vcf.counts.flipped == plink.counts.flipped);
}

RC_GTEST_PROP(ImportProperty, ADerivedPanelHasTheRarerAlleleAsMinorAndItsFrequency, ()) {
  const Cohort cohort = any_cohort();
  RC_PRE(cohort.people > 1);  // one person cannot say what is rare
  const TempFolder folder;
  std::vector<Spelling> as_is(cohort.sites.size(), {false, false});
  const std::string message = refusal([&] {
    const Panel panel = derive_panel(folder.write("c.vcf", as_vcf(cohort, as_is)));
    for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
      const Site& site = panel.sites()[s];
      const std::size_t row = std::stoul(site.id.substr(2));
      double copies = 0, all = 0;
      for (const std::string& g : cohort.genotypes[row])
        for (const char c : g) {
          copies += c == site.minor;
          ++all;
        }
      RC_ASSERT(panel.populations()[0].minor_freq[s] == copies / all);
      RC_ASSERT(copies / all <= 0.5);
    }
  });
  RC_ASSERT(message == "accepted" || message.find("no biallelic SNP") != std::string::npos);
}

}  // namespace
}  // namespace fastid::imports
