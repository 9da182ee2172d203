/// \file
/// Figures as text. Figures of evidence may be far outside a double's range and are kept as their log10.
/// There is plain text for table, tsv and json, and html with typographic signs for the page: 6 x 10 to the
/// power of -63.
#pragma once

#include <string>

namespace fastid::page {

/// 10^log10_value with `digits` significant digits as C's %g prints them, however small it is; "0" only for
/// -infinity.
std::string chance_text(double log10_value, int digits);
/// `value` rounded to nine significant digits, for json: the precision that is promised for evidence, so that
/// a mathematics library that differs in the last bits gives the same text.
double rounded(double value);
/// Adds `value` with `decimals`, at most six; "-inf" for -infinity; no sign where it rounds to 0.
void append_ratio(double value, int decimals, std::string& text);
/// Adds `value` with at most `digits` significant digits, as C's %g prints it.
void append_significant(double value, int digits, std::string& text);
void append_number(std::uint64_t number, std::string& text);
/// append_ratio() as a text of its own.
std::string ratio_text(double value, int decimals);

/// A likelihood ratio for people to read: "10^62.2", "10^-110.3", "0" for -infinity; ">10^9" where it is
/// above the cap. \param log10_ratio, cap  log10
std::string power_text(double log10_ratio, double cap);

/// power_text() as html; above the cap "more than 10 to the power of 9". Text copied from the page includes
/// the sign ^, which the page does not show.
std::string power_html(double log10_ratio, double cap);
/// chance_text() of two digits as html.
std::string chance_html(double log10_value);
/// A number that may be below 0 as html, with a typographic minus sign: \param text  ASCII, as fmt prints it.
std::string signed_html(const std::string& text);

}  // namespace fastid::page
