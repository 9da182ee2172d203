#include "import/match/joined_sites.hpp"

#include <algorithm>

namespace fastid::imports {

std::uint64_t JoinedSites::key_of(const SiteRecord& record) {
  if (record.pos == 0 || record.chrom == "0") return 0;
  if (record.chrom != chromosome_ || chromosome_number_ == 0) {
    chromosome_ = record.chrom;
    chromosome_number_ = chromosomes_
                             .try_emplace(std::string(place_chromosome(chromosome_)),
                                          static_cast<std::uint32_t>(chromosomes_.size() + 1))
                             .first->second;
  }
  return chromosome_number_ << 32 | record.pos;
}

void JoinedSites::add(const SiteRecord& record, std::size_t site) {
  if (const std::uint64_t key = key_of(record); key != 0) entries_.push_back({key, record.number, site});
}

void JoinedSites::add_other(const SiteRecord& record) {
  add(record, kNoSite);
}

bool JoinedSites::find() {
  if (!std::ranges::is_sorted(entries_, {}, &Entry::key)) std::ranges::stable_sort(entries_, {}, &Entry::key);
  for (auto first = entries_.begin(); first != entries_.end();) {
    const auto last =
        std::find_if(first, entries_.end(), [&](const Entry& e) { return e.key != first->key; });
    const auto is_site = [](const Entry& entry) { return entry.site != kNoSite; };
    if (last - first > 1 && std::any_of(first, last, is_site))
      for (auto entry = first; entry != last; ++entry)
        if (is_site(*entry)) positions_[entry->key].push_back({entry->record, entry->site, SampleBits(), {}});
    first = last;
  }
  entries_ = {};
  return !positions_.empty();
}

std::vector<JoinedSites::Member>* JoinedSites::members_at(const SiteRecord& record) {
  const auto found = positions_.find(key_of(record));
  return found == positions_.end() ? nullptr : &found->second;
}

void JoinedSites::note_carriers(const SiteRecord& record, GenotypeReader& reader,
                                std::span<const Site> sites) {
  std::vector<Member>* const members = members_at(record);
  if (members == nullptr) return;
  SampleBits carriers(reader.samples().size());
  for (Member& member : *members) {
    if (member.record == record.number || !reader.carriers_of_third(sites[member.site], carriers)) continue;
    if (member.others.words().empty()) member.others = SampleBits(reader.samples().size());
    member.others.add(carriers);
  }
}

void JoinedSites::count(const SiteRecord& record, GenotypeReader& reader, PloidyRule* ploidy) {
  std::vector<Member>* const members = members_at(record);
  if (members == nullptr) return;
  for (Member& member : *members) {
    if (member.record != record.number) continue;
    SampleBits others = member.others.words().empty() ? SampleBits(reader.samples().size()) : member.others;
    const SampleBits* const breakers =
        ploidy == nullptr ? nullptr : ploidy->breakers(class_of(record.chrom, record.pos, reader.build()));
    if (breakers != nullptr) others.add(*breakers);
    member.copies = others.any() ? reader.count_alleles_without(others) : reader.count_alleles();
  }
}

std::vector<JoinedSites::Choice> JoinedSites::choices() const {
  std::vector<Choice> choices;
  for (const auto& [key, members] : positions_) {
    const auto called = [](const Member& member) { return member.copies.first + member.copies.second; };
    const auto best = std::ranges::max_element(members, {}, called);  // the first of equals
    Choice choice{best->site, best->copies, {}};
    for (const Member& member : members)
      if (&member != &*best) choice.left_out.push_back(member.site);
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace fastid::imports
