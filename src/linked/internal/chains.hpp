/// \file
/// Each relation as a hidden Markov chain along a chromosome. A state is a number whose bits say which way
/// stretches came; bit 0 means "equal", or "on the line". From site to site a move exchanges states: with
/// probability r where one meiosis may cross over, and 2 r (1 - r) where one of two meioses of one parent
/// may.
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
#include <cstdint>
#include <vector>

#include "linked/relations.hpp"

namespace fastid::linked {

inline constexpr std::size_t kMostStates = 64;

struct Move {
  bool of_two = false;                                 ///< one of two meioses crosses over, not of one
  std::vector<std::array<std::uint8_t, 2>> exchanged;  ///< pairs of states; the others stay
};

struct Chain {
  std::vector<std::uint8_t> ibd;                 ///< [state]: alleles identical by descent
  std::vector<Move> moves;                       ///< they commute
  std::vector<std::uint8_t> one = {}, two = {};  ///< the states with 1 and 2

  std::size_t states() const { return ibd.size(); }
};

const Chain& chain_of(Relation relation);

}  // namespace fastid::linked
