#include "linked/internal/chains.hpp"

#include <functional>
#include <utility>

namespace fastid::linked {
namespace {

/// A chain while it is put together: moves as permutations.
struct Draft {
  std::vector<std::uint8_t> ibd;
  struct Permutation {
    bool of_two;
    std::vector<std::size_t> to;
  };
  std::vector<Permutation> moves;
};

using StateOf = std::function<std::size_t(std::size_t)>;

constexpr bool kOneMeiosis = false, kTwoMeioses = true;

StateOf turning(unsigned bit) {
  return [bit](std::size_t state) { return state ^ std::size_t{1} << bit; };
}

std::size_t exchange_lowest_two(std::size_t state) {
  return state ^ (((state ^ state >> 1) & 1) * 3);
}

/// \param ibd  whether an allele is identical by descent; \param generations  more, a bit each above `bits`
Draft draft(unsigned bits, unsigned generations, const std::function<bool(std::size_t)>& ibd,
            std::vector<std::pair<StateOf, bool>> moves) {
  for (unsigned n = 0; n < generations; ++n) moves.push_back({turning(bits + n), kOneMeiosis});
  Draft chain;
  const std::size_t states = std::size_t{1} << (bits + generations);
  for (std::size_t state = 0; state < states; ++state) chain.ibd.push_back(ibd(state) ? 1 : 0);
  for (const auto& [to, of_two] : moves) {
    Draft::Permutation& move = chain.moves.emplace_back(Draft::Permutation{of_two, {}});
    for (std::size_t state = 0; state < states; ++state) move.to.push_back(to(state));
  }
  return chain;
}

bool is_zero(std::size_t state) {
  return state == 0;
}
/// But for bit 1, which is about the grandparent whom the line does not follow.
bool is_zero_but_other(std::size_t state) {
  return (state & ~std::size_t{2}) == 0;
}

Draft line(unsigned generations) {
  return draft(0, generations, is_zero, {});
}
Draft half(unsigned generations) {
  return draft(1, generations, is_zero, {{turning(0), kTwoMeioses}});
}
Draft uncle(unsigned generations) {
  return draft(2, generations, is_zero_but_other,
               {{turning(0), kTwoMeioses}, {turning(1), kTwoMeioses}, {exchange_lowest_two, kOneMeiosis}});
}
Draft cousin(unsigned generations) {
  const auto other_line = [](std::size_t state) { return exchange_lowest_two(state) ^ 4; };
  return draft(3, generations, is_zero_but_other,
               {{turning(0), kTwoMeioses},
                {turning(1), kTwoMeioses},
                {other_line, kOneMeiosis},
                {turning(2), kOneMeiosis}});
}

/// Two lines of descent, one to each of a person's alleles: state = state of the first + its number of states
/// times that of the second.
Draft both(const Draft& first, const Draft& second) {
  const std::size_t n = first.ibd.size();
  Draft joined;
  for (const std::uint8_t ibd : second.ibd)
    for (const std::uint8_t other : first.ibd) joined.ibd.push_back(static_cast<std::uint8_t>(ibd + other));
  for (const auto& [of_two, to] : first.moves) {
    auto& move = joined.moves.emplace_back(Draft::Permutation{of_two, {}});
    for (std::size_t state = 0; state < joined.ibd.size(); ++state)
      move.to.push_back(to[state % n] + state / n * n);
  }
  for (const auto& [of_two, to] : second.moves) {
    auto& move = joined.moves.emplace_back(Draft::Permutation{of_two, {}});
    for (std::size_t state = 0; state < joined.ibd.size(); ++state)
      move.to.push_back(state % n + to[state / n] * n);
  }
  return joined;
}

Draft draft_of(Relation relation) {
  switch (relation) {
    case Relation::kSame:
      return {{2}, {}};
    case Relation::kParentChild:
      return line(0);
    case Relation::kSibling:
      return both(half(0), half(0));
    case Relation::kThreeQuarterSibling:
      return both(half(0), cousin(0));
    case Relation::kHalfSibling:
      return half(0);
    case Relation::kGrandparent:
      return line(1);
    case Relation::kAvuncular:
      return uncle(0);
    case Relation::kDoubleFirstCousin:
      return both(cousin(0), cousin(0));
    case Relation::kFirstCousin:
      return cousin(0);
    case Relation::kGreatGrandparent:
      return line(2);
    case Relation::kHalfAvuncular:
      return half(1);
    case Relation::kGrandAvuncular:
      return uncle(1);
    case Relation::kFirstCousinOnceRemoved:
      return cousin(1);
    case Relation::kHalfFirstCousin:
      return half(2);
    case Relation::kGreatGreatGrandparent:
      return line(3);
    case Relation::kGreatGrandAvuncular:
      return uncle(2);
    case Relation::kSecondCousin:
      return cousin(2);
    case Relation::kHalfFirstCousinOnceRemoved:
      return half(3);
    case Relation::kGreatGreatGrandAvuncular:
      break;
  }
  return uncle(3);
}

Chain chain_from(Draft draft) {
  Chain chain{.ibd = std::move(draft.ibd), .moves = {}};
  for (std::size_t state = 0; state < chain.states(); ++state) {
    if (chain.ibd[state] == 1) chain.one.push_back(static_cast<std::uint8_t>(state));
    if (chain.ibd[state] == 2) chain.two.push_back(static_cast<std::uint8_t>(state));
  }
  for (const auto& [of_two, to] : draft.moves) {
    Move& move = chain.moves.emplace_back(Move{of_two, {}});
    for (std::size_t state = 0; state < to.size(); ++state)
      if (state < to[state])
        move.exchanged.push_back({static_cast<std::uint8_t>(state), static_cast<std::uint8_t>(to[state])});
  }
  return chain;
}

}  // namespace

const Chain& chain_of(Relation relation) {
  static const std::array<Chain, kRelations> chains = [] {
    std::array<Chain, kRelations> all;
    for (const Relation each : all_relations())
      all[static_cast<std::size_t>(each)] = chain_from(draft_of(each));
    return all;
  }();
  return chains[static_cast<std::size_t>(relation)];
}

}  // namespace fastid::linked
