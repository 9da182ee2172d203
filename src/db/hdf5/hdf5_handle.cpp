#include "db/hdf5/hdf5_handle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::db::h5 {
namespace {

constexpr hsize_t kAlignedFrom = 512 << 10;  ///< objects this large (the planes' chunks) start on a page
constexpr hsize_t kPage = 4096;

std::recursive_mutex& library_lock() {
  static std::recursive_mutex lock;
  return lock;
}

extern "C" herr_t note_innermost(unsigned, const H5E_error2_t* error, void* into) {
  if (error->desc != nullptr) *static_cast<std::string*>(into) = error->desc;
  return 1;  // the first one walked is the innermost: stop
}

/// The first object that is not reached by exactly one hard link; `place` stays empty where there is none.
struct Stray {
  std::string place, problem;
  ObjectCount objects;

  void note(const char* name, const char* what) {
    place = std::string("/") + printable(name);
    problem = what;
  }
};

extern "C" herr_t note_stray(hid_t root, const char* name, const H5L_info_t* link, void* into) {
  const char* problem = nullptr;
  H5O_info_t object{};
  if (static_cast<Stray*>(into)->objects.too_many(name))
    problem = "is one of too many objects, or in too many groups";
  else if (link->type != H5L_TYPE_HARD)
    problem = "is a soft, external or user-defined link: what it leads to need not be of this file";
  else if (H5Oget_info_by_name2(root, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
    return -1;
  else if (object.rc > 1)
    problem = "has two names";
  if (problem != nullptr) static_cast<Stray*>(into)->note(name, problem);
  return problem == nullptr ? 0 : 1;
}

/// "..., error message = 'No space left on device', ..." -> "No space left on device".
std::string system_message(const std::string& text) {
  static constexpr std::string_view kMark = "error message = '";
  const std::size_t from = text.find(kMark);
  if (from == std::string::npos) return text;
  const std::size_t start = from + kMark.size();
  return text.substr(start, text.find('\'', start) - start);
}

}  // namespace

bool ObjectCount::too_many(std::string_view name) {
  constexpr std::size_t kMost = 20'000;
  constexpr std::ptrdiff_t kDeepest = 16;
  over_ = over_ || ++n_ > kMost || std::ranges::count(name, '/') > kDeepest;
  return over_;
}

Session::Session() : lock_(library_lock()) {
  // Must precede any other call of HDF5. Every handle closes itself; HDF5's cleanup at exit would find only
  // files that it failed to close, such as those on a full disk, and crash on them (1.10.8).
  static const bool no_clearing_up = H5dont_atexit() >= 0;
  static_cast<void>(no_clearing_up);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_innermost, &text);
  return text.empty() ? "no reason given" : system_message(text);
}

void fail_to_write(std::string_view file, std::string_view place) {
  throw Failure(fmt::format("{}: cannot write {}: {}", file, place, last_error()));
}

void fail_to_read(std::string_view file, std::string_view place) {
  throw InputError(file, place, fmt::format("cannot be read: the file is damaged (HDF5: {})", last_error()),
                   "restore it from a copy");
}

void check_links(const File& opened, std::string_view file) {
  const Session session;
  Stray stray;
  got(H5Lvisit(opened.get(), H5_INDEX_NAME, H5_ITER_NATIVE, note_stray, &stray), file, "its groups");
  if (!stray.place.empty())
    throw InputError(file, stray.place, stray.problem + "; fastid writes no such database",
                     "build the database anew");
}

Dataset open_dataset(hid_t group, const std::string& name, std::string_view file, std::string_view place) {
  const Session session;
  Dataset dataset(got(H5Dopen2(group, name.c_str(), H5P_DEFAULT), file, place));
  const Properties list(got(H5Dget_create_plist(dataset.get()), file, place));
  const H5D_layout_t layout = got(H5Pget_layout(list.get()), file, place);
  const bool own = layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED;
  if (!own || H5Pget_external_count(list.get()) != 0)
    throw InputError(file, place, "lies in another file", "copy it into one file (h5repack)");
  return dataset;
}

Properties file_access() {
  Properties list(wrote(H5Pcreate(H5P_FILE_ACCESS), "HDF5", "properties"));
  wrote(H5Pset_libver_bounds(list.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "HDF5", "properties");
  wrote(H5Pset_alignment(list.get(), kAlignedFrom, kPage), "HDF5", "properties");
  wrote(H5Pset_file_locking(list.get(), false, true), "HDF5", "properties");
  return list;
}

File create_file(const std::string& path, std::string_view target) {
  const Session session;
  const Properties creation(wrote(H5Pcreate(H5P_FILE_CREATE), target, "properties"));
  wrote(H5Pset_obj_track_times(creation.get(), false), target, "properties");
  const Properties access = file_access();
  return File(
      wrote(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), target, "the file"));
}

bool has_format(const File& opened, std::string_view format) {
  const Session session;
  if (!opened || H5Aexists(opened.get(), "format") <= 0) return false;
  const Attribute attribute(H5Aopen(opened.get(), "format", H5P_DEFAULT));
  const Type type = string_type(format.size());
  const Type stored(H5Aget_type(attribute.get()));
  std::string text(format.size(), '\0');
  return H5Tequal(stored.get(), type.get()) > 0 && H5Aread(attribute.get(), type.get(), text.data()) >= 0 &&
         text == format;
}

Type string_type(std::size_t bytes) {
  Type type(wrote(H5Tcopy(H5T_C_S1), "HDF5", "a string type"));
  wrote(H5Tset_size(type.get(), bytes), "HDF5", "a string type");
  wrote(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "HDF5", "a string type");
  wrote(H5Tset_cset(type.get(), H5T_CSET_UTF8), "HDF5", "a string type");
  return type;
}

}  // namespace fastid::db::h5
