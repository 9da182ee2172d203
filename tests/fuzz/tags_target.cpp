// An expression of tags; one that is taken answers for every value, of the key that it asks for.
#include <cstdlib>

#include "db/choice/tag_expression.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using Kind = fastid::db::TagExpression::Kind;

/// What it says of a profile whose tags all have this value.
bool holds(const fastid::db::TagExpression::Node& node, const std::string& value) {
  switch (node.kind) {
    case Kind::kNot:
      return !holds(*node.left, value);
    case Kind::kAnd:
      return holds(*node.left, value) && holds(*node.right, value);
    case Kind::kOr:
      return holds(*node.left, value) || holds(*node.right, value);
    default:
      if (node.key.empty()) std::abort();
      return node.passes(value);
  }
}

}  // namespace

FASTID_FUZZ_TARGET {
  using namespace fastid;
  fuzz::may_refuse([&] {
    const db::TagExpression expression(bytes);
    for (const char* const value : {"", "FORCE", "7", "-1e300", "2031-01-31"})
      holds(expression.root(), value);
  });
}
