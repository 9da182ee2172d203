/// \file
/// Each relation as a hidden Markov chain along a chromosome. A state is a number whose bits say how
/// stretches were inherited; a bit of 0 means "equal", or "on the line". From site to site a move exchanges
/// states: with probability r where one meiosis may cross over, and 2 r (1 - r) where one of two meioses of
/// one parent may.
///
///   chain    bits                                     IBD 1 where       relations, n generations more
///   line     -                                        -                 parent-child, grandparent, ...
///   half     h: one allele of the common parent (2)   h = 0             half-sibling, half-avuncular, ...
///   uncle    c, o: the two siblings have one allele   c = 0             avuncular, grand-avuncular, ...
///            of the grandparent whom the line
///            follows, of the other one (2 each);
///            the line changes grandparents: c and o
///            are exchanged (1)
///   cousin   c, o as in uncle of one line, d: the     c = d = 0         first-cousin, once removed,
///            lines follow different grandparents                        second-cousin
///            (1); the line changes: c and o are
///            exchanged, d turns (1)
///
/// (1): with probability r; (2): with 2 r (1 - r). Each generation more is a bit (1) that has to be 0.
/// Two independent chains side by side give siblings (half + half), three-quarter siblings (half + cousin)
/// and double first cousins (cousin + cousin): their IBD adds up.
///
/// Source. Symmetries of inheritance vectors: P. Mostad, A. Tillmar, D. Kling, Improved computations for
/// relationship inference using low-coverage sequencing data, BMC Bioinformatics 24 (2023).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "linked/relations.hpp"

namespace fastid::linked {

inline constexpr std::size_t kMostStates = 64, kMostMoves = 8;

/// A move exchanges states in pairs; the others stay.
struct Move {
  bool of_two = false;    ///< one of two meioses crosses over, instead of a single one
  std::size_t pairs = 0;  ///< number of pairs
  std::array<std::array<std::uint8_t, 2>, kMostStates / 2> exchanged{};
};

struct Chain {
  std::size_t states = 1;
  std::array<std::uint8_t, kMostStates> ibd{};  ///< [state]: alleles identical by descent
  std::size_t n_moves = 0;
  std::array<Move, kMostMoves> moves{};  ///< they commute
};

namespace chains {

using StateOf = std::size_t (*)(std::size_t state);

template <unsigned kBit>
constexpr std::size_t turn(std::size_t state) {
  return state ^ std::size_t{1} << kBit;
}
constexpr std::size_t exchange_lowest_two(std::size_t state) {
  return state ^ (((state ^ state >> 1) & 1) * 3);
}
constexpr std::size_t change_line(std::size_t state) {
  return turn<2>(exchange_lowest_two(state));
}

/// Adds the move that takes each own state to to(state). `to` is its own inverse. The states of chains side
/// by side, at other strides, stay as they are.
constexpr void add_move(Chain& chain, bool of_two, StateOf to, std::size_t own_states, std::size_t stride) {
  Move& move = chain.moves[chain.n_moves++];
  move.of_two = of_two;
  for (std::size_t state = 0; state < chain.states; ++state) {
    const std::size_t own = state / stride % own_states, other = state + (to(own) - own) * stride;
    if (state < other)
      move.exchanged[move.pairs++] = {static_cast<std::uint8_t>(state), static_cast<std::uint8_t>(other)};
  }
}

enum class Shape { kLine, kHalf, kUncle, kCousin };

constexpr std::size_t states_of(Shape shape, unsigned generations) {
  const unsigned bits[] = {0, 1, 2, 3};
  return std::size_t{1} << (bits[static_cast<std::size_t>(shape)] + generations);
}

/// Whether a state shares an allele. Bit 1 of uncles and cousins concerns the grandparent whom the line does
/// not follow.
constexpr bool shares(Shape shape, std::size_t state) {
  return shape == Shape::kUncle || shape == Shape::kCousin ? (state & ~std::size_t{2}) == 0 : state == 0;
}

/// Adds one line of descent to a chain that has its states already, beside others.
constexpr void add_line(Chain& chain, Shape shape, unsigned generations, std::size_t stride) {
  const std::size_t own = states_of(shape, generations);
  for (std::size_t state = 0; state < chain.states; ++state)
    chain.ibd[state] = static_cast<std::uint8_t>(chain.ibd[state] + shares(shape, state / stride % own));
  constexpr bool kOne = false, kTwo = true;
  if (shape != Shape::kLine) add_move(chain, kTwo, turn<0>, own, stride);
  if (shape == Shape::kUncle || shape == Shape::kCousin) add_move(chain, kTwo, turn<1>, own, stride);
  if (shape == Shape::kUncle) add_move(chain, kOne, exchange_lowest_two, own, stride);
  if (shape == Shape::kCousin) add_move(chain, kOne, change_line, own, stride);
  if (shape == Shape::kCousin) add_move(chain, kOne, turn<2>, own, stride);
  constexpr StateOf kTurns[] = {turn<0>, turn<1>, turn<2>, turn<3>, turn<4>};
  const auto first = static_cast<std::size_t>(shape);  // a shape has as many bits as its place in the enum
  for (std::size_t bit = first; bit < first + generations; ++bit)
    add_move(chain, kOne, kTurns[bit], own, stride);
}

constexpr Chain one(Shape shape, unsigned generations) {
  Chain chain;
  chain.states = states_of(shape, generations);
  add_line(chain, shape, generations, 1);
  return chain;
}

/// Two lines of descent, one to each of a person's alleles.
constexpr Chain both(Shape first, Shape second) {
  Chain chain;
  chain.states = states_of(first, 0) * states_of(second, 0);
  add_line(chain, first, 0, 1);
  add_line(chain, second, 0, states_of(first, 0));
  return chain;
}

constexpr Chain same() {
  Chain chain;
  chain.ibd[0] = 2;
  return chain;
}

constexpr Chain make(Relation relation) {
  using enum Shape;
  switch (relation) {
    case Relation::kSame:
      return same();
    case Relation::kParentChild:
      return one(kLine, 0);
    case Relation::kSibling:
      return both(kHalf, kHalf);
    case Relation::kThreeQuarterSibling:
      return both(kHalf, kCousin);
    case Relation::kHalfSibling:
      return one(kHalf, 0);
    case Relation::kGrandparent:
      return one(kLine, 1);
    case Relation::kAvuncular:
      return one(kUncle, 0);
    case Relation::kDoubleFirstCousin:
      return both(kCousin, kCousin);
    case Relation::kFirstCousin:
      return one(kCousin, 0);
    case Relation::kGreatGrandparent:
      return one(kLine, 2);
    case Relation::kHalfAvuncular:
      return one(kHalf, 1);
    case Relation::kGrandAvuncular:
      return one(kUncle, 1);
    case Relation::kFirstCousinOnceRemoved:
      return one(kCousin, 1);
    case Relation::kHalfFirstCousin:
      return one(kHalf, 2);
    case Relation::kGreatGreatGrandparent:
      return one(kLine, 3);
    case Relation::kGreatGrandAvuncular:
      return one(kUncle, 2);
    case Relation::kSecondCousin:
      return one(kCousin, 2);
    case Relation::kHalfFirstCousinOnceRemoved:
      return one(kHalf, 3);
    case Relation::kGreatGreatGrandAvuncular:
      break;
  }
  return one(kUncle, 3);
}

}  // namespace chains

/// The chain of a relation, known at compile time, so that each chain's passes are unrolled.
template <Relation kRelation>
inline constexpr Chain kChain = chains::make(kRelation);

}  // namespace fastid::linked
