// The page of `fastid dvi`: what was concluded, the families, and the ratios of everybody.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/build_info.hpp"
#include "base/text.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "page/svg_picture.hpp"
#include "questions/dvi/drawing.hpp"
#include "questions/dvi/print.hpp"

namespace fastid::dvi {
namespace {

constexpr double kCap = 9;
/// The largest picture of the matrix.
constexpr std::size_t kMostRows = 120, kMostColumns = 120;

std::size_t count_of(const fastid::dvi::Table& found, Conclusion conclusion) {
  return static_cast<std::size_t>(
      std::ranges::count(found.findings.missing, conclusion, &fastid::dvi::Missing::conclusion));
}

const char* meaning_of(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::kUndisputed:
      return "far more probable than any other pair of the person or of the missing member";
    case Conclusion::kJoint:
      return "nearly all assignments that are probable say so";
    case Conclusion::kSymmetric:
      return "these people are of these missing members; who of them is who cannot be told";
    case Conclusion::kDisputed:
      return "somebody else would be as good a match: perhaps a relative whom the family does not list";
    case Conclusion::kOpen:
      return "more probable than not, or the best there is, and not beyond doubt";
    case Conclusion::kNone:
      return "nobody of the remains is probable";
    case Conclusion::kUninformative:
      return "the family's samples say nothing of this member";
  }
  return "";
}

std::string opening(const fastid::dvi::Table& found) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Families", fmt::format("{}, {}", with_commas(found.families.size()),
                               page::escaped(counted(found.findings.missing.size(), "missing member")))},
      {"Remains", fmt::format("{} of {} people", page::escaped(counted(found.remains.size(), "sample")),
                              with_commas(found.findings.people.size()))}};
  for (const Conclusion conclusion :
       {Conclusion::kUndisputed, Conclusion::kJoint, Conclusion::kSymmetric, Conclusion::kDisputed,
        Conclusion::kOpen, Conclusion::kNone, Conclusion::kUninformative})
    if (const std::size_t n = count_of(found, conclusion); n > 0)
      facts.emplace_back(page::capitalized(fastid::dvi::name_of(conclusion)),
                         fmt::format("{}: {}", with_commas(n), meaning_of(conclusion)));
  return fmt::format(
      "<header>\n<p class=\"asked\">Who of the remains is which missing member?</p>\n<h1>Somebody is named "
      "for {} "
      "of {}</h1>\n{}<p>The figures are of the genotypes alone. Sites are taken as unlinked, so that ratios "
      "of siblings and more distant relatives vary more than they say; a relative whom no family lists may "
      "be among the remains. What is named here is for people to decide on, with all other evidence.</p>\n"
      "</header>\n",
      with_commas(found.n_named()), counted(found.findings.missing.size(), "missing member"),
      page::facts_html(facts));
}

/// The names of a person's remains, which may be broken between lines after each.
std::string person_html(const fastid::dvi::Table& found, std::size_t person) {
  std::string html;
  for (const std::size_t i : found.findings.people[person].remains)
    html += (html.empty() ? "" : "+<wbr>") + page::name_html(printable(found.remains[i]));
  return html;
}

std::string people_html(const fastid::dvi::Table& found, const fastid::dvi::Missing& of) {
  if (of.people.empty()) return "nobody";
  std::string html;
  for (std::size_t i = 0; i < of.people.size(); ++i)
    html += fmt::format("{}{}",
                        i == 0          ? ""
                        : i < of.n_best ? "<br>or "
                                        : "<br>rival: ",
                        person_html(found, of.people[i]));
  return html;
}

std::string log10_html(double of) {
  return page::signed_html(fmt::format("{:.1f}", std::abs(of) < 0.05 ? 0 : of));
}

std::string expected_html(const stats::ExpectedRatio& of) {
  return fmt::format("{} &plusmn; {:.1f}", log10_html(of.mean), of.deviation);
}

/// The ratio before anybody was found and, where people found earlier have changed it, the changed ratio too.
std::string ratio_html(const fastid::dvi::Missing& of) {
  constexpr double kChanged = 1;
  if (!of.best_lr) return "";
  std::string html = page::power_html(*of.best_lr, kCap);
  if (of.conclusion == Conclusion::kUndisputed && of.glr && std::abs(*of.glr - *of.best_lr) >= kChanged)
    html += fmt::format("<small>with others found {}</small>", page::power_html(*of.glr, kCap));
  return "<span class=\"whole\">" + html + "</span>";
}

