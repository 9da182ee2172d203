/// \file
/// A JSON value, for making and reading documents and records. Members keep the order in which they were
/// added. nlohmann's library parses, and formats numbers and strings; only json.cpp includes it.
///
///   Json document = {{"format", "fastid-matches"}, {"sites", 1024}, {"limit", nullptr}};
///   document["queries"].push_back({{"name", "scene"}});
///   document.dump(2);
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fastid {

class JsonItem;
class JsonWriter;

class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  /// Thrown where a text is no JSON, or a value is missing or of another type than asked for.
  struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  // NOLINTBEGIN(google-explicit-constructor): values become JSON where they stand
  Json(std::nullptr_t = nullptr);
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  Json(bool value);
  Json(double value);
  Json(std::string text);
  Json(const char* text);
  Json(std::string_view text);
  template <std::unsigned_integral T>
  Json(T value) : Json(Unsigned{value}) {}
  template <std::signed_integral T>
  Json(T value) : Json(Signed{value}) {}
  template <class T>
  requires std::constructible_from<Json, const T&> Json(const std::vector<T>& all)
      : Json(Array(all.begin(), all.end())) {}
  /// An object where all items are pairs of a text and a value, else an array.
  Json(std::initializer_list<JsonItem> items);
  // NOLINTEND(google-explicit-constructor)

  static Json array();
  static Json object();
  /// \throws Error where the text is no JSON, or nested more than 64 times
  static Json parse(std::string_view text);

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }

  // Of objects; null becomes one where a member is set.
  Json& operator[](std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// \throws Error where there is no such member
  const Json& at(std::string_view key) const;
  /// The member; null where there is none.
  const Json* find(std::string_view key) const;
  /// Sets the members of another object.
  void update(const Json& other);

  // Of arrays; null becomes one where a value is added.
  void push_back(Json value);
  /// Removes the elements of an array that match.
  template <class Predicate>
  void erase_if(const Predicate& predicate) {
    std::erase_if(items(), predicate);
  }
  std::span<Json> elements() { return items(); }              ///< \throws Error
  std::span<const Json> elements() const { return items(); }  ///< \throws Error

  // \throws Error: it is of another type
  bool boolean() const;
  const std::string& text() const;
  std::vector<std::string> texts() const;
  std::uint64_t count() const;  ///< a whole number from 0
  double number() const;

  /// How bytes that are no UTF-8 are handled.
  enum class BadText { kReplace, kThrow };
  /// \param indent  of each level; negative: all on one line \throws Error by kThrow
  std::string dump(int indent = -1, BadText bad = BadText::kReplace) const;

 private:
  friend class JsonWriter;
  struct Unsigned {
    std::uint64_t value;
  };
  struct Signed {
    std::int64_t value;
  };
  explicit Json(Unsigned value);
  explicit Json(Signed value);
  explicit Json(Array array);
  explicit Json(Object object);

  Array& items();
  const Array& items() const;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

/// An element of a braced list that makes a Json. Unlike elements of other initializer lists, it can be moved
/// from.
class JsonItem {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  template <class... T>
  requires std::constructible_from<Json, T...> JsonItem(T&&... value) : value_(std::forward<T>(value)...) {}
  JsonItem(std::initializer_list<JsonItem> items) : value_(items) {}
  // NOLINTEND(google-explicit-constructor)

 private:
  friend class Json;
  mutable Json value_;
};

}  // namespace fastid
