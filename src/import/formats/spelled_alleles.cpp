#include "import/formats/spelled_alleles.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "import/match/file_alleles.hpp"

namespace fastid::imports {
namespace {

/// Whether an allele is <DEL>, <DEL:ME> or <CN0>, or <CNV>, which may be a deletion.
bool is_deletion(std::string_view text) {
  constexpr std::array<std::string_view, 3> kSymbols = {"<DEL", "<CN0", "<CNV"};
  return text.starts_with('<') && std::ranges::any_of(kSymbols, [&](auto s) { return text.starts_with(s); });
}

bool is_spelled(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
}

bool same_base(char a, char b) {
  return (a & ~0x20) == (b & ~0x20);  // letters, in either case
}

/// The one place where alleles of one length differ; nothing where there are several or none, or other
/// alleles.
std::optional<std::size_t> only_difference(std::span<const std::string_view> texts) {
  const std::string_view reference = texts.front();
  std::optional<std::size_t> place;
  for (const std::string_view text : texts.subspan(1)) {
    if (file_allele(text) == kNoAllele) continue;
    if (text.size() != reference.size() || !is_spelled(text)) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (same_base(text[i], reference[i])) continue;
      if (place && *place != i) return std::nullopt;
      place = i;
    }
  }
  return place;
}

}  // namespace

bool may_span(std::string_view reference, std::string_view alternatives) {
  return reference.size() > 1 || alternatives.find('<') != std::string_view::npos;
}

void spell_alleles(std::span<const std::string_view> texts, std::uint32_t deleted_end, SiteRecord& record) {
  if (texts.empty() || record.pos == 0 || !is_spelled(texts.front())) return;
  const std::string_view reference = texts.front();
  if (const auto place = reference.size() > 1 ? only_difference(texts) : std::nullopt) {
    if (!std::in_range<std::uint32_t>(record.pos + std::uint64_t{*place})) return;
    record.pos += static_cast<std::uint32_t>(*place);
    for (std::size_t i = 0; i < texts.size(); ++i)
      record.alleles[i] =
          i == 0 || file_allele(texts[i]) != kNoAllele ? file_allele(texts[i].substr(*place, 1)) : kNoAllele;
    return;
  }
  std::uint64_t end = record.pos + std::uint64_t{reference.size()} - 1;
  if (std::ranges::any_of(texts.subspan(1), is_deletion)) end = std::max<std::uint64_t>(end, deleted_end);
  if (end <= record.pos) return;
  record.span_end = static_cast<std::uint32_t>(std::min<std::uint64_t>(end, UINT32_MAX));
  record.spelled.assign(texts.begin(), texts.end());
}

SpelledAlleles::SpelledAlleles(const SiteRecord& record) : record_(record) {
  const std::string_view reference = record.spelled.front();
  for (const std::string_view text : record.spelled) {
    const std::size_t shorter = std::min(text.size(), reference.size());
    Kept kept;
    while (kept.front < shorter && same_base(text[kept.front], reference[kept.front])) ++kept.front;
    while (kept.front + kept.back < shorter &&
           same_base(text[text.size() - 1 - kept.back], reference[reference.size() - 1 - kept.back]))
      ++kept.back;
    kept_.push_back(kept);
  }
}

char SpelledAlleles::letter(std::size_t allele, std::size_t offset) const {
  const std::string_view text = record_.spelled[allele], reference = record_.spelled.front();
  if (allele > 0 && file_allele(text) == kNoAllele) return kNoAllele;
  if (is_deletion(text)) {
    if (offset == 0) return file_allele(reference.substr(0, 1));
    return kDeletedAllele;
  }
  if (allele == 0) return offset < text.size() ? file_allele(text.substr(offset, 1)) : kNoAllele;
  if (!is_spelled(text)) return kOtherAllele;
  if (text.size() == reference.size()) return file_allele(text.substr(offset, 1));
  const bool kept = offset < kept_[allele].front || offset >= reference.size() - kept_[allele].back;
  return kept ? kOtherAllele : kDeletedAllele;
}

void SpelledAlleles::at(std::uint32_t pos, std::vector<char>& alleles) const {
  alleles.clear();
  for (std::size_t i = 0; i < record_.spelled.size(); ++i) alleles.push_back(letter(i, pos - record_.pos));
}

}  // namespace fastid::imports
