#include "linked/internal/inheritance.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace fastid::linked {
namespace {

/// Which read members have an allele once, and which twice, as bits. A pattern is the sorted list of its
/// alleles' carriers, whatever the alleles are called.
using Carriers = std::pair<std::uint64_t, std::uint64_t>;
using PatternKey = std::vector<Carriers>;

/// The members who are read, and their ancestors.
std::vector<bool> needed_of(std::span<const Descent> members) {
  std::vector<bool> needed(members.size());
  std::vector<std::size_t> open;
  const auto need = [&](std::size_t member) {
    if (needed[member]) return;
    needed[member] = true;
    open.push_back(member);
  };
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].read) need(i);
  while (!open.empty()) {
    const Descent& of = members[open.back()];
    open.pop_back();
    for (const auto& parent : {of.father, of.mother})
      if (parent) need(*parent);
  }
  return needed;
}

/// A copy that a member has from a listed parent.
struct Meiosis {
  std::size_t child = 0, copy = 0;
};

/// [parent]: the meioses to needed children.
std::vector<std::vector<Meiosis>> meioses_of(std::span<const Descent> members,
                                             const std::vector<bool>& needed) {
  std::vector<std::vector<Meiosis>> meioses(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!needed[i]) continue;
    if (members[i].father) meioses[*members[i].father].push_back({i, 0});
    if (members[i].mother) meioses[*members[i].mother].push_back({i, 1});
  }
  return meioses;
}

bool is_founder(const Descent& member) {
  return !member.father && !member.mother;
}

/// [member]: a member who stands for all that are related through listed parents.
std::vector<std::size_t> related_of(std::span<const Descent> members, const std::vector<bool>& needed) {
  std::vector<std::size_t> related(members.size());
  std::iota(related.begin(), related.end(), std::size_t{0});
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const auto& parent : {members[i].father, members[i].mother})
      if (needed[i] && parent)
        std::ranges::replace(related, std::size_t{related[*parent]}, std::size_t{related[i]});
  return related;
}

/// The needed members, parents before children.
std::vector<std::size_t> by_birth(std::span<const Descent> members, const std::vector<bool>& needed) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(members.size());
  const auto is_open = [&](const std::optional<std::size_t>& parent) { return parent && !placed[*parent]; };
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (needed[i] && !placed[i] && !is_open(members[i].father) && !is_open(members[i].mother)) {
        placed[i] = any = true;
        order.push_back(i);
      }
  }
  return order;
}

/// The alleles that each member has, given a vector.
class Alleles {
 public:
  Alleles(std::span<const Descent> members, const std::vector<bool>& needed)
      : order_(by_birth(members, needed)), from_(members.size()), own_(members.size()) {
    for (const std::size_t i : order_)
      for (std::size_t copy = 0; copy < 2; ++copy) {
        From& from = from_[i][copy];
        from.parent = copy == 0 ? members[i].father : members[i].mother;
        if (!from.parent) own_[i][copy] = n_++;
      }
  }

  /// Has a bit of the vector choose the copy; without a bit it is the parent's first.
  void set_bit(const Meiosis& meiosis, unsigned bit) { from_[meiosis.child][meiosis.copy].bit = bit; }

  void follow(std::uint32_t vector) {
    for (const std::size_t i : order_)
      for (std::size_t copy = 0; copy < 2; ++copy)
        if (const auto& [parent, bit] = from_[i][copy]; parent)
          own_[i][copy] = own_[*parent][bit ? vector >> *bit & 1 : 0];
  }

  std::size_t size() const { return n_; }
  const std::array<std::size_t, 2>& of(std::size_t member) const { return own_[member]; }

 private:
  struct From {
    std::optional<std::size_t> parent;
    std::optional<unsigned> bit;
  };
  std::vector<std::size_t> order_;
  std::vector<std::array<From, 2>> from_;
  std::vector<std::array<std::size_t, 2>> own_;
  std::size_t n_ = 0;
};

PatternKey key_of(const Alleles& alleles, std::span<const std::size_t> read) {
  std::vector<Carriers> carriers(alleles.size());
  for (std::size_t place = 0; place < read.size(); ++place) {
    const auto& [first, second] = alleles.of(read[place]);
    const std::uint64_t person = std::uint64_t{1} << place;
    if (first == second)
      carriers[first].second |= person;
    else
      for (const std::size_t allele : {first, second}) carriers[allele].first |= person;
  }
  std::erase(carriers, Carriers{});
  std::ranges::sort(carriers);
  return carriers;
}

