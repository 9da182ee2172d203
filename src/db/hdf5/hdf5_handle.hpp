/// \file
/// Handles of HDF5 that close themselves, the library's one lock, and its errors as text.
///
/// Only one thread may call HDF5 at a time, and HDF5 prints errors to standard error unless each thread turns
/// that off. Every caller holds a Session. Reads of the planes bypass HDF5 (plane_reader.hpp).
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace fastid::db::h5 {

/// The right to call HDF5. Sessions nest within a thread; other threads wait.
class Session {
 public:
  Session();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Owns one HDF5 identifier.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
  }

  hid_t get() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ >= 0; }

  /// Closes it now. False where HDF5 could not (a deferred write has failed).
  bool reset() {
    if (id_ < 0) return true;
    const Session session;
    return Close(std::exchange(id_, H5I_INVALID_HID)) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;

/// The reason for this thread's last failed HDF5 call: its innermost message, or the system's.
std::string last_error();

/// Returns a result of HDF5. \throws Failure "FILE: cannot write PLACE: ..." where the call failed.
template <class Result>
Result wrote(Result result, std::string_view file, std::string_view place);

/// Returns a result of HDF5. \throws InputError naming file and place where the call failed.
template <class Result>
Result got(Result result, std::string_view file, std::string_view place);

[[noreturn]] void fail_to_write(std::string_view file, std::string_view place);
[[noreturn]] void fail_to_read(std::string_view file, std::string_view place);

template <class Result>
Result wrote(Result result, std::string_view file, std::string_view place) {
  if (result < 0) fail_to_write(file, place);
  return result;
}

template <class Result>
Result got(Result result, std::string_view file, std::string_view place) {
  if (result < 0) fail_to_read(file, place);
  return result;
}

/// A limit on visited objects of a file: each is looked up from the root, which takes long in deeply nested
/// groups.
class ObjectCount {
 public:
  /// Counts an object.
  /// \param name  its path from the root \return whether to end the visit
  bool too_many(std::string_view name);
  bool over() const { return over_; }

 private:
  std::size_t n_ = 0;
  bool over_ = false;
};

/// Refuses a file in which an object is reached by a soft, external or user-defined link, or has two names:
/// reading it could lead into another file, and writing it could change an object under its other name.
/// \throws InputError naming the object.
void check_links(const File& opened, std::string_view file);

/// Opens a dataset whose values are all in its own file. Call it before anything asks for the dataset's
/// space: HDF5 would open the files that a virtual dataset names. \throws InputError naming `file` and
/// `place`.
Dataset open_dataset(hid_t group, const std::string& name, std::string_view file, std::string_view place);

/// How files are opened: without file locks, so that any number of readers can share one, even where it is
/// read-only; created in the format of HDF5 1.10, whose metadata carry checksums.
Properties file_access();

/// A new file at `path` that will be `target`. \throws Failure naming the target.
File create_file(const std::string& path, std::string_view target);

/// Whether the attribute "format" of a file is this text, as fastid stores it; false where it cannot be read.
bool has_format(const File& opened, std::string_view format);

/// A fixed-length string of `bytes`, padded with zeros. \throws Failure (memory).
Type string_type(std::size_t bytes);

}  // namespace fastid::db::h5
