#include "opencl/kernel/case_macros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fastid::opencl {
namespace {

// A plane of a profile whose words of minor and of major alleles seen have these names.
std::string plane_text(engine::Plane plane, std::string_view minor, std::string_view major) {
  switch (plane) {
    case engine::Plane::kMinor:
      return fmt::format("({})", minor);
    case engine::Plane::kNoMinor:
      return fmt::format("(({}) & ~({}))", major, minor);
    case engine::Plane::kMajor:
      return fmt::format("({})", major);
    case engine::Plane::kNoMajor:
      return fmt::format("(({}) & ~({}))", minor, major);
    case engine::Plane::kBoth:
      return fmt::format("(({}) & ({}))", minor, major);
    case engine::Plane::kHomozygous:
      return fmt::format("(({}) ^ ({}))", minor, major);
    case engine::Plane::kCalled:
      return fmt::format("(({}) | ({}))", minor, major);
  }
  throw Failure("an unknown plane");
}

/// \param second  the name of the query's second word: m in pair.h, r in compare_matrix.cl
std::string query_text(const engine::Product& product, std::string_view second) {
  return plane_text(product.query, "q", second);
}
std::string stored_text(const engine::Product& product) {
  return plane_text(product.stored, "d", "c");
}
std::string sites_text(const engine::Product& product) {
  return fmt::format("({} & {})", query_text(product, "m"), stored_text(product));
}

// The words of a term's products, none of whose bits are in both.
std::string term_text(const engine::Term& term) {
  std::string word;
  for (const engine::Product& product : term.all()) word += (word.empty() ? "" : " | ") + sites_text(product);
  return word;
}

std::string terms_text(const engine::Terms& terms) {
  std::string text;
  for (std::size_t i = 0; i < terms.n_count; ++i) {
    if (terms.count[i].weight > 2) throw Failure("compare.cl adds a term once or twice");
    text += fmt::format(" X({}, {}, {})", i, terms.count[i].weight, term_text(terms.count[i]));
  }
  return text;
}

std::string products_text(const engine::Terms& terms) {
  std::string text;
  std::size_t i = 0;
  for (const engine::Term& term : terms.counted())
    for (const engine::Product& product : term.all())
      text +=
          fmt::format(" X({}, {}, {}, {})", i++, term.weight, query_text(product, "r"), stored_text(product));
  return text;
}

// A product of planes, by their places in LdProducts::planes, and the sum that it is added to.
struct LdProduct {
  std::size_t sum, first, second;
};

// What ld_matrix.cl multiplies for the sums of a pair of sites: planes, each once, and products of weight 1.
struct LdProducts {
  std::vector<engine::Plane> planes;
  std::vector<LdProduct> products;

