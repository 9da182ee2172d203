#include "import/pair_cases.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/io/line_reader.hpp"

namespace fastid::imports {
namespace {

constexpr std::string_view kColumns =
    "a line has the columns haplotype, read, and the read's qualities of base, insertion, deletion and "
    "continuation";
constexpr std::string_view kHead =
    "a group begins with two counts of 1 or more: of its reads, and of its haplotypes";
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

  /// Adds the read of a line's columns, from the one of its bases on.
  void add_read(std::span<const std::string_view> columns, hmm::Groups& groups) {
    read_bases(columns[0], "read");
    rows.clear();
    for (std::size_t k = 0; k < kQualities.size(); ++k)
      if (columns[k + 1].size() != bases.size())
        refuse(fmt::format("the read has {}, and {} {} qualities", counted(bases.size(), "base"),
                           columns[k + 1].size(), kQualities[k]),
               "give one for each base");
    for (std::size_t i = 0; i < bases.size(); ++i)
      rows.push_back(hmm::pack(bases[i], {quality(columns[1], 0, i), quality(columns[2], 1, i),
                                          quality(columns[3], 2, i), quality(columns[4], 3, i)}));
    groups.add_read(rows);
  }

  void add_haplotype(std::string_view text, hmm::Groups& groups) {
    read_bases(text, "haplotype");
    groups.add_haplotype(bases);
  }

  /// The next line that is no comment.
  bool next(std::string_view& line) {
    while (lines.next(line))
      if (!line.starts_with('#') && !trim(line).empty()) return true;
    return false;
  }

  /// The columns of a line within a group. \param n  how many it has
  std::vector<std::string_view> columns_of(std::string_view what, std::size_t n) {
    std::string_view line;
    if (!next(line)) refuse(fmt::format("the file ends where a group's {} is missing", what), kHead);
    std::vector<std::string_view> columns = split_blanks(line);
    if (columns.size() != n)
      refuse(fmt::format("has {}, and is a group's {}", counted(columns.size(), "column"), what),
             fmt::format("give {}", counted(n, "column")));
    return columns;
  }

  std::uint64_t count_of(std::string_view text) const {
    const auto count = parse_number<std::uint64_t>(text);
    if (!count || *count == 0 || *count > hmm::kMostPairs)
      refuse(fmt::format("'{}' is no count", printable(text)), kHead);
    return *count;
  }

  /// A group: its counts, its reads, its haplotypes. \param head  the columns of the first line
  void take_group(const std::vector<std::string_view>& head, hmm::Groups& groups) {
    const std::uint64_t reads = count_of(head[0]), haplotypes = count_of(head[1]);
    if (reads * haplotypes > hmm::kMostPairs)
      refuse(fmt::format("the group has {} pairs", with_commas(reads * haplotypes)),
             fmt::format("at most {} are taken: cut it", with_commas(hmm::kMostPairs)));
    end_lines(groups);
    for (std::uint64_t i = 0; i < reads; ++i) add_read(columns_of("read", 1 + kQualities.size()), groups);
    for (std::uint64_t i = 0; i < haplotypes; ++i) add_haplotype(columns_of("haplotype", 1)[0], groups);
    groups.end_group();
  }

  /// A pair. Lines one after the other with the same haplotype are a group.
  void take_pair(const std::vector<std::string_view>& columns, hmm::Groups& groups) {
    if (columns.size() < 6 || columns.size() > 7)
      refuse(fmt::format("has {}", counted(columns.size(), "column")), kColumns);
    if (columns[0] != last) {
      end_lines(groups);
      add_haplotype(columns[0], groups);
      last = columns[0];
    }
    add_read(std::span(columns).subspan(1), groups);
  }

  /// Ends the group of lines with one haplotype, if there is one.
  void end_lines(hmm::Groups& groups) {
    if (!last.empty()) groups.end_group();
    last.clear();
  }

  Source source;
  LineReader lines;
  std::string last;  ///< haplotype of the lines that are being taken; "": there are none
  std::vector<std::uint8_t> bases;
  std::vector<hmm::Row> rows;
};

PairCases::PairCases(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
PairCases::~PairCases() = default;

bool PairCases::next(hmm::Groups& groups, std::uint64_t cells) {
  bool any = false;
  std::string_view line;
  while (groups.cells() < cells && impl_->next(line)) {
    const std::vector<std::string_view> columns = split_blanks(line);
    if (columns.size() == 2)
      impl_->take_group(columns, groups);
    else
      impl_->take_pair(columns, groups);
    any = true;
  }
  impl_->end_lines(groups);
  return any;
}

}  // namespace fastid::imports