/// Explains the remark of step 6 of docs/commands/dvi.md, where there is one.
std::string suspects_note(const fastid::dvi::Table& found) {
  if (std::ranges::all_of(found.findings.missing, &std::vector<fastid::dvi::Suspect>::empty,
                          &fastid::dvi::Missing::suspects))
    return "";
  return "<p>&ldquo;Without X: P 9.0&rdquo; says that P has a log10 ratio of 9.0 if the sample of X is left "
         "out: a wrong relation, or exchanged samples.</p>\n";
}

std::string family_id(std::size_t family) {
  return fmt::format("family-of-{}", family + 1);
}

std::string conclusions(const fastid::dvi::Table& found) {
  page::HtmlTable table{.caption = "Conclusions",
                        .head = {"Family", "Missing", "Person (remains)", "Likelihood ratio",
                                 "Log10; expected", "Posterior", "Conclusion"},
                        .left = {true, true, true, false, false, false, true}};
  for (std::size_t m = 0; m < found.findings.missing.size(); ++m) {
    const fastid::dvi::Missing& of = found.findings.missing[m];
    const std::string remark = victims_remark(found, m);
    table.rows.push_back(
        {fmt::format("<a href=\"#{}\">{}</a>", family_id(of.family),
                     page::name_html(printable(found.family_of_missing(m)))),
         page::name_html(printable(found.name_of_missing(m))), people_html(found, of), ratio_html(of),
         of.best_lr && of.expected ? log10_html(*of.best_lr) + "<br>" + expected_html(*of.expected) : "",
         of.posterior ? fmt::format("{:.4f}", *of.posterior) : "",
         fmt::format("{}{}", fastid::dvi::name_of(of.conclusion),
                     remark.empty() ? "" : "<small>" + page::escaped(remark) + "</small>")});
    table.kinds.push_back(fastid::dvi::is_named(of)            ? "apart"
                          : of.conclusion == Conclusion::kNone ? "stranger"
                                                               : "relative");
  }
  return "<section id=\"conclusions\">\n<h2>Missing members</h2>\n<p>The ratio says how much more probable "
         "the genotypes are if the person is the missing member than if he or she is unrelated to the "
         "family; log10 is its logarithm. "
         "Expected is what the missing member's own remains would have, with the same sites read, plus or "
         "minus a "
         "standard deviation.</p>\n" +
         suspects_note(found) + page::table_html(table) + "</section>\n";
}

/// Relatives who are not typed and would say most about a missing member: parents, children and siblings.
std::vector<std::string> to_be_typed(const fastid::dvi::Table& found, std::size_t family,
                                     std::size_t member) {
  const fastid::dvi::Family& of = found.families[family];
  std::vector<std::string> names;
  const auto add = [&](std::size_t i, const char* what) {
    const bool missing = std::ranges::find(of.missing, i) != of.missing.end();
    if (i != member && !missing && !found.findings.consistency[family][i])
      names.push_back(fmt::format("{} ({})", printable(of.members[i].name), what));
  };
  const auto& [father, mother] = of.members[member].parents;
  if (father) add(*father, "father");
  if (mother) add(*mother, "mother");
  for (std::size_t i = 0; i < of.members.size(); ++i) {
    const auto& [own_father, own_mother] = of.members[i].parents;
    if (own_father == member || own_mother == member) add(i, "child");
  }
  for (std::size_t i = 0; i < of.members.size(); ++i)
    if (father && mother && of.members[i].parents.father == father && of.members[i].parents.mother == mother)
      add(i, "sibling");
  return names;
}

