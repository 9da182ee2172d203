/// \file
/// How alleles may have come down in a family at one place of the genome: its inheritance vectors.
///
/// A vector has a bit for each meiosis: which of the parent's two alleles was passed on. Two symmetries lower
/// the number of bits. Members are left out if nothing is read of them and of their descendants. And the two
/// alleles of a founder may be exchanged, so that the first meiosis of each founder is 0: where it crosses
/// over, all the founder's other meioses are flipped instead. So
///
///   bits = meioses from listed parents to the members who are left - founders among these parents
///
/// Given a vector, all that matters is which alleles of the read members are identical: vectors that agree in
/// this have one pattern.
///
/// Source. E. Lander, P. Green, Construction of multilocus genetic linkage maps in humans, PNAS 84 (1987);
/// founders' symmetry: L. Kruglyak et al., Parametric and nonparametric linkage analysis, AJHG 58 (1996).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fastid::linked {

/// A member of a family; parents are places of members. A parent with no value is somebody unlisted, another
/// one for each child.
struct Descent {
  std::optional<std::size_t> father, mother;
  bool read = false;  ///< something may be read of the member; true for at most 64 of a family
};

/// People who share alleles, directly or through others of the component.
struct AlleleComponent {
  struct Person {
    std::size_t place = 0;  ///< place among the members who are read, in their order
    std::array<std::size_t, 2> alleles{};
  };
  std::size_t n_alleles = 0;
  std::vector<Person> people;
};

class Inheritance {
 public:
  /// 2^bits_of(members) vectors. \param members  nobody is an own ancestor
  explicit Inheritance(std::span<const Descent> members);

  static unsigned bits_of(std::span<const Descent> members);
  /// An upper bound of the alleles of a component, for any vector.
  static std::size_t most_alleles(std::span<const Descent> members);

  unsigned bits() const { return bits_; }
  std::size_t n_vectors() const { return std::size_t{1} << bits_; }
  /// For each meiosis, a mask of the bits that are flipped where it crosses over.
  std::span<const std::uint32_t> moves() const { return moves_; }
  /// [vector]: its pattern.
  std::span<const std::uint32_t> pattern_of() const { return pattern_of_; }

  std::size_t n_patterns() const { return patterns_.size(); }
  /// Indices into components().
  std::span<const std::uint32_t> components_of(std::size_t pattern) const { return patterns_[pattern]; }
  std::span<const AlleleComponent> components() const { return components_; }
  std::size_t n_read() const { return n_read_; }

 private:
  unsigned bits_ = 0;
  std::vector<std::uint32_t> moves_, pattern_of_;
  std::vector<std::vector<std::uint32_t>> patterns_;
  std::vector<AlleleComponent> components_;
  std::size_t n_read_ = 0;
};

}  // namespace fastid::linked
