#include "db/similarity_values.hpp"

#include "base/error.hpp"
#include "base/staged_file.hpp"
#include "db/hdf5/attribute_writer.hpp"
#include "db/hdf5/column.hpp"
#include "db/hdf5/format_mark.hpp"
#include "db/hdf5/hdf5_handle.hpp"
#include "db/hdf5/log_json.hpp"

namespace fastid::db {
namespace {

constexpr const char* kFormat = "fastid-similarity";
constexpr std::uint32_t kVersion = 1;

}  // namespace

bool is_similarity_values(const std::string& path) {
  return has_format(path, kFormat);
}

// Members are closed in the reverse order: the column before its file.
struct SimilarityValuesWriter::Impl {
  std::string target;
  StagedFile staged;
  h5::File file;
  std::optional<ColumnWriter> values;
  std::uint64_t wanted, written = 0;

  Impl(const std::string& to, const std::vector<std::string>& names, const Facts& facts)
      : target(to),
        staged(to, StagedFile::Name::kHidden),
        file(h5::create_file(staged.path(), to)),
        wanted(facts.n_values) {
    const AttributeWriter attributes(file.get(), target);
    attributes.put("format", std::string_view(kFormat));
    attributes.put("format_version", kVersion);
    attributes.put("created_by", this_program());
    attributes.put("metric", facts.metric);
    attributes.put("way", facts.way);
    attributes.put("cells", facts.cells);
    attributes.put("first", facts.first);
    write_strings(
        file.get(), "id", names.size(), [&](std::size_t i) -> const std::string& { return names[i]; },
        target);
    values.emplace(file.get(), "value", h5::Type(h5::wrote(H5Tcopy(H5T_IEEE_F64LE), target, "a type")),
                   target);
  }
};

SimilarityValuesWriter::SimilarityValuesWriter(const std::string& target,
                                               const std::vector<std::string>& names, const Facts& facts) {
  const h5::Session session;
  impl_ = std::make_unique<Impl>(target, names, facts);
}

SimilarityValuesWriter::~SimilarityValuesWriter() = default;

void SimilarityValuesWriter::append(std::span<const double> values) {
  const h5::Session session;
  impl_->values->append(values.data(), values.size());
  impl_->written += values.size();
}

void SimilarityValuesWriter::finish() {
  if (impl_->written != impl_->wanted)
    throw Failure(impl_->target + ": holds another number of values than it should (a defect of fastid)");
  const h5::Session session;
  impl_->values->finish();
  impl_->values.reset();
  h5::wrote(H5Fflush(impl_->file.get(), H5F_SCOPE_GLOBAL), impl_->target, "the file");
  if (!impl_->file.reset()) h5::fail_to_write(impl_->target, "the file");
  impl_->staged.commit();
}

}  // namespace fastid::db
