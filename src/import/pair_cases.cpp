#include "import/pair_cases.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/io/line_reader.hpp"

namespace fastid {
namespace {

constexpr std::string_view kColumns =
    "a line has the columns haplotype, read, and the read's qualities of base, insertion, deletion and "
    "continuation";
constexpr char kFirstQuality = '!', kLastQuality = '~';
constexpr std::array<std::string_view, 4> kQualities = {"base", "insertion", "deletion", "continuation"};

}  // namespace

struct PairCases::Impl {
  explicit Impl(const std::string& path) : source(path), lines(source) {
    lines.set_longest_line(8 * hmm::kLongest);
  }

  [[noreturn]] void refuse(const std::string& problem, std::string_view cure) const {
    throw InputError(source.name(), lines.place(), problem, cure);
  }

  /// Sets `bases` to the sequence.
  void read_bases(std::string_view text, std::string_view what) {
    if (text.size() > hmm::kLongest)
      refuse(fmt::format("the {} has {} bases", what, with_commas(text.size())),
             fmt::format("at most {} are taken: cut it around the place in question",
                         with_commas(hmm::kLongest)));
    bases.clear();
    for (const char letter : text) {
      bases.push_back(hmm::base_set(letter));
      if (bases.back() == 0)
        refuse(fmt::format("the {} has '{}' at base {}", what, printable({&letter, 1}), bases.size()),
               "write A, C, G, T, or N for any other base");
    }
  }

  std::uint8_t quality(std::string_view column, std::size_t which, std::size_t i) const {
    const char letter = column[i];
    if (letter < kFirstQuality || letter > kLastQuality)
      refuse(fmt::format("{} quality {} is no letter from '!' to '~'", kQualities[which], i + 1),
             "write qualities as in FASTQ: the letter's code less 33");
    return static_cast<std::uint8_t>(letter - kFirstQuality);
  }

  void read_rows(const std::vector<std::string_view>& columns) {
    read_bases(columns[1], "read");
    rows.clear();
    for (std::size_t k = 0; k < kQualities.size(); ++k)
      if (columns[k + 2].size() != bases.size())
        refuse(fmt::format("the read has {}, and {} {} qualities", counted(bases.size(), "base"),
                           columns[k + 2].size(), kQualities[k]),
               "give one for each base");
    for (std::size_t i = 0; i < bases.size(); ++i)
      rows.push_back(hmm::pack(bases[i], {quality(columns[2], 0, i), quality(columns[3], 1, i),
                                          quality(columns[4], 2, i), quality(columns[5], 3, i)}));
  }

  /// A haplotype that is that of the line before is not added again.
  std::uint32_t haplotype_of(std::string_view text, hmm::Pairs& pairs) {
    if (text == last && !pairs.pairs().empty()) return pairs.pairs().back().haplotype;
    read_bases(text, "haplotype");
    last = text;
    return pairs.add_haplotype(bases);
  }

  void take(std::string_view line, hmm::Pairs& pairs) {
    const std::vector<std::string_view> columns = split_blanks(line);
    if (columns.size() < 6 || columns.size() > 7)
      refuse(fmt::format("has {}", counted(columns.size(), "column")), kColumns);
    const std::uint32_t haplotype = haplotype_of(columns[0], pairs);
    read_rows(columns);
    pairs.add_pair({pairs.add_read(rows), haplotype});
  }

  Source source;
  LineReader lines;
  std::string last;  ///< haplotype
  std::vector<std::uint8_t> bases;
  std::vector<hmm::Row> rows;
};

PairCases::PairCases(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
PairCases::~PairCases() = default;

bool PairCases::next(hmm::Pairs& pairs, std::uint64_t cells) {
  bool any = false;
  std::string_view line;
  while (pairs.cells() < cells && impl_->lines.next(line)) {
    if (line.starts_with('#') || trim(line).empty()) continue;
    impl_->take(line, pairs);
    any = true;
  }
  return any;
}

}  // namespace fastid
