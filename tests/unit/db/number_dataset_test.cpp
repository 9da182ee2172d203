// Matrices of numbers in HDF5 files of others: what is read, and every way in which a file can be wrong.
#include "db/number_dataset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "db/hdf5/hdf5_handle.hpp"
#include "db_testing.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::db {
namespace {

using ::fastid::testing::refusal;
using ::fastid::testing::TempFolder;
using ::testing::HasSubstr;

constexpr hsize_t kRows = 70, kColumns = 5;

class NumberDataset : public ::testing::Test {
 protected:
  NumberDataset()
      : path_(folder_ / "m.h5"),
        file_(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        properties_(H5Pcreate(H5P_DATASET_CREATE)) {
    for (hsize_t i = 0; i < kRows * kColumns; ++i) numbers_.push_back(static_cast<double>(i) / 7);
  }

  /// A dataset with the properties that were set; its numbers are written where its storage is in the file.
  void add(const std::string& name, hid_t type, std::vector<hsize_t> extent = {kRows, kColumns},
           bool written = true) {
    const h5::Space space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr));
    const h5::Dataset dataset(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                                         properties_.get(), H5P_DEFAULT));
    ASSERT_TRUE(dataset);
    if (written) {
      ASSERT_GE(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers_.data()),
                0);
    }
  }
  void set_chunk(hsize_t rows, hsize_t columns) {
    const hsize_t chunk[2] = {rows, columns};
    H5Pset_chunk(properties_.get(), 2, chunk);
  }
  engine::RealMatrix read(const std::string& dataset = "") {
    file_.reset();
    return read_number_dataset(path_, dataset);
  }
  std::string refused(const std::string& dataset = "") {
    const std::string message = refusal([&] { read(dataset); });
    return message.starts_with(path_) ? message.substr(path_.size()) : message;
  }

  TempFolder folder_;
  std::string path_;
  h5::File file_;
  h5::Properties properties_;
  std::vector<double> numbers_;
};

TEST_F(NumberDataset, ReadsFloatAndDoubleOfEitherByteOrder) {
  add("f", H5T_IEEE_F32LE);
  add("g", H5T_IEEE_F32BE);
  add("d", H5T_IEEE_F64BE);
  file_.reset();
  EXPECT_TRUE(is_number_file(path_));
  for (const std::string name : {"f", "g", "/d"}) {
    const engine::RealMatrix matrix = read(name);
    ASSERT_EQ(matrix.n_rows(), kRows);
    ASSERT_EQ(matrix.n_columns(), kColumns);
    EXPECT_EQ(matrix.type(), name == "/d" ? engine::RealType::kDouble : engine::RealType::kFloat);
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      engine::with_real(matrix.type(), [&](auto zero) {
        using T = decltype(zero);
        EXPECT_EQ(matrix.at<T>(i / kColumns, i % kColumns), static_cast<T>(numbers_[i]));
      });
  }
}

