#include "import/formats/letter_reader.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "panel/allele_code.hpp"

namespace fastid::imports {
namespace {

constexpr std::array<bool, 256> kGenotypeLetters = [] {
  std::array<bool, 256> letters{};
  for (const unsigned char letter : std::string_view("ACGTIDNacgtidn-0.")) letters[letter] = true;
  return letters;
}();
constexpr std::size_t kLongestGenotype = 16;

bool is_base(char letter) {
  return complement(letter) != 0;
}

}  // namespace

bool has_two_bases(std::string_view letters) {
  const auto base = std::ranges::find_if(letters, is_base);
  return std::any_of(base, letters.end(), [&](char c) { return is_base(c) && c != *base; });
}

bool are_genotype_letters(std::string_view letters) {
  return letters.size() <= kLongestGenotype &&
         std::ranges::all_of(letters, [](unsigned char letter) { return kGenotypeLetters[letter]; });
}

std::optional<char> letter_of_allele(std::string_view text) {
  if (text.empty() || text == "-" || text == "--" || text == "." || text == "NA" || text == "0") return '-';
  if (!are_genotype_letters(text)) return std::nullopt;
  return text.size() == 1 ? text[0] : 'I';
}

std::optional<Fit> LetterReader::read_onto(const Site& site, CallRow& calls) {
  calls.clear();
  Fit fit;
  bool any_seen = false;
  const auto all = genotypes();
  for (std::size_t sample = 0; sample < all.size(); ++sample) {
    const Coded coded = code_genotype(site, all[sample]);
    calls.set(sample, coded.seen);
    any_seen |= coded.seen != kNoneSeen;
    fit.flipped |= coded.flipped;
    fit.unknown_allele |= coded.unknown_allele;
  }
  if (fit.unknown_allele && !any_seen) return std::nullopt;
  return fit;
}

/// The strand is the one that fits all listed letters, seen or not; else the one that fits the letters that
/// were seen.
bool LetterReader::read_signals(const Site& site, std::vector<AlleleSignal>& into) {
  const auto all = genotypes();
  into.assign(all.size(), {});
  bool any = false;
  for (std::size_t sample = 0; sample < all.size(); ++sample) {
    std::string letters;
    for (const auto& [letter, height] : letter_signals(sample)) letters += letter;
    letters = ascii_upper(letters);
    auto strand = strand_of(site, letters);
    if (!strand) {
      const Coded coded = code_genotype(site, all[sample]);
      if (coded.seen == kNoneSeen) continue;
      strand = coded.flipped ? Strand::kFlipped : Strand::kSame;
    }
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const double height = letter_signals(sample)[i].height;
      const AlleleCode code = code_of(site, letters[i], *strand);
      if (code == AlleleCode::kMajor) into[sample].major += height;
      if (code == AlleleCode::kMinor) into[sample].minor += height;
    }
    any |= into[sample].total() > 0;
  }
  return any;
}

const Ploidy* LetterReader::odd_ploidy() {
  const auto all = genotypes();
  const auto is_odd = [](const std::string& letters) { return letters.size() == 1 || letters.size() > 2; };
  if (std::ranges::none_of(all, is_odd)) return nullptr;
  if (ploidy_.one.words().empty()) ploidy_ = Ploidy(all.size());
  ploidy_.clear();
  for (std::size_t sample = 0; sample < all.size(); ++sample) ploidy_.note(sample, all[sample].size());
  return &ploidy_;
}

bool LetterReader::has_two_bases() const {
  return std::ranges::any_of(
      genotypes(), [](const std::string& letters) { return fastid::imports::has_two_bases(letters); });
}

GenotypeReader::AlleleCounts LetterReader::count_alleles() {
  throw Failure("genotypes of letters alone have no allele counts");
}

GenotypeReader::AlleleCounts LetterReader::count_letters(const Site& site) {
  AlleleCounts counts;
  for (const std::string& genotype : genotypes()) {
    const std::string letters = ascii_upper(genotype);
    counts.first += static_cast<std::uint64_t>(std::ranges::count(letters, site.major));
    counts.second += static_cast<std::uint64_t>(std::ranges::count(letters, site.minor));
  }
  return counts;
}

}  // namespace fastid::imports
