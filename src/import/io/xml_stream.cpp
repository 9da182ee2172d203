#include "import/io/xml_stream.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <exception>
#include <functional>

#include "base/error.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kDeepest = 64;                             ///< elements within elements
constexpr std::uint64_t kLongestToken = std::uint64_t{1} << 20;  ///< a tag or a comment, in bytes
constexpr std::string_view kRestoreXml = "restore it from a copy, or export it again";

std::string_view local_name(const char* name) {
  const std::string_view all(name);
  const std::size_t colon = all.rfind(':');
  return colon == std::string_view::npos ? all : all.substr(colon + 1);
}

}  // namespace

std::string_view attribute(const XmlAttributes& attributes, std::string_view name) {
  for (const auto& [key, value] : attributes)
    if (key == name) return value;
  return {};
}

struct XmlStream::Impl {
  Impl(std::string file_name, std::string part_name, XmlHandler& to)
      : file(std::move(file_name)),
        part(std::move(part_name)),
        handler(to),
        parser(XML_ParserCreate(nullptr)) {
    if (!parser) throw Failure("xml: the parser cannot be set up: out of memory");
    XML_SetUserData(parser.get(), this);
    XML_SetElementHandler(parser.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser.get(), on_text);
    XML_SetDoctypeDeclHandler(parser.get(), on_doctype, nullptr);
  }

  struct Free {
    void operator()(XML_Parser p) const { XML_ParserFree(p); }
  };

  [[noreturn]] void refuse(std::string_view problem, std::string_view cure) const {
    throw InputError(file, fmt::format("{}, line {}", part, XML_GetCurrentLineNumber(parser.get())), problem,
                     cure);
  }

  /// Exceptions must not pass through expat, which is C: they wait until it has returned.
  void guarded(const std::function<void()>& action) {
    if (thrown) return;
    try {
      action();
    } catch (...) {
      thrown = std::current_exception();
      XML_StopParser(parser.get(), XML_FALSE);
    }
  }

  static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** given) {
    Impl& impl = *static_cast<Impl*>(self);
    impl.guarded([&] {
      if (++impl.depth > kDeepest) impl.refuse("has elements that are too deep", "save it again as .xlsx");
      impl.attributes.clear();
      for (; *given != nullptr; given += 2) impl.attributes.emplace_back(local_name(given[0]), given[1]);
      impl.handler.start(local_name(name), impl.attributes);
    });
  }
  static void XMLCALL on_end(void* self, const XML_Char* name) {
    Impl& impl = *static_cast<Impl*>(self);
    --impl.depth;
    impl.guarded([&] { impl.handler.end(local_name(name)); });
  }
  static void XMLCALL on_text(void* self, const XML_Char* text, int length) {
    Impl& impl = *static_cast<Impl*>(self);
    impl.guarded([&] { impl.handler.text({text, static_cast<std::size_t>(length)}); });
  }
  static void XMLCALL on_doctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    Impl& impl = *static_cast<Impl*>(self);
    impl.guarded([&] {
      impl.refuse("declares a document type, which no workbook does and which may hold entities that expand",
                  "do not trust it: export the report again");
    });
  }

  void parse(std::span<const char> bytes, bool last) {
    const auto status = XML_Parse(parser.get(), bytes.data(), static_cast<int>(bytes.size()), last);
    if (thrown) std::rethrow_exception(thrown);
    if (status != XML_STATUS_OK)
      refuse(fmt::format("is not well-formed XML ({})", XML_ErrorString(XML_GetErrorCode(parser.get()))),
             kRestoreXml);
    fed += bytes.size();
    const auto at = XML_GetCurrentByteIndex(parser.get());
    if (!last && at >= 0 && fed - static_cast<std::uint64_t>(at) > kLongestToken)
      refuse("has a tag of more than a mebibyte", "save it again as .xlsx");
  }

  std::string file, part;
  XmlHandler& handler;
  std::unique_ptr<XML_ParserStruct, Free> parser;
  XmlAttributes attributes;
  std::size_t depth = 0;
  std::uint64_t fed = 0;
  std::exception_ptr thrown;
};

XmlStream::XmlStream(std::string file, std::string part, XmlHandler& handler)
    : impl_(std::make_unique<Impl>(std::move(file), std::move(part), handler)) {}

XmlStream::~XmlStream() = default;

void XmlStream::feed(std::span<const char> bytes) {
  impl_->parse(bytes, false);
}

void XmlStream::finish() {
  impl_->parse({}, true);
}

}  // namespace fastid::imports