std::string family_section(const fastid::dvi::Table& found, std::size_t f) {
  const fastid::dvi::Family& family = found.families[f];
  std::vector<MemberState> states(family.members.size(), MemberState::kUntyped);
  for (std::size_t i = 0; i < states.size(); ++i)
    if (found.findings.consistency[f][i]) states[i] = MemberState::kTyped;
  std::string notes;
  for (std::size_t m = 0; m < found.findings.missing.size(); ++m) {
    const fastid::dvi::Missing& of = found.findings.missing[m];
    if (of.family != f) continue;
    states[of.member] = fastid::dvi::is_named(of) ? MemberState::kFound : MemberState::kMissing;
    notes += fmt::format("<p>{}: {}{}{}</p>\n", page::name_html(printable(found.name_of_missing(m))),
                         fastid::dvi::name_of(of.conclusion),
                         of.people.empty() ? "" : ", " + page::name_html(printable(victims_person(found, m))),
                         of.best_lr ? ", log10 ratio " + log10_html(*of.best_lr) : "");
    if (const std::string remark = victims_remark(found, m); !remark.empty())
      notes += fmt::format("<p>{}: {}.</p>\n", page::name_html(printable(found.name_of_missing(m))),
                           page::escaped(remark));
    if (const auto& power = found.findings.power[m])
      notes +=
          fmt::format("<p>Power (log10 ratio before anybody is found): own remains {}, strangers {}.</p>\n",
                      expected_html(power->member), expected_html(power->stranger));
    if (fastid::dvi::is_named(of)) continue;
    const std::vector<std::string> names = to_be_typed(found, f, of.member);
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + page::escaped(name);
    if (!names.empty()) notes += fmt::format("<p>Would say more if typed: {}.</p>\n", list);
  }
  for (std::size_t i = 0; i < family.members.size(); ++i)
    if (const auto& ratio = found.findings.consistency[f][i]; ratio && *ratio < -1)
      notes += fmt::format(
          "<p class=\"warn\">{} does not fit this family: {}.</p>\n",
          page::name_html(printable(family.members[i].name)),
          std::isinf(*ratio)
              ? "what was read cannot be"
              : fmt::format("10<sup>{:.1f}</sup> times as probable of somebody unrelated", -*ratio));
  return fmt::format(
      "<section class=\"family\" id=\"{0}\">\n<h3><a href=\"#{0}\">Family {1}</a></h3>\n{2}{3}</section>\n",
      family_id(f), page::name_html(printable(family.name)),
      pedigree_drawing(family, states, fmt::format("family-{}", f)), notes);
}

std::string families(const fastid::dvi::Table& found) {
  std::string html =
      "<section id=\"families\">\n<h2>Families</h2>\n<p>Squares are male, circles female, diamonds of "
      "unknown "
      "sex. Filled: typed. Dashed, with a question mark: missing. With a thick edge: missing, and somebody "
      "is named.</p>\n<p class=\"on-screen\">To print one family alone, follow the link in its heading "
      "first.</p>\n"
      "<div class=\"families\">\n";
  for (std::size_t f = 0; f < found.families.size(); ++f) html += family_section(found, f);
  return html + "</div>\n</section>\n";
}

/// The shade of a ratio, from 0 (below 10^-4) to 5 (above 10^9).
std::size_t shade_of(double ratio) {
  constexpr std::array kBounds{-4., 0., 2., 4., 9.};
  return static_cast<std::size_t>(std::ranges::upper_bound(kBounds, ratio) - kBounds.begin());
}

/// The first of a person's remains, and how many more there are.
std::string column_name(const fastid::dvi::Table& found, std::size_t person) {
  const std::vector<std::size_t>& remains = found.findings.people[person].remains;
  return printable(found.remains[remains.front()]) +
         (remains.size() > 1 ? fmt::format(" +{}", remains.size() - 1) : "");
}

/// Draws the legend of shades. Returns its width.
double add_legend(page::SvgPicture& picture, double left, double top) {
  constexpr std::array kFrom{"", "\u22124", "0", "2", "4", "9"};
  constexpr double kStep = 62, kSide = 14;
  double x = left;
  for (std::size_t shade = 1; shade < kFrom.size(); ++shade, x += kStep) {
    picture.add(
        fmt::format("<rect class=\"share share{}\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" "
                    "height=\"{:.0f}\"/>\n",
                    shade, x, top, kSide, kSide));
    picture.text(x + kSide + 5, top + 11, "start", fmt::format("> {}", kFrom[shade]));
  }
  return x;
}

