/// \file
/// An expression that chooses profiles by their tags: kit=FORCE && (consent=yes || consent=research) &&
/// !expiry<2027-01-01
///
///   either   = both { "||" both }
///   both     = one { "&&" one }
///   one      = "!" one | "(" either ")" | KEY [ OPERATOR VALUE ]
///   OPERATOR = "=" | "==" | "!=" | "<" | "<=" | ">" | ">="
///   VALUE    = letters, digits and any of _ . : / + - @ #, or any text in '...' or "..."
///
/// KEY alone: the profile has a value. Where a profile has no value, = and the four orders fail and != holds.
/// Values are ordered as numbers where both are numbers, else as text, which is right for dates (2031-01-31).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fastid::db {

class TagExpression {
 public:
  /// \throws UsageError "--only, character 7: ..."
  explicit TagExpression(std::string_view text);
  ~TagExpression();
  TagExpression(TagExpression&&) noexcept;

  enum class Kind { kTest, kNot, kAnd, kOr };
  struct Node {
    Kind kind = Kind::kTest;
    std::string key;                                       ///< of a test
    std::function<bool(const std::string& value)> passes;  ///< of a test; value "": none
    std::unique_ptr<Node> left, right;                     ///< kNot has the left one alone
  };
  const Node& root() const { return *root_; }

 private:
  std::unique_ptr<Node> root_;
};

}  // namespace fastid::db
