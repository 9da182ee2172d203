#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace fastid::report {
namespace {

/// Colours: text on its background at 7:1 and more; bars, curve and pointers differ in lightness, so that
/// they stay apart in greyscale. Sizes are in rem and em, so that everything grows with the reader's font.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1a1a1a; --soft: #505050; --paper: #fff; --shade: #f1f3f5;
  --line: #8a8f96; --bar: #9fb4c9; --curve: #10304f; --warn: #8a1f00; --link: #0b4a8f; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f0f0; --soft: #c4c8cc; --paper: #16181b; --shade: #24282d;
  --line: #868d96; --bar: #5d7690; --curve: #d6e8fa; --warn: #ffb59e; --link: #9ccbff; } }
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, "Segoe UI", "DejaVu Sans", Arial, sans-serif; color: var(--ink);
  background: var(--paper); }
body { max-width: 68rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.5rem 0 .5rem; padding-top: .5rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
dl { display: grid; grid-template-columns: minmax(8rem, 16rem) minmax(0, 1fr); gap: .25rem 1rem; margin: .5rem 0; }
dt { color: var(--soft); }
dd { margin: 0; }
code, .digest { font-family: ui-monospace, "DejaVu Sans Mono", Consolas, monospace; font-size: .9em; }
.warn { border-left: .4rem solid var(--warn); padding: .5rem .75rem; background: var(--shade); color: var(--warn);
  font-weight: 600; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th { background: var(--shade); font-weight: 600; vertical-align: bottom; }
td { white-space: nowrap; }
th.text, td.text { text-align: left; }
td.text { white-space: normal; overflow-wrap: break-word; max-width: 20rem; }
figure { margin: 1rem 0; }
figcaption { color: var(--soft); max-width: 46rem; }
svg { display: block; width: 100%; min-width: 40rem; max-width: 60rem; height: auto; font-size: 13px;
  font-family: inherit; }
svg text { fill: var(--ink); }
svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
svg .axis { stroke: var(--ink); stroke-width: 1; fill: none; }
svg .grid { stroke: var(--line); stroke-width: .5; stroke-dasharray: 1 3; }
svg .bar { fill: var(--bar); stroke: var(--curve); stroke-width: .4; }
svg .curve { stroke: var(--curve); stroke-width: 2; fill: none; }
svg .span { stroke: var(--ink); stroke-width: 2; }
svg .mean { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 5 4; }
svg .pointer { fill: var(--ink); stroke: var(--paper); stroke-width: .6; }
details { border: 1px solid var(--line); border-radius: .25rem; margin: .4rem 0; padding: .3rem .75rem; }
summary { cursor: pointer; min-height: 1.5rem; }
@media (max-width: 40rem) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .5rem; } }
@page { margin: 16mm 14mm; }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #333; --paper: #fff; --shade: #eee; --line: #888; --bar: #bbb;
    --curve: #000; --warn: #000; --link: #000; }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; }
  .skip { display: none; }
  .scroll { overflow: visible; }
  svg { min-width: 0; }
  h2, h3, summary { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  thead { display: table-header-group; }
  section.query + section.query { break-before: page; }
  details { border: 0; padding: 0; }
  details.numbers { display: none; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
}
)css";

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character at the front of `text`; 0 where it is none.
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
  return "<bdi>" + escaped(name) + "</bdi>";
}

std::string capitalized(std::string_view text) {
  return ascii_upper(text.substr(0, 1)) + std::string(text.substr(std::min<std::size_t>(1, text.size())));
}

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the results</a>\n{}</body>\n</html>\n",
      escaped(title), kStyle, body);
}

std::string facts_html(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string html = "<dl>\n";
  for (const auto& [term, fact] : facts) html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(term), fact);
  return html + "</dl>\n";
}

std::string table_html(const HtmlTable& table) {
  const auto text_class = [&](std::size_t column) { return table.left[column] ? " class=\"text\"" : ""; };
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n"
      "<caption>{}</caption>\n<thead><tr>",
      escaped(table.caption), escaped(table.caption));
  for (std::size_t c = 0; c < table.head.size(); ++c)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", text_class(c), escaped(table.head[c]));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) html += fmt::format("<td{}>{}</td>", text_class(c), row[c]);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

}  // namespace fastid::report
