#include "page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace fastid::page {
namespace {

/// Colours: text on its background at 7:1 and more; bars, curve and pointers differ in lightness, so that
/// they can be told apart in greyscale. Sizes are in rem and em, so that everything scales with the reader's
/// font.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1a1a1a; --soft: #505050; --paper: #fff; --shade: #f1f3f5;
  --line: #8a8f96; --bar: #9fb4c9; --curve: #10304f; --warn: #8a1f00; --link: #0b4a8f; --apart: #e3f1e6;
  --mark: #0f5a2a; --band: #c77700;
  --rel0: #3b0f70; --rel1: #8c2981; --rel2: #d3436e; --rel3: #f8765c; --rel4: #fec98d; --rel5: #9fb4c9; --rel6: #c3c8ce; --rel7: #e4e7ea; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f0f0; --soft: #b4b9be; --paper: #16181b; --shade: #24282d;
  --line: #868d96; --bar: #5d7690; --curve: #d6e8fa; --warn: #ffb59e; --link: #9ccbff; --apart: #16341f;
  --mark: #9be0ae; --band: #ffb547;
  --rel0: #fcfdbf; --rel1: #febb81; --rel2: #f8765c; --rel3: #c83e73; --rel4: #8c3a9a; --rel5: #5d7690; --rel6: #4a525b; --rel7: #2e343a; } }
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, "Segoe UI", "DejaVu Sans", Arial, sans-serif; color: var(--ink);
  background: var(--paper); }
