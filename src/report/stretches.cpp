#include "report/stretches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "page/page.hpp"
#include "page/svg_picture.hpp"

namespace fastid::report {
namespace {

constexpr double kLeft = 52, kRow = 17, kBar = 11, kScale = 660;  ///< of a painting: the longest chromosome
constexpr double kPaintingWidth = kLeft + kScale + 30;
constexpr std::string_view kOne = "#5b9bd5", kTwo = "#c2410c";  ///< as clear on white as on black

std::string counted_stretches(std::uint64_t n) {
  return with_commas(n) + (n == 1 ? " stretch" : " stretches");
}

/// "anna and ben: sibling, 2,611.9 cM shared in 51 stretches, ...".
std::string pair_words(const PaintedPair& pair) {
  return fmt::format("{} and {}: {}{:.1f} cM shared in {}, the longest of {:.1f} cM", printable(pair.first),
                     printable(pair.second), pair.relation.empty() ? "" : pair.relation + ", ",
                     pair.shared.any_cm, counted_stretches(pair.shared.segments), pair.shared.longest_cm);
}

/// Chromosomes one below the other, to one scale.
class Painting {
 public:
  /// \param top  the upper edge of this part of the picture
  Painting(const match::MapFacts& map, page::SvgPicture& picture, double top)
      : map_(map), picture_(picture), top_(top) {
    double longest = 1;
    for (const match::MappedChromosome& of : map.chromosomes)
      longest = std::max(longest, of.end_cm - of.start_cm);
    a_cm_ = kScale / longest;
    longest_ = longest;
  }

  double height() const { return kRow * static_cast<double>(map_.chromosomes.size()) + 54; }

  void draw(std::span<const match::SharedStretch> stretches) {
    for (std::size_t c = 0; c < map_.chromosomes.size(); ++c) {
      const match::MappedChromosome& of = map_.chromosomes[c];
      const double y = top_ + kRow * static_cast<double>(c);
      picture_.text(kLeft - 8, y + kBar - 1, "end", printable(of.name));
      for (const unsigned state : {1u, 2u})
        for (const match::SharedStretch& stretch : stretches)
          if (stretch.chrom == of.name && stretch.state == state) paint(of, stretch, y);
      picture_.add(
          fmt::format("<rect class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
                      "rx=\"4\"/>\n",
                      kLeft, y, a_cm_ * (of.end_cm - of.start_cm), kBar));
    }
    add_axis();
  }

 private:
  void paint(const match::MappedChromosome& on, const match::SharedStretch& stretch, double y) {
    picture_.add(
        fmt::format("<rect fill=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                    "height=\"{}\"><title>chromosome {}, {:.1f} "
                    "to {:.1f} cM: {} shared, mean probability {:.2f}</title></rect>\n",
                    stretch.state == 2 ? kTwo : kOne, kLeft + a_cm_ * (stretch.start_cm - on.start_cm), y,
                    a_cm_ * (stretch.end_cm - stretch.start_cm), kBar,
                    page::escaped(printable(stretch.chrom)), stretch.start_cm, stretch.end_cm,
                    stretch.state == 2 ? "both alleles" : "an allele", stretch.mean_posterior));
  }

  void add_axis() {
    const double y = top_ + kRow * static_cast<double>(map_.chromosomes.size()) + 2;
    const double step = page::nice_step(longest_, 6, true);
    for (double cm = 0; cm <= longest_; cm += step) {
      picture_.line("axis", kLeft + a_cm_ * cm, y, kLeft + a_cm_ * cm, y + 5);
      picture_.text(kLeft + a_cm_ * cm, y + 18, "middle", page::tick_text(cm));
    }
    double x = kLeft;
    for (const auto& [fill, words] : {std::pair{kOne, "one allele shared"}, {kTwo, "both shared"}}) {
      picture_.add(fmt::format("<rect fill=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"{}\"/>\n",
                               fill, x, y + 26, kBar));
      picture_.text(x + 20, y + 36, "start", words);
      x += 160;
    }
    picture_.text(kLeft + kScale, y + 36, "end", "cM from the first site");
  }