  std::size_t place_of(engine::Plane plane) {
    const auto at = std::find(planes.begin(), planes.end(), plane);
    const auto place = static_cast<std::size_t>(at - planes.begin());
    if (at == planes.end()) planes.push_back(plane);
    return place;
  }
};

LdProducts products_of_sites(const engine::LdSums& sums) {
  LdProducts multiplied;
  for (std::size_t i = 0; i < sums.n; ++i)
    for (const engine::Term& term : sums.sums[i].all()) {
      if (term.weight != 1) throw Failure("ld_matrix.cl adds a product once");
      for (const engine::Product& product : term.all()) {
        const std::size_t first = multiplied.place_of(product.query);
        multiplied.products.push_back({i, first, multiplied.place_of(product.stored)});
      }
    }
  return multiplied;
}

// What is counted by minor alleles, of words d, c, q and m as KernelCase has them. No denominator: it is the
// query's own.
struct BitCase {
  std::string_view count, denominator = "";
};
BitCase bit_case(engine::KernelCase which) {
  using enum engine::KernelCase;
  switch (which) {
    case kDiffer:
      return {"((d) ^ (q))"};
    case kDifferQueryMask:
      return {"(((d) & (m)) ^ (q))"};
    case kDifferStoredMask:
      return {"(((c) & (q)) ^ (d))", "(c)"};
    case kDifferBothMasks:
      return {"(((d) ^ (q)) & (m) & (c))", "((c) & (m))"};
    case kInside:
      return {"((d) & (q))", "(d)"};
    case kInsideMasked:
      return {"((d) & (q))", "((d) & (m))"};
    case kMissing:
      return {"(~(d) & (q))"};
    case kMissingMasked:
      return {"(((c) ^ (d)) & (q))", "((c) & (q))"};
    default:
      throw Failure("both alleles are counted by the table");
  }
}

// The macros of both kinds of case that say what is read.
std::string reading_macros(engine::KernelCase which) {
  return fmt::format("#define QUERY_PLANES {}\n{}", engine::query_words(which),
                     engine::reads_second(which) ? "#define READS_SECOND\n" : "");
}

std::string bit_macros(engine::KernelCase which) {
  const auto [count, denominator] = bit_case(which);
  std::string text = fmt::format(
      "#define TERMS 1\n"
      "#define FOR_TERMS(X, d, c, q, m) X(0, 1, {})\n"
      "#define FOR_OWN_BITS(X, d, c) X(0, {})\n"
      "#define LESSER 0\n",
      count, engine::reads_second(which) ? "c" : "d");
  if (!denominator.empty())
    text += fmt::format(
        "#define DENOMINATOR(d, c, q, m) {}\n"
        "#define FOR_DENOMINATORS(X, d, c, q, m) X(0, DENOMINATOR(d, c, q, m))\n",
        denominator);
  if (which <= engine::KernelCase::kDifferBothMasks) text += "#define COMPARED_IS_DENOMINATOR\n";
  return text;
}

std::string table_macros(const engine::Terms& terms) {
  std::string denominators, own_bits;
  for (std::size_t i = 0; i < terms.n_denominator; ++i) {
    denominators += fmt::format(" X({}, {})", i, sites_text(terms.denominator[i]));
    own_bits += fmt::format(" X({}, {})", i, stored_text(terms.denominator[i]));
  }
  return fmt::format(
      "#define BY_TABLE\n"
      "#define TERMS {}\n"
      "#define FOR_TERMS(X, d, c, q, m){}\n"
      "#define FOR_DENOMINATORS(X, d, c, q, m){}\n"
      "#define FOR_OWN_BITS(X, d, c){}\n"
      "#define LESSER {:d}\n",
      terms.n_count, terms_text(terms), denominators, own_bits, terms.lesser);
}

}  // namespace

std::string case_macros(engine::KernelCase which) {
  return reading_macros(which) +
         (engine::counts_both_alleles(which) ? table_macros(engine::terms_of(which)) : bit_macros(which));
}

// Bits are 0 where called is 0:
//
//   kDiffer              |q| + |d| - 2|q & d|, of which the query and the profile say all but the product
//   kDifferQueryMask     bounded the same; else |q & ~d| + |r & d|
//   kDifferStoredMask, kDifferBothMasks  |q & ~d & c| + |r & d|
MatrixCase matrix_case(engine::KernelCase which, bool exact) {
  using enum engine::KernelCase;
  static constexpr std::string_view d = "(d)", c = "(c)", not_d = "(~(d))", called_not_d = "((c) ^ (d))";
  switch (which) {
    case kDiffer:
      return {.with_q = d, .own = d, .similar = true};
    case kDifferQueryMask:
      if (exact) return {.with_q = not_d, .with_r = d, .planes = 2, .loaded = 2};
      return {.with_q = d, .own = d, .similar = true, .planes = 2};
    case kDifferStoredMask:
      return {.with_q = called_not_d, .with_r = d, .own = c, .planes = 2, .loaded = 2};
    case kDifferBothMasks:
      if (!exact) return matrix_case(kDifferStoredMask, false);
      return {.with_q = called_not_d,
              .with_r = d,
              .denominator_query = "((q) | (r))",
              .denominator_stored = c,
              .planes = 2,
              .loaded = 2};
    case kInside:
      return {.with_q = d, .own = d};
    case kInsideMasked:
      if (!exact) return {.with_q = d, .own = d, .planes = 2};
      return {.with_q = d,
              .denominator_query = "(r)",
              .denominator_stored = d,
              .adds_count = true,
              .planes = 2,
              .loaded = 2};
    case kMissing:
      return {.with_q = not_d};
    case kMissingMasked:
      return {.with_q = called_not_d, .denominator_query = "(q)", .denominator_stored = c};
    default:  // the table has the products, which need both words
      return {.with_q = "", .planes = 2, .loaded = 2};
  }
}