TEST_F(NumberDataset, ReadsTheOnlyMatrixInPackedChunks) {
  h5::Group(H5Gcreate2(file_.get(), "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)).reset();
  add("line", H5T_IEEE_F64LE, {kRows * kColumns});
  set_chunk(33, 2);
  H5Pset_shuffle(properties_.get());
  H5Pset_deflate(properties_.get(), 4);
  H5Pset_fletcher32(properties_.get());
  add("g/m", H5T_IEEE_F64LE);
  const engine::RealMatrix matrix = read();
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    ASSERT_EQ(matrix.at<double>(i / kColumns, i % kColumns), numbers_[i]);
}

TEST_F(NumberDataset, RefusesAFileWithoutTheMatrix) {
  add("line", H5T_IEEE_F64LE, {kRows * kColumns});
  EXPECT_EQ(refused(),
            ": has no two-dimensional dataset; write a two-dimensional dataset of float or double");
}

TEST_F(NumberDataset, RefusesANameThatIsNotThere) {
  add("a", H5T_IEEE_F64LE);
  add("b", H5T_IEEE_F64LE);
  H5Lcreate_soft("/a", file_.get(), "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "/m", file_.get(), "external", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_EQ(refused(), ": has 2 two-dimensional datasets; name one by FILE:DATASET: a, b");
  for (const std::string name : {"c", "soft", "external"})
    EXPECT_EQ(refused(name), ", " + name +
                                 ": there is no such two-dimensional dataset of this file's own; name one by "
                                 "FILE:DATASET: a, b");
}

TEST_F(NumberDataset, RefusesOtherTypes) {
  add("i", H5T_STD_I32LE);
  EXPECT_THAT(refused(), HasSubstr(", i: does not hold numbers of type float or double; write"));
}

TEST_F(NumberDataset, RefusesStorageOutsideOfTheFile) {
  H5Pset_external(properties_.get(), "/etc/passwd", 0, H5F_UNLIMITED);
  add("m", H5T_IEEE_F64LE, {kRows, kColumns}, false);
  EXPECT_EQ(refused(), ", m: lies in another file; copy it into one file (h5repack)");
}

/// HDF5 opens the files of an unlimited virtual dataset as soon as it is asked for the dataset's space.
TEST_F(NumberDataset, RefusesAVirtualDatasetBeforeItsFilesAreOpened) {
  const hsize_t extent[2] = {kRows, kColumns}, most[2] = {H5S_UNLIMITED, kColumns}, start[2] = {0, 0},
                one[2] = {1, 1}, block[2] = {H5S_UNLIMITED, kColumns};
  const h5::Space space(H5Screate_simple(2, extent, most));
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, one, block);
  H5Pset_virtual(properties_.get(), space.get(), "other.h5", "/m", space.get());
  {
    const h5::Dataset dataset(H5Dcreate2(file_.get(), "m", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                         properties_.get(), H5P_DEFAULT));
    ASSERT_TRUE(dataset);
  }
  EXPECT_THAT(refused("m"), HasSubstr(": has no two-dimensional dataset; "));
}

TEST_F(NumberDataset, RefusesADatasetWithoutNumbers) {
  add("m", H5T_IEEE_F64LE, {0, hsize_t{1} << 62U}, false);
  EXPECT_EQ(refused(), ", m: is 0 x 4,611,686,018,427,387,904: it has no numbers; name a dataset with some");
}

TEST_F(NumberDataset, RefusesMoreNumbersThanTheFileHolds) {
  set_chunk(64, 64);
  H5Pset_deflate(properties_.get(), 1);
  add("m", H5T_IEEE_F32LE, {1U << 30U, 1U << 30U}, false);
  EXPECT_EQ(refused(),
            ", m: claims 1,073,741,824 x 1,073,741,824 numbers, which the file does not hold; restore it "
            "from a copy, or write it again");
}

TEST_F(NumberDataset, RefusesFiltersThatMayLoadForeignCode) {
  set_chunk(10, 5);
  H5Pset_scaleoffset(properties_.get(), H5Z_SO_FLOAT_DSCALE, 3);
  add("m", H5T_IEEE_F32LE);
  EXPECT_EQ(refused(),
            ", m: is packed by a filter (number 6) that fastid does not read; write it with gzip, or "
            "without compression (h5repack -f NONE)");
}

TEST_F(NumberDataset, RefusesNumbersThatHaveNoProportion) {
  numbers_[7] = -1;
  add("m", H5T_IEEE_F32LE);
  EXPECT_THAT(refused(), HasSubstr(":m, row 2, column 3: the number is -1; give finite"));
}

TEST_F(NumberDataset, RefusesADamagedFile) {
  add("m", H5T_IEEE_F32LE);
  file_.reset();
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 100);
  EXPECT_THAT(refused(), HasSubstr("cannot be read: the file is damaged"));
}

}  // namespace
}  // namespace fastid::db
