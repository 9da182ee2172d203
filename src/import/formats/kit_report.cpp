#include "import/formats/kit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "panel/allele_code.hpp"

namespace fastid::imports {
namespace {

/// The palindromic loci (A/T, C/G) that reports of UAS before 2.5 have on the reverse strand. Their other
/// loci on that strand are known by their letters. (lusSTR and MixDeR, of the National Biodefense Analysis
/// and Countermeasures Center, list them; MixDeR's own tables, made of such reports, are forward.)
constexpr std::array<std::string_view, 12> kReversed = {"rs1357617", "rs2046361", "rs1979255", "rs10488710",
                                                        "rs2076848", "rs1335873", "rs354439",  "rs1454361",
                                                        "rs722290",  "rs1821380", "rs445251",  "rs1871534"};

bool is_reversed(const std::string& id) {
  return std::ranges::find(kReversed, id) != kReversed.end();
}

std::string turned(std::string letters) {
  for (char& letter : letters)
    if (const char other = complement(letter); other != 0) letter = other;
  return letters;
}

}  // namespace

KitReport::KitReport(const Source& source, const ReaderOptions& options) : file_(source.name()) {
  Workbook workbook(source);
  sheets_ = workbook.sheets();
  for (std::size_t i = 0; i < sheets_.size(); ++i) {
    KitSheet sheet(file_, sheets_[i], options.depths);
    workbook.read_sheet(i, [&](const SheetRow& row) { sheet.take(row); });
    take_sheet(sheet, sheet.finish(i));
  }
  if (loci_.empty())
    throw InputError(file_, fmt::format("sheet '{}'", printable(sheets_.front())),
                     "has no table of alleles of SNPs, nor has another sheet",
                     "give a sample report of UAS in English (columns Locus, Allele Name, Typed Allele?, "
                     "Reads), or genotypes as text: columns rsid, chromosome, position, genotype");
  const std::string name = fact("samplename", "sample");
  samples_ = {name.empty() ? source.stem() : name};
  sex_ = parse_sex(fact("biologicalsex", "gender"));
}

/// Adds what a sheet says. \throws InputError where it is of another sample than the sheets before it
void KitReport::take_sheet(const KitSheet& sheet, std::vector<KitLocus> loci) {
  if (loci.empty()) return;
  ++read_sheets_;
  if (!sheet.genotypes_beside())
    for (KitLocus& locus : loci)
      if (is_reversed(locus.id)) {
        locus.letters = turned(locus.letters);
        for (LetterSignal& allele : locus.reads)
          allele.letter = turned(std::string(1, allele.letter)).front();
        ++turned_;
      }
  for (const auto& [name, text] : sheet.facts()) {
    const auto [known, fresh] = facts_.emplace(name, text);
    if ((name == "samplename" || name == "sample") && !fresh && known->second != text)
      throw InputError(file_, KitSheet::place(sheets_[loci.front().sheet], 1),
                       fmt::format("is of sample '{}', but the sheets before it are of '{}'", printable(text),
                                   printable(known->second)),
                       "give a report for each sample");
  }
  for (KitLocus& locus : loci) add(std::move(locus));
}

/// Some loci stand in two sheets, with the same alleles: a call overrides no call, and where two calls differ
/// there is none.
void KitReport::add(KitLocus locus) {
  const auto [at, fresh] = locus_at_.emplace(locus.id, loci_.size());
  if (fresh) return loci_.push_back(std::move(locus));
  std::string& before = loci_[at->second].letters;
  if (before.empty()) {
    before = locus.letters;
    loci_[at->second].reads = std::move(locus.reads);
  } else if (!locus.letters.empty() && before != locus.letters) {
    ++disagree_;
    before = "--";
    loci_[at->second].reads.clear();
  }
}

std::string KitReport::fact(const std::string& one, const std::string& other) const {
  for (const std::string& name : {one, other})
    if (const auto found = facts_.find(name); found != facts_.end()) return found->second;
  return {};
}

const SiteRecord* KitReport::next() {
  if (record_.number == loci_.size()) return nullptr;
  record_.ids = loci_[record_.number++].id;
  record_.chrom = "0";
  return &record_;
}

std::string KitReport::about() const {
  std::string text = fmt::format("UAS report of sample '{}'", printable(samples_.front()));
  const auto add_fact = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) text += fmt::format(", {} '{}'", what, printable(value));
  };
  add_fact("project", fact("projectname", "project"));
  add_fact("contributor status", fact("contributorstatus", ""));
  add_fact("analysis method", fact("analysismethod", ""));
  return text + fmt::format(": {} in {}", counted(loci_.size(), "site"), counted(read_sheets_, "sheet")) +
         (turned_ > 0 ? fmt::format(", {} turned to the forward strand", counted(turned_, "palindromic site"))
                      : "");
}

bool KitReport::of_mixture() const {
  return ascii_lower(fact("contributorstatus", "")) == "mixture";
}

std::vector<std::string> KitReport::warnings() const {
  if (disagree_ == 0) return {};
  return {fmt::format("{}: two sheets disagree on {}, not called", file_, counted(disagree_, "site"))};
}

std::string KitReport::place(std::uint64_t number) const {
  const KitLocus& locus = loci_[number - 1];
  return KitSheet::place(sheets_[locus.sheet], locus.row);
}

}  // namespace fastid::imports
