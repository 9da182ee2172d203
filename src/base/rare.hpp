/// \file
/// A value that few objects of a kind have. It lies on the heap, so that objects without it are small and
/// quick to move.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace fastid {

/// Used like std::optional. A copy has its own value.
template <class T>
class Rare {
 public:
  Rare() = default;
  // NOLINTBEGIN(google-explicit-constructor): a value or std::nullopt converts, as to std::optional
  Rare(std::nullopt_t) {}
  Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Rare(std::optional<T> value) : value_(value ? std::make_unique<T>(*std::move(value)) : nullptr) {}
  // NOLINTEND(google-explicit-constructor)
  Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Rare() = default;

  template <class... Args>
  T& emplace(Args&&... args) {
    value_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace fastid
