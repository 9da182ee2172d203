#include "db/site_matrix.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/staged_file.hpp"
#include "db/hdf5/attribute_writer.hpp"
#include "db/hdf5/format_mark.hpp"
#include "db/hdf5/hdf5_handle.hpp"
#include "db/hdf5/log_json.hpp"
#include "db/hdf5/panel_store.hpp"

namespace fastid::db {
namespace {

constexpr const char* kFormat = "fastid-r2";
constexpr std::uint32_t kVersion = 1;
constexpr const char* kMatrix = "r2";
constexpr hsize_t kChunk = 256;  ///< rows and columns of a chunk

h5::Properties matrix_properties(hsize_t n, const std::string& file) {
  h5::Properties list(h5::wrote(H5Pcreate(H5P_DATASET_CREATE), file, "properties"));
  const hsize_t chunk[2] = {std::min(kChunk, n), std::min(kChunk, n)};
  h5::wrote(H5Pset_chunk(list.get(), 2, chunk), file, "properties");
  h5::wrote(H5Pset_shuffle(list.get()), file, "properties");
  h5::wrote(H5Pset_deflate(list.get(), 1), file, "properties");  // higher levels are slower and no smaller
  h5::wrote(H5Pset_fletcher32(list.get()), file, "properties");
  h5::wrote(H5Pset_obj_track_times(list.get(), false), file, "properties");
  return list;
}

h5::Dataset create_matrix(const h5::File& file, hsize_t n, const std::string& target) {
  const hsize_t extent[2] = {n, n};
  const h5::Space space(h5::wrote(H5Screate_simple(2, extent, nullptr), target, kMatrix));
  const h5::Properties properties = matrix_properties(n, target);
  return h5::Dataset(h5::wrote(H5Dcreate2(file.get(), kMatrix, H5T_IEEE_F32LE, space.get(), H5P_DEFAULT,
                                          properties.get(), H5P_DEFAULT),
                               target, kMatrix));
}

}  // namespace

bool is_site_matrix(const std::string& path) {
  return has_format(path, kFormat);
}

// Members are closed in the reverse order: the dataset before its file.
struct SiteMatrixWriter::Impl {
  std::string target;
  StagedFile staged;
  h5::File file;
  h5::Dataset matrix;
  hsize_t n = 0, done = 0;  ///< sites, and rows that are written

  Impl(const std::string& to, std::span<const Site> sites, const Facts& facts)
      : target(to),
        staged(to, StagedFile::Name::kHidden),
        file(h5::create_file(staged.path(), to)),
        n(sites.size()) {
    const AttributeWriter attributes(file.get(), target);
    attributes.put("format", std::string_view(kFormat));
    attributes.put("format_version", kVersion);
    attributes.put("created_by", this_program());
    attributes.put("n_sites", static_cast<std::uint32_t>(n));
    attributes.put("of", facts.what);
    attributes.put("n_units", facts.n_units);
    const h5::Group group = make_group(file.get(), "sites", target);
    write_sites(group.get(), sites, target);
    matrix = create_matrix(file, n, target);
  }

  void write(const float* values, hsize_t rows) {
    const hsize_t begin[2] = {done, 0}, extent[2] = {rows, n};
    const h5::Space in_file(h5::wrote(H5Dget_space(matrix.get()), target, kMatrix));
    const h5::Space in_memory(h5::wrote(H5Screate_simple(2, extent, nullptr), target, kMatrix));
    h5::wrote(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, begin, nullptr, extent, nullptr), target,
              kMatrix);
    h5::wrote(H5Dwrite(matrix.get(), H5T_NATIVE_FLOAT, in_memory.get(), in_file.get(), H5P_DEFAULT, values),
              target, kMatrix);
    done += rows;
  }

  /// Flushes everything while a failure can still be reported; closing then has only the end mark to write.
  void close() {
    h5::wrote(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), target, "the file");
    matrix.reset();
    if (!file.reset()) h5::fail_to_write(target, "the file");
  }
};

SiteMatrixWriter::SiteMatrixWriter(const std::string& target, std::span<const Site> sites,
                                   const Facts& facts) {
  const h5::Session session;
  impl_ = std::make_unique<Impl>(target, sites, facts);
}

SiteMatrixWriter::~SiteMatrixWriter() = default;

void SiteMatrixWriter::append(std::span<const float> rows) {
  const h5::Session session;
  const hsize_t n = rows.size() / impl_->n;
  if (n * impl_->n != rows.size() || n > impl_->n - impl_->done)
    throw Failure(impl_->target + ": rows that the matrix does not have (a defect of fastid)");
  impl_->write(rows.data(), n);
}

void SiteMatrixWriter::finish() {
  if (impl_->done != impl_->n) throw Failure(impl_->target + ": rows are missing (a defect of fastid)");
  const h5::Session session;
  impl_->close();
  impl_->staged.commit();
}

}  // namespace fastid::db
