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

std::string query_text(const engine::Product& product) {
  return plane_text(product.query, "q", "m");
}
std::string stored_text(const engine::Product& product) {
  return plane_text(product.stored, "d", "c");
}
std::string sites_text(const engine::Product& product) {
  return fmt::format("({} & {})", query_text(product), stored_text(product));
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
      text += fmt::format(" X({}, {}, {}, {})", i++, term.weight, query_text(product), stored_text(product));
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

}  // namespace

std::string case_macros(engine::KernelCase which) {
  if (!engine::counts_both_alleles(which)) return "";
  const engine::Terms terms = engine::terms_of(which);
  std::string denominators, own_bits;
  for (std::size_t i = 0; i < terms.n_denominator; ++i) {
    denominators += fmt::format(" X({}, {})", i, sites_text(terms.denominator[i]));
    own_bits += fmt::format(" X({}, {})", i, stored_text(terms.denominator[i]));
  }
  return fmt::format(
      "#define BY_TABLE\n"
      "#define QUERY_PLANES 2\n"
      "#define READS_SECOND\n"
      "#define TERMS {}\n"
      "#define FOR_TERMS(X, d, c, q, m){}\n"
      "#define FOR_PRODUCTS(X, d, c, q, m){}\n"
      "#define FOR_DENOMINATORS(X, d, c, q, m){}\n"
      "#define FOR_OWN_BITS(X, d, c){}\n"
      "#define LESSER {:d}\n",
      terms.n_count, terms_text(terms), products_text(terms), denominators, own_bits, terms.lesser);
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
      "#define STORED 2\n"
      "#define PLANES {}\n"
      "#define SUMS {}\n"
      "#define FOR_PLANES(X, minor, major){}\n"
      "#define FOR_PRODUCTS(X){}\n",
      multiplied.planes.size(), sums.n, planes, products);
}

std::size_t planes_multiplied(engine::LdUnit unit, bool all_called) {
  return products_of_sites(engine::sums_of(unit, all_called, false)).planes.size();
}

}  // namespace fastid::opencl
