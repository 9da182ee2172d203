#include "validate/internal/recommendations.hpp"

namespace fastid::validate {
namespace {

// SWGDAM: Guidelines for the Validation of Probabilistic Genotyping Systems, 2015. ISFG: M. D. Coble et al.,
// Forensic Science International: Genetics 25 (2016). ISO/IEC 17025:2017, 7.11.
constexpr std::string_view kSwgdam = "SWGDAM 2015", kIsfg = "ISFG 2016", kIso = "ISO/IEC 17025 7.11";

constexpr report::Recommendation kAll[] = {
    {kSwgdam, "Scientific principles are published", "", "docs/model states every formula with its source"},
    {kSwgdam, "Sensitivity: contributors who are missed; the range of their likelihood ratios",
     "sensitivity few-reads mixtures relatives", ""},
    {kSwgdam, "Specificity: non-contributors who are included; the range of their likelihood ratios",
     "chance strangers mixtures relatives sex-chromosomes", ""},
    {kSwgdam, "Precision: repeated analyses of the same data", "repeatability", ""},
    {kSwgdam, "Accuracy: calculations agree with ones by hand or by other means",
     "vectors theta sensitivity sex-chromosomes",
     "the project's own tests compare with PLINK 2, bcftools and independent code"},
    {kSwgdam, "Case-type samples", "own-samples mixtures", "name the laboratory's samples by --truth"},
    {kSwgdam, "Control samples", "own-samples", "known and absent people among the samples of --truth"},
    {kSwgdam, "Limits of the system are known", "sensitivity few-reads mixtures refusals",
     "docs/commands/validate.md; the tables here show where finding ends"},
    {kIsfg, "Models and assumptions are documented", "", "docs/model, docs/commands/validate.md"},
    {kIsfg, "The developer's validation and its data can be repeated",
     "vectors theta sensitivity chance strangers", "the same seed gives the same people on any machine"},
    {kIsfg, "Likelihood ratios of known contributors and of non-contributors, over the range of casework",
     "sensitivity strangers relatives mixtures own-samples", ""},
    {kIsfg, "Results are compared with those of other models or by hand", "vectors repeatability", ""},
    {kIsfg, "Versions are identified; a change is tested again", "repeatability",
     "version, revision and checksum of the program stand in this report"},
    {kIsfg, "The laboratory has a plan of validation, procedures and training", "",
     "docs/commands/validate.md has a template; the rest is the laboratory's"},
    {kIso, "7.11.2: validated before it is used, and after changes", "repeatability sensitivity chance",
     "run `fastid validate` at installation and after each upgrade, and keep the report"},
    {kIso, "7.11.3: protected from tampering and loss; integrity of data", "own-database refusals",
     "checksums of every block, content checksums, --audit-log; access is the laboratory's"},
    {kIso, "7.11.3: system failures are recorded", "", "exit codes and messages; --audit-log"},
    {kIso, "7.11.5: instructions are at hand", "", "fastid COMMAND --help, docs/"},
    {kIso, "7.11.6: calculations and data transfers are checked",
     "vectors sensitivity own-database repeatability", ""},
};

}  // namespace

std::span<const report::Recommendation> recommendations() {
  return kAll;
}

}  // namespace fastid::validate
