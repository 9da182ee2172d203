/// \file
/// XML as a stream of events (expat), of the kind that office documents hold. A document type, and with it
/// every entity of a file's own, is refused, and so are tags that are too long or too deep.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastid::imports {

/// Attributes of an element: names without their namespace, and values.
using XmlAttributes = std::vector<std::pair<std::string_view, std::string_view>>;

/// The value of an attribute, "" where there is none.
std::string_view attribute(const XmlAttributes& attributes, std::string_view name);

/// Takes the events. Names come without their namespace's prefix.
class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual void start(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void end(std::string_view name) = 0;
  virtual void text(std::string_view part) = 0;
};

class XmlStream {
 public:
  /// \param file, part  for messages: the archive, and the file in it
  XmlStream(std::string file, std::string part, XmlHandler& handler);
  ~XmlStream();

  /// \throws InputError where it is not XML or breaks a limit; what the handler throws
  void feed(std::span<const char> bytes);
  /// \throws InputError where the document is cut short
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::imports