std::string matrix_macros(engine::KernelCase which, bool exact) {
  const MatrixCase made = matrix_case(which, exact);
  const bool by_table = engine::counts_both_alleles(which);
  std::string products =
      by_table ? products_text(engine::terms_of(which)) : fmt::format(" X(0, 1, q, {})", made.with_q);
  if (!made.with_r.empty()) products += fmt::format(" X(1, 1, r, {})", made.with_r);
  std::string text = fmt::format(
      "#define PLANES {}\n"
      "#define PLANES_LOADED {}\n"
      "#define FOR_PRODUCTS(X, d, c, q, r){}\n"
      "#define ADDS_COUNT {:d}\n",
      made.planes, made.loaded, products, made.adds_count);
  if (by_table)
    text +=
        "#define OWN_PLANE\n";  // without arguments: the planes are several, and count_own_bits() has them
  else if (!made.own.empty())
    text += fmt::format("#define OWN_PLANE(d, c) {}\n", made.own);
  if (!made.denominator_query.empty())
    text += fmt::format("#define DENOMINATOR_QUERY(q, r) {}\n#define DENOMINATOR_STORED(d, c) {}\n",
                        made.denominator_query, made.denominator_stored);
  return text;
}

std::string ld_macros(engine::LdUnit unit, bool all_called, bool weighed) {
  const engine::LdSums sums = engine::sums_of(unit, all_called, weighed);
  std::string words;
  for (std::size_t i = 0; i < sums.n; ++i)
    for (const engine::Term& term : sums.sums[i].all())
      words += fmt::format(" X({}, {}, {})", i, term.weight, term_text(term));
  const std::size_t planes = engine::planes_read(unit, all_called);
  return fmt::format(
      "#define QUERY_PLANES {}\n"
      "{}"
      "#define SUMS {}\n"
      "#define FOR_TERMS(X, d, c, q, m){}\n",
      planes, planes == 2 ? "#define READS_SECOND\n#define SECOND_OF(d, second) (second)\n" : "", sums.n,
      words);
}

std::string ld_product_macros(engine::LdUnit unit, bool all_called) {
  const engine::LdSums sums = engine::sums_of(unit, all_called, false);
  const LdProducts multiplied = products_of_sites(sums);
  std::string planes, products;
  for (std::size_t i = 0; i < multiplied.planes.size(); ++i)
    planes += fmt::format(" X({}, {})", i, plane_text(multiplied.planes[i], "minor", "major"));
  for (const LdProduct& product : multiplied.products)
    products += fmt::format(" X({}, {}, {})", product.sum, product.first, product.second);
  return fmt::format(
      "#define STORED_PLANES 2\n"
      "#define MULTIPLIED_PLANES {}\n"
      "#define SUMS {}\n"
      "#define FOR_PLANES(X, minor, major){}\n"
      "#define FOR_ROW_PRODUCTS(X){}\n",
      multiplied.planes.size(), sums.n, planes, products);
}

std::size_t planes_multiplied(engine::LdUnit unit, bool all_called) {
  return products_of_sites(engine::sums_of(unit, all_called, false)).planes.size();
}

}  // namespace fastid::opencl
