#include "questions/dvi/event/table.hpp"

#include <algorithm>

namespace fastid::dvi {

bool is_named(const Missing& of) {
  return of.conclusion == Conclusion::kUndisputed || of.conclusion == Conclusion::kJoint ||
         of.conclusion == Conclusion::kSymmetric;
}

std::size_t Table::n_named() const {
  std::size_t n = 0;
  for (std::size_t m = 0; m < findings.missing.size(); ++m) {
    const Missing& of = findings.missing[m];
    if (of.conclusion == Conclusion::kSymmetric)
      n += m == of.alike.front() ? std::min(of.n_best, of.alike.size()) : 0;
    else
      n += is_named(of) ? 1 : 0;
  }
  return n;
}

std::string Table::name_of_person(std::size_t person) const {
  std::string name;
  for (const std::size_t i : findings.people[person].remains) name += (name.empty() ? "" : "+") + remains[i];
  return name;
}

}  // namespace fastid::dvi