  const match::MapFacts& map_;
  page::SvgPicture& picture_;
  double top_, a_cm_ = 1, longest_ = 1;
};

std::string more_words(std::size_t left_out) {
  return left_out == 0 ? ""
                       : counted(left_out, "more pair") + (left_out == 1 ? " is" : " are") +
                             " not painted; a .tsv lists all stretches";
}

std::string table_of_stretches(std::span<const match::SharedStretch> stretches) {
  page::HtmlTable table{.caption = "Stretches",
                        .head = {"Chromosome", "First site", "Last site", "From cM", "To cM", "Length, cM",
                                 "Sites", "Shared", "Mean probability"},
                        .left = {true, false, false, false, false, false, false, true, false}};
  for (const match::SharedStretch& of : stretches)
    table.rows.push_back({page::name_html(printable(of.chrom)), with_commas(of.start), with_commas(of.end),
                          fmt::format("{:.2f}", of.start_cm), fmt::format("{:.2f}", of.end_cm),
                          fmt::format("{:.2f}", of.end_cm - of.start_cm), with_commas(of.sites),
                          of.state == 2 ? "both alleles" : "an allele",
                          fmt::format("{:.4f}", of.mean_posterior)});
  return page::table_html(table);
}

std::string section_of(const match::MapFacts& map, const PaintedPair& pair, std::size_t number) {
  page::SvgPicture picture;
  Painting painting(map, picture, 8);
  painting.draw(pair.stretches);
  return fmt::format(
      "<section class=\"query\" id=\"pair-{0}\">\n<h2>{1} and {2}</h2>\n{3}<figure>\n<div class=\"scroll\" "
      "role=\"region\" tabindex=\"0\" aria-label=\"Chromosomes of pair {0}\">\n{4}</div>\n</figure>\n"
      "<details>\n<summary>{5}</summary>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"Stretches of pair {0}\">\n{6}</div>\n</details>\n</section>\n",
      number, page::name_html(printable(pair.first)), page::name_html(printable(pair.second)),
      page::facts_html(
          {{"Relation", pair.relation.empty() ? "not named" : page::escaped(pair.relation)},
           {"Shared", fmt::format("{:.1f} cM, of which both alleles {:.1f} cM", pair.shared.any_cm,
                                  pair.shared.two_cm)},
           {"Stretches", fmt::format("{}, the longest of {:.1f} cM", with_commas(pair.shared.segments),
                                     pair.shared.longest_cm)}}),
      picture.finish(fmt::format("painting-{}", number), kPaintingWidth, painting.height(),
                     "Chromosomes with what the two share", pair_words(pair)),
      page::escaped(counted_stretches(pair.stretches.size())), table_of_stretches(pair.stretches));
}

}  // namespace

std::string stretches_head() {
  return "id1\tid2\tchrom\tstart\tend\tstart_cM\tend_cM\tsites\tstate\tmean_posterior\n";
}

std::string stretch_lines(const std::string& first, const std::string& second,
                          std::span<const match::SharedStretch> stretches) {
  std::string lines;
  for (const match::SharedStretch& of : stretches)
    lines += fmt::format("{}\t{}\t{}\t{}\t{}\t{:.5f}\t{:.5f}\t{}\t{}\t{:.4f}\n", first, second, of.chrom,
                         of.start, of.end, of.start_cm, of.end_cm, of.sites, of.state, of.mean_posterior);
  return lines;
}

std::string stretches_picture(const match::MapFacts& map, std::span<const PaintedPair> pairs,
                              std::size_t left_out) {
  page::SvgPicture picture;
  double y = 24;
  for (const PaintedPair& pair : pairs) {
    picture.text(8, y, "start", pair_words(pair));
    Painting painting(map, picture, y + 14);
    painting.draw(pair.stretches);
    y += painting.height() + 44;
  }
  if (left_out > 0) picture.text(8, y, "start", more_words(left_out));
  return picture.finish_file(kPaintingWidth, y + 10, "Stretches that people share",
                             counted(pairs.size(), "pair") + ", chromosome by chromosome");
}

std::string stretches_page(const match::MapFacts& map, std::span<const PaintedPair> pairs,
                           std::size_t left_out) {
  std::string body = fmt::format(
      "<header>\n<p class=\"asked\">Where on the chromosomes are they related?</p>\n<h1>{}</h1>\n<p>A "
      "stretch "
      "is where it is at least as probable as not that the two have an allele, or both, from one ancestor. "
      "Short ones are often wrong, below 30 cM more so the fewer sites are weighed: look at their mean "
      "probability.{}</p>\n</header>\n<main "
      "id=\"main\">\n",
      page::escaped("Shared stretches of " + counted(pairs.size(), "pair")),
      left_out == 0 ? "" : " " + page::escaped(page::capitalized(more_words(left_out))) + ".");
  for (std::size_t i = 0; i < pairs.size(); ++i) body += section_of(map, pairs[i], i + 1);
  return page::page("Shared stretches", body + "</main>\n");
}

}  // namespace fastid::report
