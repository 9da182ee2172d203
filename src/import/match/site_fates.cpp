// The lines of a SiteReport: what became of each site of the panel in one file.
#include <fmt/format.h>

#include "import/match/site_matcher.hpp"

namespace fastid::imports {

std::string SiteMatcher::report() const {
  std::vector<std::uint64_t> calls(panel_.n_sites());
  for (std::uint64_t sample = 0; sample < counts_.samples; ++sample)
    for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) calls[s] += blocks_.called(sample, s);
  std::string text;
  for (std::uint32_t s = 0; s < panel_.n_sites(); ++s) text += report_line(s, calls);
  return text;
}

std::string SiteMatcher::report_line(std::uint32_t place, std::span<const std::uint64_t> calls) const {
  const Site& site = panel_.sites()[place];
  const SiteState& state = states_[place];
  constexpr std::string_view kFates[] = {"absent", "other_alleles", "dropped", "spanned",
                                         "block",  "matched",       "matched"};
  const bool read = state.origin >= Origin::kSpan;
  const bool by_id = state.origin == Origin::kId;
  const bool as_it_is = site.palindromic() && options_.palindromic == PalindromicRule::kKeep;
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", file_, site.id, site.chrom, site.pos,
                     state.filled ? "filled" : kFates[static_cast<std::size_t>(state.origin)],
                     !read   ? "-"
                     : by_id ? "id"
                             : "position",
                     !read           ? "-"
                     : state.flipped ? "flipped"
                     : as_it_is      ? "ambiguous"
                                     : "same",
                     !read           ? "-"
                     : state.swapped ? "swapped"
                                     : "same",
                     calls[place], read ? std::to_string(state.record) : "-");
}

}  // namespace fastid::imports