/// The alleles of each component, sorted.
std::vector<PatternKey> components_of_key(PatternKey alleles) {
  std::vector<PatternKey> components;
  while (!alleles.empty()) {
    PatternKey& component = components.emplace_back(1, alleles.back());
    alleles.pop_back();
    std::uint64_t people = component[0].first | component[0].second;
    for (std::size_t i = 0; i < alleles.size();) {
      if (((alleles[i].first | alleles[i].second) & people) == 0) {
        ++i;
        continue;
      }
      people |= alleles[i].first | alleles[i].second;
      component.push_back(alleles[i]);
      alleles.erase(alleles.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
    std::ranges::sort(component);
  }
  return components;
}

AlleleComponent component_of(const PatternKey& alleles) {
  std::map<std::size_t, std::vector<std::size_t>> held;  // by person
  for (std::size_t allele = 0; allele < alleles.size(); ++allele) {
    const auto& [once, twice] = alleles[allele];
    for (std::uint64_t people = once | twice; people != 0; people &= people - 1) {
      std::vector<std::size_t>& of = held[static_cast<std::size_t>(std::countr_zero(people))];
      of.insert(of.end(), (twice >> std::countr_zero(people) & 1) != 0 ? 2 : 1, allele);
    }
  }
  AlleleComponent component{.n_alleles = alleles.size(), .people = {}};
  for (const auto& [place, own] : held) component.people.push_back({place, {own[0], own[1]}});
  return component;
}

}  // namespace

unsigned Inheritance::bits_of(std::span<const Descent> members) {
  const std::vector<bool> needed = needed_of(members);
  const auto meioses = meioses_of(members, needed);
  unsigned bits = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!meioses[i].empty())
      bits += static_cast<unsigned>(meioses[i].size()) - (is_founder(members[i]) ? 1 : 0);
  return bits;
}

/// People who share alleles are related, and each one but the first has an allele that an earlier one has.
std::size_t Inheritance::most_alleles(std::span<const Descent> members) {
  const std::vector<bool> needed = needed_of(members);
  const auto meioses = meioses_of(members, needed);
  const std::vector<std::size_t> related = related_of(members, needed);
  std::vector<std::size_t> alleles(members.size()), read(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!needed[i]) continue;
    const std::size_t seen = members[i].read ? 2 : std::min<std::size_t>(2, meioses[i].size());
    alleles[related[i]] += is_founder(members[i]) ? seen : !members[i].father || !members[i].mother ? 1 : 0;
    read[related[i]] += members[i].read ? 1 : 0;
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < members.size(); ++i) most = std::max(most, std::min(alleles[i], read[i] + 1));
  return most;
}

Inheritance::Inheritance(std::span<const Descent> members) {
  const std::vector<bool> needed = needed_of(members);
  Alleles alleles(members, needed);
  const auto meioses = meioses_of(members, needed);
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::uint32_t others = 0;
    for (std::size_t m = is_founder(members[i]) ? 1 : 0; m < meioses[i].size(); ++m) {
      alleles.set_bit(meioses[i][m], bits_);
      moves_.push_back(std::uint32_t{1} << bits_++);
      others |= moves_.back();
    }
    if (is_founder(members[i]) && others != 0) moves_.push_back(others);
  }
  std::vector<std::size_t> read;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].read) read.push_back(i);
  n_read_ = read.size();
  std::map<PatternKey, std::uint32_t> patterns, components;
  for (std::uint32_t vector = 0; vector < n_vectors(); ++vector) {
    alleles.follow(vector);
    const auto [at, is_new] =
        patterns.try_emplace(key_of(alleles, read), static_cast<std::uint32_t>(patterns.size()));
    pattern_of_.push_back(at->second);
    if (!is_new) continue;
    std::vector<std::uint32_t>& own = patterns_.emplace_back();
    for (const PatternKey& key : components_of_key(at->first)) {
      const auto [component, is_first] =
          components.try_emplace(key, static_cast<std::uint32_t>(components_.size()));
      if (is_first) components_.push_back(component_of(key));
      own.push_back(component->second);
    }
  }
}

}  // namespace fastid::linked
