#include "db/hdf5/attributes.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "db/hdf5/attribute_writer.hpp"

namespace fastid::db {
namespace {

constexpr const char* kFormat = "fastid-db";
constexpr const char* kContent = "content_sha256";
constexpr const char* kTags = "tags_sha256";
constexpr const char* kPolicy = "policy";
constexpr const char* kFeatures = "features";
constexpr std::uint32_t kWithFeatures = 3;  ///< the format version of databases that need some
constexpr const char* kRestore = "restore it from a copy, or build the database anew";

class AttributeReader {
 public:
  AttributeReader(hid_t root, const std::string& file) : root_(root), file_(file) {}

  bool has(const char* name) const { return h5::got(H5Aexists(root_, name), file_, name) > 0; }

  std::string text(const char* name) const {
    const h5::Attribute attribute = open(name);
    const h5::Type type(h5::got(H5Aget_type(attribute.get()), file_, name));
    const std::size_t bytes = H5Tget_size(type.get());
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        bytes > kLongestAttribute)
      reject(name, "is no fixed-length string");
    std::string value(bytes, '\0');
    h5::got(H5Aread(attribute.get(), type.get(), value.data()), file_, name);
    value.resize(value.find_last_not_of('\0') + 1);  // without its padding
    if (!is_printable_utf8(value))
      reject(name,
             fmt::format("('{}') has a zero byte, a control character or no valid UTF-8", printable(value)));
    return value;
  }
  std::uint32_t u32(const char* name) const { return number<std::uint32_t>(name, H5T_STD_U32LE, "u32"); }
  std::uint64_t u64(const char* name) const { return number<std::uint64_t>(name, H5T_STD_U64LE, "u64"); }

  [[noreturn]] void reject(const char* name, const std::string& problem) const {
    throw InputError(file_, fmt::format("attribute {}", name), problem, kRestore);
  }

 private:
  h5::Attribute open(const char* name) const {
    if (!has(name)) reject(name, "is missing");
    h5::Attribute attribute(h5::got(H5Aopen(root_, name, H5P_DEFAULT), file_, name));
    const h5::Space space(h5::got(H5Aget_space(attribute.get()), file_, name));
    if (H5Sget_simple_extent_type(space.get()) != H5S_SCALAR) reject(name, "is no single value");
    return attribute;
  }

  template <class T>
  T number(const char* name, hid_t wanted, const char* type_name) const {
    const h5::Attribute attribute = open(name);
    const h5::Type type(h5::got(H5Aget_type(attribute.get()), file_, name));
    if (H5Tequal(type.get(), wanted) <= 0) reject(name, fmt::format("is not of type {}", type_name));
    T value = 0;
    h5::got(H5Aread(attribute.get(), wanted, &value), file_, name);
    return value;
  }

  hid_t root_;
  const std::string& file_;
};

/// The features that a program must know to use the database correctly: words, separated by blanks.
std::string features_of(const Header& header) {
  std::string features = header.tags_sha256.empty() ? "" : "tags";
  if (!header.policy.empty()) features += features.empty() ? "policy" : " policy";
  return features;
}

std::uint32_t version_of(const Header& header) {
  return features_of(header).empty() ? format_version_of(header.shape.encoding) : kWithFeatures;
}

void check_features(const AttributeReader& attributes, const std::string& file) {
  const std::string features = attributes.text(kFeatures);
  for (const std::string_view feature : split_blanks(features))
    if (feature != "tags" && feature != "policy")
      throw InputError(file, "",
                       fmt::format("needs '{}', which this fastid does not know", printable(feature)),
                       "update fastid");
}

/// Checks the format, and returns the encoding.
Encoding check_format(const AttributeReader& attributes, const std::string& file) {
  if (!attributes.has("format") || attributes.text("format") != kFormat)
    throw InputError(file, "", "is an HDF5 file, but no fastid database", "make one with `fastid db build`");
  const std::uint32_t version = attributes.u32("format_version");
  if (version > kWithFeatures)
    throw InputError(file, "", fmt::format("was written by a newer fastid (format version {})", version),
                     "update fastid");
  if (version == 0) attributes.reject("format_version", "is 0");
  if (attributes.u32("lanes") != kLanes) attributes.reject("lanes", "is not 32");
  const std::string said = attributes.text("encoding");
  if (version == kWithFeatures) {
    check_features(attributes, file);
    for (const Encoding encoding : {Encoding::kMinor, Encoding::kAlleles})
      if (said == name_of(encoding)) return encoding;
    attributes.reject("encoding", fmt::format("is '{}', neither minor nor alleles", printable(said)));
  }
  const Encoding encoding =
      version == format_version_of(Encoding::kMinor) ? Encoding::kMinor : Encoding::kAlleles;
  if (said != name_of(encoding))
    attributes.reject("encoding", fmt::format("is not \"{}\"", name_of(encoding)));
  return encoding;
}

Policy policy_of(const AttributeReader& attributes, const std::string& file) {
  Policy policy;
  if (!attributes.has(kPolicy)) return policy;
  const std::string words = attributes.text(kPolicy);
  for (const std::string_view word : split_blanks(words)) {
    if (word == "require-audit")
      policy.require_audit = true;
    else if (word == "require-case")
      policy.require_case = true;
    else
      throw InputError(file, "attribute policy",
                       fmt::format("demands '{}', which this fastid does not know", printable(word)),
                       "update fastid");
  }
  return policy;
}

std::string digest_of(const AttributeReader& attributes, const char* name) {
  constexpr std::size_t kDigits = 64;
  if (!attributes.has(name)) return {};
  std::string sha256 = attributes.text(name);
  if (sha256.size() != kDigits || !is_lower_hex(sha256)) attributes.reject(name, "is no SHA-256");
  return sha256;
}

Kind kind_of(const AttributeReader& attributes) {
  const std::string text = attributes.text("kind");
  for (const Kind kind : {Kind::kIndividuals, Kind::kMixtures})
    if (text == name_of(kind)) return kind;
  attributes.reject("kind", fmt::format("is '{}', neither individuals nor mixtures", printable(text)));
}

GenomeBuild build_of(const AttributeReader& attributes) {
  const std::string text = attributes.text("genome_build");
  const GenomeBuild build = parse_build(text);
  if (text != fastid::name_of(build))
    attributes.reject("genome_build", fmt::format("is '{}'", printable(text)));
  return build;
}

}  // namespace