body { max-width: 68rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .25rem 0 .75rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.5rem 0 .5rem; padding-top: .5rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
.asked { color: var(--soft); margin: .5rem 0 0; }
.finding { border-left: .4rem solid var(--line); padding: .5rem .75rem; background: var(--shade); margin: .75rem 0; }
.finding.apart { border-color: var(--mark); }
.finding p { margin: .25rem 0; }
.finding .headline { font-weight: 600; }
dl { display: grid; grid-template-columns: minmax(8rem, 16rem) minmax(0, 1fr); gap: .25rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); }
dd { margin: 0; }
code, .digest { font-family: ui-monospace, "DejaVu Sans Mono", Consolas, monospace; font-size: .9em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
sup { font-size: .75em; line-height: 0; white-space: nowrap; }
.hat { font-size: 0; }
.warn { border-left: .4rem solid var(--warn); padding: .5rem .75rem; background: var(--shade); color: var(--warn);
  font-weight: 600; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th { background: var(--shade); font-weight: 600; vertical-align: bottom; max-width: 11rem; }
th.text, td.text { text-align: left; }
td.text { overflow-wrap: break-word; max-width: 20rem; }
td bdi { white-space: nowrap; }
td bdi.long { white-space: normal; overflow-wrap: anywhere; }
td.text:has(bdi.long) { min-width: 6.5rem; }
td small { display: block; color: var(--soft); font-weight: 400; }
tr.apart td { background: var(--apart); font-weight: 600; }
tr.apart td:first-child { box-shadow: inset .3rem 0 var(--mark); }
tr.relative td:first-child { box-shadow: inset .3rem 0 var(--band); }
tr.stranger td { color: var(--soft); }
tr.rule td { border-top: 3px solid var(--ink); text-align: left; white-space: normal; font-size: .9em; }
.badge { white-space: nowrap; font-size: .85em; font-weight: 600; border: 1px solid; border-radius: .25rem;
  padding: 0 .35em; color: var(--mark); }
tr.relative .badge { color: var(--ink); }
figure { margin: 1rem 0; }
figcaption { color: var(--soft); max-width: 46rem; }
svg { display: block; width: 100%; min-width: 40rem; max-width: 60rem; height: auto; font-size: 13px;
  font-family: inherit; }
svg text { fill: var(--ink); }
svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
svg .axis { stroke: var(--ink); stroke-width: 1; fill: none; }
svg .grid { stroke: var(--line); stroke-width: .5; stroke-dasharray: 1 3; }
svg .band { fill: var(--band); fill-opacity: .16; }
svg .bar { fill: var(--bar); stroke: var(--curve); stroke-width: .4; }
svg .listed { fill: var(--ink); }
svg .curve { stroke: var(--curve); stroke-width: 2; fill: none; }
svg .span { stroke: var(--ink); stroke-width: 2; }
svg .mean { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 5 4; }
svg .pointer { fill: var(--ink); stroke: var(--paper); stroke-width: .6; }
svg .named { font-weight: 600; }
svg .sites { stroke: var(--ink); stroke-width: 3.5; stroke-linecap: round; stroke-opacity: .5; fill: none; }
svg.meter { display: inline-block; width: 8rem; min-width: 0; height: .7em; }
svg .cells { fill: var(--rel); stroke: var(--paper); stroke-width: .4; }
svg .self { fill: var(--shade); }
svg .share { stroke: var(--line); stroke-width: .6; } svg .nobody { fill: none; stroke-dasharray: 3 3; }
svg .share0 { fill: #f7fbff; } svg .share1 { fill: #d0e1f2; } svg .share2 { fill: #9ecae1; }
svg .share3 { fill: #6baed6; } svg .share4 { fill: #08519c; } svg .share5 { fill: #08306b; }
svg .on-light { fill: #1a1a1a; } svg .on-dark { fill: #fff; }
svg .member { stroke: var(--ink); stroke-width: 1.5; fill: var(--paper); } svg .member.typed { fill: var(--bar); }
svg .member.missing { stroke-dasharray: 4 3; } svg .member.found { fill: var(--apart); stroke: var(--mark); stroke-width: 3.5; }
.families { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 0 1.5rem; }
.drawing svg { min-width: 0; }
.whole { white-space: nowrap; } .whole small { white-space: normal; }
.family h3 a { color: inherit; text-decoration: none; } .family h3 a:hover { text-decoration: underline; }
.family:target { outline: 2px solid var(--mark); outline-offset: .5rem; }
svg .dots { stroke: var(--rel); stroke-width: 6; stroke-linecap: round; fill: none; }
svg .dots.edge { stroke: var(--ink); stroke-width: 7; }
.rel0 { --rel: var(--rel0); } .rel1 { --rel: var(--rel1); } .rel2 { --rel: var(--rel2); } .rel3 { --rel: var(--rel3); }
.rel4 { --rel: var(--rel4); } .rel5 { --rel: var(--rel5); } .rel6 { --rel: var(--rel6); }
.rel7 { --rel: var(--rel7); }
details { border: 1px solid var(--line); border-radius: .25rem; margin: .4rem 0; padding: .3rem .75rem; }
summary { cursor: pointer; min-height: 1.5rem; }
.sign { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0 2rem; }
.sign div { border-bottom: 1px solid var(--ink); min-height: 3.5rem; display: flex; align-items: flex-end; gap: .5rem;
  padding-bottom: .15rem; }
.sign span { color: var(--soft); }
@media screen and (max-width: 40rem) {
  .sign { grid-template-columns: minmax(0, 1fr); }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .5rem; }
  table, tbody, tr, td { display: block; max-width: none; }
  thead { display: none; }
  tr { border: 1px solid var(--line); border-radius: .25rem; margin: .5rem 0; }
  tr.rule { border: 0; }
  td, td.text { display: flow-root; max-width: none; white-space: normal; overflow-wrap: anywhere;
    text-align: right; padding: .15rem .5rem; border-bottom: 1px dotted var(--line); }
  td:last-child { border-bottom: 0; }
  tr.rule td { text-align: left; }
  td[data-label]::before { content: attr(data-label); color: var(--soft); font-weight: 400; text-align: left;
    float: left; max-width: 55%; margin-right: .75rem; }
}
@page { margin: 18mm 14mm; }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #333; --paper: #fff; --shade: #eee; --line: #888; --bar: #bbb;
    --curve: #000; --warn: #000; --link: #000; --apart: #e4e4e4; --mark: #000; --band: #777;
    --rel0: #000; --rel1: #333; --rel2: #666; --rel3: #999; --rel4: #bbb; --rel5: #ccc; --rel6: #ddd; --rel7: #eee; }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; }
  a { text-decoration: none; }
  .skip, .on-screen { display: none; }
  .families { display: block; columns: 3; }
  .family:target { outline: 0; }
  main:has(.family:target) > section:not(#families, #provenance), .families:has(:target) > .family:not(:target)
    { display: none; }
  .families:has(:target) { columns: 1; }
  body:has(.family:target) > header :is(h1, dl) { display: none; }
  .scroll { overflow: visible; }
  svg { min-width: 0; }
  h2, h3, summary { break-after: avoid; }
  summary { list-style: none; }
  figure, tr, .finding, .sign, .family, dt { break-inside: avoid; }
  thead { display: table-header-group; }
  .rows::before { content: ""; display: block; height: 11em; margin-bottom: -11em; break-inside: avoid;
    break-after: avoid; } /* a heading alone would stay behind */
  tbody tr:first-child, tr.rule { break-after: avoid; }
  tbody tr:last-child { break-before: avoid; }
  th { print-color-adjust: exact; }
  table.short { break-inside: avoid; }
  tr.apart td, .finding { print-color-adjust: exact; }
  section.query + section.query { break-before: page; }
  section.sign-here { break-inside: avoid; }
  section.annex { break-before: page; }
  th, td { padding: .2rem .35rem; }
  details { border: 0; padding: 0; }
  details.numbers { display: none; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
}
)css";

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the first UTF-8 character of `text`; 0 where it is not valid.
std::size_t character_bytes(std::string_view text) {
  for (std::size_t n = 1; n <= 4 && n <= text.size(); ++n)
    if (is_printable_utf8(text.substr(0, n))) return n;
  return 0;
}

void append_escaped(std::string& out, std::string_view character) {
  switch (character.front()) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += character;
  }
}

/// `text` as a CSS string. All characters but letters, digits and blanks are escaped, so that `text` cannot
/// end the string or the style sheet.
std::string css_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (bytes == 0)
      out += kReplacement;
    else if (bytes > 1 || std::isalnum(byte) != 0 || byte == ' ')
      out += text.substr(0, bytes);
    else
      out += fmt::format("\\{:06x} ", byte);  // the blank is part of the escape
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + '"';
}

/// The style of the header and footer of each printed sheet.
std::string sheet_style(std::string_view title, std::string_view head) {
  constexpr const char* kFont =
      "font: 8pt system-ui, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif; color: #333;";
  return fmt::format(
      "@page {{\n  @top-left {{ content: {}; width: 100%; text-align: left; {} }}\n"
      "  @bottom-left {{ content: {}; width: 80%; text-align: left; {} }}\n"
      "  @bottom-right {{ content: \"Page \" counter(page) \" of \" counter(pages); {} }}\n}}\n",
      css_string(head), kFont, css_string(title), kFont, kFont);
}

/// \param label  html: the name of the cell's column, shown where rows are displayed as blocks
std::string cell_html(const std::string& label, bool text, const std::string& html) {
  return fmt::format("<td{} data-label=\"{}\">{}</td>", text ? " class=\"text\"" : "", label, html);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0)
      out += kReplacement;
    else
      append_escaped(out, text.substr(0, bytes));
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

std::string name_html(std::string_view name) {
  constexpr std::size_t kOneLine = 16;  ///< most bytes of a name that a table's cell keeps on one line
  return (name.size() > kOneLine ? "<bdi class=\"long\">" : "<bdi>") + escaped(name) + "</bdi>";
}

std::string capitalized(std::string_view text) {
  return ascii_upper(text.substr(0, 1)) + std::string(text.substr(std::min<std::size_t>(1, text.size())));
}

std::string page(std::string_view title, std::string_view body, std::string_view head) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the results</a>\n{}</body>\n</html>\n",
      escaped(title), kStyle, sheet_style(title, head), body);
}

std::string facts_html(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string html = "<dl>\n";
  for (const auto& [term, fact] : facts) html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(term), fact);
  return html + "</dl>\n";
}

std::string table_html(const HtmlTable& table) {
  constexpr std::size_t kShort = 6;  ///< most rows of a table that is kept on one sheet
  std::vector<std::string> labels;
  for (const std::string& head : table.head) labels.push_back(escaped(head));
  std::string html = fmt::format(
      "<div class=\"scroll rows\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table{}>\n"
      "<caption>{}</caption>\n<thead><tr>",
      escaped(table.caption), table.rows.size() <= kShort ? " class=\"short\"" : "", escaped(table.caption));
  for (std::size_t c = 0; c < labels.size(); ++c)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", table.left[c] ? " class=\"text\"" : "", labels[c]);
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (table.rule && table.rule->before == r)
      html += fmt::format("<tr class=\"rule\"><td colspan=\"{}\">{}</td></tr>\n", table.head.size(),
                          table.rule->text);
    html += table.kinds.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", table.kinds[r]);
    for (std::size_t c = 0; c < table.rows[r].size(); ++c)
      html += cell_html(labels[c], table.left[c], table.rows[r][c]);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

}  // namespace fastid::page
