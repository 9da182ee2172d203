#include "db/choice/tag_expression.hpp"

#include <fmt/format.h>

#include <compare>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::db {
namespace {

using Node = TagExpression::Node;
using Kind = TagExpression::Kind;

constexpr std::size_t kDeepest = 100;     ///< brackets and "!" within each other
constexpr std::size_t kMostTests = 1000;  ///< each lies in the one before it

std::partial_ordering order_of(const std::string& a, const std::string& b) {
  const auto x = parse_number<double>(a), y = parse_number<double>(b);
  if (x && y) return *x <=> *y;
  return std::string_view(a) <=> std::string_view(b);
}

using Test = std::function<bool(const std::string&)>;

Test test_of(std::string_view op, std::string value) {
  if (op == "=" || op == "==") return [value](const std::string& of) { return of == value; };
  if (op == "!=") return [value](const std::string& of) { return of != value; };
  const auto ordered = [value = std::move(value)](auto holds) -> Test {
    return [value, holds](const std::string& of) { return !of.empty() && holds(order_of(of, value)); };
  };
  if (op == "<") return ordered([](std::partial_ordering order) { return std::is_lt(order); });
  if (op == "<=") return ordered([](std::partial_ordering order) { return std::is_lteq(order); });
  if (op == ">") return ordered([](std::partial_ordering order) { return std::is_gt(order); });
  return ordered([](std::partial_ordering order) { return std::is_gteq(order); });
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::unique_ptr<Node> parse() {
    auto all = either();
    skip_blanks();
    if (at_ < text_.size()) refuse("is not expected here");
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    const std::string what =
        at_ < text_.size() ? fmt::format("'{}' ", printable(text_.substr(at_), 20)) : std::string("the end ");
    throw UsageError(fmt::format("--only, character {}: {}{}; write it as 'kit=FORCE && consent=yes'",
                                 at_ + 1, what, problem));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::unique_ptr<Node> joined(Kind kind, std::unique_ptr<Node> left, std::unique_ptr<Node> right) const {
    return std::make_unique<Node>(Node{kind, "", nullptr, std::move(left), std::move(right)});
  }

  std::unique_ptr<Node> either() {
    auto left = both();
    while (take("||")) left = joined(Kind::kOr, std::move(left), both());
    return left;
  }

  std::unique_ptr<Node> both() {
    auto left = one();
    while (take("&&")) left = joined(Kind::kAnd, std::move(left), one());
    return left;
  }

  std::unique_ptr<Node> one() {
    if (++depth_ > kDeepest) refuse("is nested too deeply");
    std::unique_ptr<Node> node;
    if (take("!")) {
      node = joined(Kind::kNot, one(), nullptr);
    } else if (take("(")) {
      node = either();
      if (!take(")")) refuse("is where ')' should be");
    } else {
      node = test();
    }
    --depth_;
    return node;
  }

  std::unique_ptr<Node> test() {
    std::string key =
        word([](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    if (key.empty()) refuse("is where the name of a tag should be");
    if (++tests_ > kMostTests) refuse(fmt::format("is past {} tests", kMostTests));
    for (const std::string_view op : {"==", "!=", "<=", ">=", "=", "<", ">"})
      if (take(op)) return leaf(std::move(key), test_of(op, value()));
    return leaf(std::move(key), [](const std::string& of) { return !of.empty(); });
  }

  static std::unique_ptr<Node> leaf(std::string key, Test passes) {
    return std::make_unique<Node>(Node{Kind::kTest, std::move(key), std::move(passes), nullptr, nullptr});
  }

  template <class Fits>
  std::string word(const Fits& fits) {
    skip_blanks();
    const std::size_t from = at_;
    while (at_ < text_.size() && fits(text_[at_])) ++at_;
    return std::string(text_.substr(from, at_ - from));
  }

  std::string value() {
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) return quoted();
    std::string plain = word([](char c) {
      return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
             (c >= 'a' && c <= 'z') || std::string_view("_.:/+-@#").find(c) != std::string_view::npos;
    });
    if (plain.empty()) refuse("is where a value should be");
    return plain;
  }

  std::string quoted() {
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse("has no closing quote");
    std::string text(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return text;
  }

  std::string_view text_;
  std::size_t at_ = 0, depth_ = 0, tests_ = 0;
};

}  // namespace

TagExpression::TagExpression(std::string_view text) : root_(Parser(text).parse()) {}
TagExpression::~TagExpression() = default;
TagExpression::TagExpression(TagExpression&&) noexcept = default;

}  // namespace fastid::db