std::string_view name_of(Kind kind) {
  return kind == Kind::kMixtures ? "mixtures" : "individuals";
}

std::string_view name_of(Encoding encoding) {
  return encoding == Encoding::kAlleles ? "alleles" : "minor";
}

std::uint32_t format_version_of(Encoding encoding) {
  return encoding == Encoding::kAlleles ? 2 : 1;
}

std::string text_of(const Policy& policy) {
  std::string text = policy.require_audit ? "require-audit" : "";
  if (policy.require_case) text += text.empty() ? "require-case" : " require-case";
  return text;
}

void write_header(const h5::File& database, const Header& header, const std::string& file) {
  const h5::Session session;
  const AttributeWriter out(database.get(), file);
  out.put("format", kFormat);
  out.put("format_version", version_of(header));
  if (const std::string features = features_of(header); !features.empty()) out.put(kFeatures, features);
  if (!header.tags_sha256.empty()) out.put(kTags, header.tags_sha256);
  if (!header.policy.empty()) out.put(kPolicy, text_of(header.policy));
  out.put("genome_build", fastid::name_of(header.build));
  out.put("encoding", name_of(header.shape.encoding));
  out.put("n_profiles", header.shape.n_profiles);
  out.put("n_sites", header.shape.n_sites);
  out.put("lanes", std::uint32_t{kLanes});
  out.put("panel_sha256", header.panel_sha256);
  out.put(kContent, header.content_sha256);
  out.put("created_by", header.created_by);
  out.put("created_utc", header.created_utc);
  out.put("kind", name_of(header.kind));
}

void update_header(const h5::File& database, const Header& header, const std::string& file) {
  const h5::Session session;
  const std::uint64_t n_profiles = header.shape.n_profiles;
  const h5::Attribute attribute(
      h5::wrote(H5Aopen(database.get(), "n_profiles", H5P_DEFAULT), file, "n_profiles"));
  h5::wrote(H5Awrite(attribute.get(), H5T_STD_U64LE, &n_profiles), file, "n_profiles");
  const auto put_anew = [&](const char* name, const std::string& value) {
    if (H5Aexists(database.get(), name) > 0) h5::wrote(H5Adelete(database.get(), name), file, name);
    if (!value.empty()) AttributeWriter(database.get(), file).put(name, value);
  };
  put_anew(kContent, header.content_sha256);
  put_anew(kTags, header.tags_sha256);
  put_anew(kFeatures, features_of(header));
  const h5::Attribute version(
      h5::wrote(H5Aopen(database.get(), "format_version", H5P_DEFAULT), file, "format_version"));
  const std::uint32_t number = version_of(header);
  h5::wrote(H5Awrite(version.get(), H5T_STD_U32LE, &number), file, "format_version");
}

bool states_database(const h5::File& file) {
  return h5::has_format(file, kFormat);
}

Header read_header(const h5::File& database, const std::string& file) {
  const h5::Session session;
  const AttributeReader attributes(database.get(), file);
  const Encoding encoding = check_format(attributes, file);
  Header header;
  header.format_version = attributes.u32("format_version");
  header.kind = kind_of(attributes);
  header.shape = {attributes.u64("n_profiles"), attributes.u32("n_sites"), encoding};
  header.build = build_of(attributes);
  header.panel_sha256 = attributes.text("panel_sha256");
  header.content_sha256 = digest_of(attributes, kContent);
  header.tags_sha256 = digest_of(attributes, kTags);
  header.policy = policy_of(attributes, file);
  header.created_by = attributes.text("created_by");
  header.created_utc = attributes.text("created_utc");
  if (header.shape.n_profiles == 0) attributes.reject("n_profiles", "is 0");
  if (header.shape.n_sites == 0) attributes.reject("n_sites", "is 0");
  if (header.format_version != version_of(header))
    attributes.reject("format_version", "is not that of its tags and its policy");
  return header;
}

}  // namespace fastid::db
