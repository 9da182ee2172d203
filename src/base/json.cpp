#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"

namespace fastid {

struct Json::Member {
  std::string key;
  Json value;
};

namespace {

using Foreign = nlohmann::ordered_json;

bool needs_no_escape(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

std::string quoted(const std::string& text, Json::BadText bad) {
  if (needs_no_escape(text)) return '"' + text + '"';
  const auto handler =
      bad == Json::BadText::kThrow ? Foreign::error_handler_t::strict : Foreign::error_handler_t::replace;
  try {
    // Characters that no terminal should get (controls beyond ASCII, changes of direction) are written as
    // \uXXXX.
    return Foreign(text).dump(-1, ' ', !is_printable_utf8(text), handler);
  } catch (const Foreign::exception& error) {
    throw Json::Error(error.what());
  }
}

/// The shortest text that is read as this number again.
std::string shortest(double value) {
  return std::isfinite(value) ? Foreign(value).dump() : "null";
}

}  // namespace

Json::Json(std::nullptr_t) : value_(nullptr) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;
Json::Json(bool value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(Unsigned value) : value_(value.value) {}
Json::Json(Signed value) : value_(value.value) {}
Json::Json(Array array) : value_(std::move(array)) {}
Json::Json(Object object) : value_(std::move(object)) {}

Json Json::array() {
  return Json(Array());
}

Json Json::object() {
  return Json(Object());
}

Json::Json(std::initializer_list<JsonItem> items) {
  const auto is_member = [](const JsonItem& item) {
    const Array* const pair = std::get_if<Array>(&item.value_.value_);
    return pair != nullptr && pair->size() == 2 && std::holds_alternative<std::string>((*pair)[0].value_);
  };
  if (std::ranges::all_of(items, is_member)) {
    Object& object = value_.emplace<Object>();
    for (const JsonItem& item : items) {
      Array& pair = std::get<Array>(item.value_.value_);
      object.push_back({std::get<std::string>(std::move(pair[0].value_)), std::move(pair[1])});
    }
    return;
  }
  Array& array = value_.emplace<Array>();
  for (const JsonItem& item : items) array.push_back(std::move(item.value_));
}

// Members and elements.

Json& Json::operator[](std::string_view key) {
  if (const Json* const found = find(key)) return const_cast<Json&>(*found);
  if (is_null()) value_.emplace<Object>();
  Object* const object = std::get_if<Object>(&value_);
  if (object == nullptr) throw Error("is no object");
  return object->emplace_back(Member{std::string(key), nullptr}).value;
}

const Json& Json::at(std::string_view key) const {
  if (const Json* const found = find(key)) return *found;
  throw Error(std::holds_alternative<Object>(value_) ? fmt::format("has no '{}'", key) : "is no object");
}

const Json* Json::find(std::string_view key) const {
  const Object* const object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, key, &Member::key);
  return found == object->end() ? nullptr : &found->value;
}

void Json::update(const Json& other) {
  const Object* const object = std::get_if<Object>(&other.value_);
  if (object == nullptr) throw Error("is no object");
  for (const Member& member : *object) (*this)[member.key] = member.value;
}

void Json::push_back(Json value) {
  if (is_null()) value_.emplace<Array>();
  items().push_back(std::move(value));
}

Json::Array& Json::items() {
  return const_cast<Array&>(std::as_const(*this).items());
}

const Json::Array& Json::items() const {
  const Array* const array = std::get_if<Array>(&value_);
  if (array == nullptr) throw Error("is no array");
  return *array;
}

// Values.

bool Json::boolean() const {
  const bool* const value = std::get_if<bool>(&value_);
  if (value == nullptr) throw Error("is neither true nor false");
  return *value;
}

const std::string& Json::text() const {
  const std::string* const value = std::get_if<std::string>(&value_);
  if (value == nullptr) throw Error("is no text");
  return *value;
}

std::vector<std::string> Json::texts() const {
  std::vector<std::string> all;
  for (const Json& element : items()) all.push_back(element.text());
  return all;
}

std::uint64_t Json::count() const {
  const std::uint64_t* const value = std::get_if<std::uint64_t>(&value_);
  if (value == nullptr) throw Error("is no whole number from 0");
  return *value;
}

double Json::number() const {
  if (const double* const value = std::get_if<double>(&value_)) return *value;
  if (const std::int64_t* const value = std::get_if<std::int64_t>(&value_))
    return static_cast<double>(*value);
  return static_cast<double>(count());
}

// Text.

/// Appends values to a text, laid out as by nlohmann's library.
class JsonWriter {
 public:
  JsonWriter(int indent, Json::BadText bad) : indent_(indent), bad_(bad) {}

  void write(const Json& json) {
    std::visit([this](const auto& value) { put(value); }, json.value_);
  }
  std::string take() { return std::move(text_); }

 private:
  void put(std::nullptr_t) { text_ += "null"; }
  void put(bool value) { text_ += value ? "true" : "false"; }
  void put(double value) { text_ += shortest(value); }
  void put(std::int64_t value) { text_ += std::to_string(value); }
  void put(std::uint64_t value) { text_ += std::to_string(value); }
  void put(const std::string& text) { text_ += quoted(text, bad_); }
  void put(const Json::Array& array) {
    put_all(array, '[', ']', [this](const Json& element) { write(element); });
  }
  void put(const Json::Object& object) {
    put_all(object, '{', '}', [this](const Json::Member& member) {
      put(member.key);
      text_ += indent_ < 0 ? ":" : ": ";
      write(member.value);
    });
  }

  template <class Values, class PutOne>
  void put_all(const Values& values, char open, char close, const PutOne& put_one) {
    text_ += open;
    ++depth_;
    bool first = true;
    for (const auto& value : values) {
      if (!std::exchange(first, false)) text_ += ',';
      new_line();
      put_one(value);
    }
    --depth_;
    if (!values.empty()) new_line();
    text_ += close;
  }

  void new_line() {
    if (indent_ >= 0) text_.append(1, '\n').append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  int indent_;
  Json::BadText bad_;
  std::size_t depth_ = 0;
  std::string text_;
};

std::string Json::dump(int indent, BadText bad) const {
  JsonWriter writer(indent, bad);
  writer.write(*this);
  return writer.take();
}

namespace {

constexpr std::size_t kDeepest = 64;

/// Makes a Json of what nlohmann's parser finds: it calls these.
class Builder {
 public:
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Foreign::binary_t&) { return false; }  // a text has none
  bool start_object(std::size_t) { return open(Json::object(), false); }
  bool start_array(std::size_t) { return open(Json::array(), true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& key) {
    open_.back().key = std::move(key);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Foreign::exception& error) {
    throw Json::Error(error.what());
  }

  Json take() { return std::move(done_); }

 private:
  /// An array or object whose end is to come.
  struct Open {
    Json value;
    bool is_array;
    std::string key;  ///< of the next member
  };

  bool add(Json value) {
    if (open_.empty())
      done_ = std::move(value);
    else if (Open& open = open_.back(); open.is_array)
      open.value.push_back(std::move(value));
    else
      open.value[open.key] = std::move(value);
    return true;
  }
  bool open(Json value, bool is_array) {
    if (open_.size() == kDeepest) throw Json::Error("is nested too deeply");
    open_.push_back({std::move(value), is_array, ""});
    return true;
  }
  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  Json done_;
  std::vector<Open> open_;  ///< the innermost one last
};

}  // namespace

Json Json::parse(std::string_view text) {
  Builder builder;
  Foreign::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace fastid
