// A genotype file of any format onto a small panel, as a query, and as the first input of a build.
//
// FASTID_FUZZ_FILES names the files that an input is cut into, the one to open first; "" is one file.
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "import/import.hpp"

#ifndef FASTID_FUZZ_FILES
#define FASTID_FUZZ_FILES "input"
#endif

namespace {

using namespace fastid;

/// The sites of the seeds: tests/cli/fixtures/panel.tsv.
const Panel& panel() {
  static const Panel panel = read_panel_tsv(FASTID_FUZZ_PANEL);
  return panel;
}

/// The last byte picks how to read.
imports::ImportOptions options_of(std::string_view bytes) {
  imports::ImportOptions options;
  const unsigned choice = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.back());
  options.ignore_build = (choice & 1) != 0;
  options.absent_as_reference = (choice & 2) != 0;
  options.palindromic = static_cast<imports::PalindromicRule>((choice >> 2) % 3);
  options.likelihoods = static_cast<imports::LikelihoodRule>((choice >> 5) % 5);
  if ((choice & 16) != 0) options.depths = imports::DepthRule{.min_depth = 2, .min_fraction = 0.1};
  return options;
}

}  // namespace

FASTID_FUZZ_TARGET {
  const auto names = split(FASTID_FUZZ_FILES, ' ');
  const auto contents = fuzz::pieces(bytes, names.size());
  std::string first;
  for (std::size_t i = names.size(); i-- > 0;) first = fuzz::file_of(std::string(names[i]), contents[i]);
  fuzz::may_refuse(
      [&] { imports::import_profiles(first, panel(), options_of(bytes)); });  // says nothing of it
  fuzz::may_refuse([&] { imports::derive_panel(first); });
}