std::string matrix(const fastid::dvi::Table& found) {
  std::vector<std::size_t> rows, columns;
  for (std::size_t m = 0; m < found.findings.missing.size(); ++m) rows.push_back(m);
  for (std::size_t v = 0; v < found.findings.people.size(); ++v)
    if (std::ranges::any_of(rows, [&](std::size_t m) {
          const double ratio = found.findings.missing[m].log10_lr[v];
          return !std::isnan(ratio) && shade_of(ratio) > 0;
        }))
      columns.push_back(v);
  std::string note;
  if (rows.size() > kMostRows || columns.size() > kMostColumns) {
    note = fmt::format("<p>The first {} missing members and {} people; --matrix writes all.</p>\n",
                       std::min(rows.size(), kMostRows), std::min(columns.size(), kMostColumns));
    rows.resize(std::min(rows.size(), kMostRows));
    columns.resize(std::min(columns.size(), kMostColumns));
  }
  if (columns.empty())
    return "<section id=\"matrix\">\n<h2>Everybody with everybody</h2>\n<p>No pair has a ratio above "
           "10<sup>-4</sup>.</p>\n</section>\n";
  constexpr double kCell = 14, kLeft = 110, kLabels = 120;
  page::SvgPicture picture;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = kLabels + kCell * static_cast<double>(r);
    picture.text(kLeft - 6, y + 11, "end", printable(found.name_of_missing(rows[r])));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double ratio = found.findings.missing[rows[r]].log10_lr[columns[c]],
                   x = kLeft + kCell * static_cast<double>(c);
      if (std::isnan(ratio) || shade_of(ratio) == 0) continue;
      picture.add(fmt::format(
          "<rect class=\"share share{}\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" "
          "height=\"{:.0f}\"><title>{} as {}: 10^{:.1f}</title></rect>\n",
          shade_of(ratio), x, y, kCell, kCell, page::escaped(printable(found.name_of_person(columns[c]))),
          page::escaped(printable(found.name_of_missing(rows[r]))), ratio));
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c)
    picture.add(fmt::format("<text transform=\"translate({:.0f} {:.0f}) rotate(-60)\">{}</text>\n",
                            kLeft + kCell * static_cast<double>(c) + 10, kLabels - 6,
                            page::escaped(column_name(found, columns[c]))));
  const double below = kLabels + kCell * static_cast<double>(rows.size()),
               right = add_legend(picture, kLeft, below + 20),
               width = std::max(right, kLeft + kCell * static_cast<double>(columns.size()) + 70),
               height = below + 44;
  return "<section id=\"matrix\">\n<h2>Everybody with everybody</h2>\n" + note +
         fmt::format(
             "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Ratios\">\n<div "
             "class=\"drawing\" style=\"width: {:.0f}px\">\n",
             width) +
         picture.finish("ratios", width, height, "Ratios of people and missing members",
                        "A square for each pair; darker squares are of higher likelihood ratios") +
         "</div>\n</div>\n"
         "<figcaption>Log10 ratios before anybody is found. Pairs of &minus;4 or less, and of another sex, "
         "are "
         "left out.</figcaption>\n</figure>\n</section>\n";
}

std::string provenance_of(const fastid::dvi::Table& found) {
  std::string typed;
  for (const fastid::dvi::InputFile& file : found.typed)
    typed += fmt::format("{}{}<br>SHA-256 <span class=\"digest\">{}</span>", typed.empty() ? "" : "<br>",
                         page::name_html(file.path), page::escaped(file.sha256));
  std::string populations;
  for (const std::string& name : found.populations)
    populations += (populations.empty() ? "" : ", ") + page::escaped(name);
  return "<section id=\"provenance\">\n<h2>Provenance</h2>\n" +
         page::facts_html(
             {{"Program", page::escaped(fmt::format("fastid {}, revision {}", version(), revision()))},
              {"Families", page::name_html(found.family_file.path) + "<br>SHA-256 <span class=\"digest\">" +
                               page::escaped(found.family_file.sha256) + "</span>"},
              {"Samples of families", typed},
              {"Remains", page::name_html(found.database) + "<br>SHA-256 <span class=\"digest\">" +
                              page::escaped(found.content_sha256) + "</span>"},
              {"Sites", with_commas(found.n_sites)},
              {"Frequencies", populations + "; of several the one that speaks least"},
              {"Theta, error rate", fmt::format("{:g}, {:g}", found.theta, found.error_rate)},
              {"Bars", fmt::format("log10 ratio {:g}, posterior {:g}, log10 odds of an identification {}",
                                   found.rules.bar, found.rules.posterior,
                                   page::signed_html(fmt::format("{:.2f}", found.findings.log10_odds)))}}) +
         "<p>docs/commands/dvi.md of fastid defines the figures.</p>\n</section>\n";
}

}  // namespace

std::string victims_html(const fastid::dvi::Table& found) {
  return page::page("Remains and missing members of " + found.family_file.path,
                    opening(found) + "<main id=\"main\">\n" + conclusions(found) + matrix(found) +
                        families(found) + provenance_of(found) + "</main>\n");
}

}  // namespace fastid::dvi
