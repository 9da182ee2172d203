// Matrices of numbers in .npy files and texts: what is read, and every way in which a file can be wrong.
#include "import/numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::imports {
namespace {

using namespace testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class T>
std::string bytes_of_numbers(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

std::string npy(std::string head, const std::string& numbers, char version = 1) {
  std::string text = std::string("\x93NUMPY") + version + '\0';
  head += '\n';
  text += static_cast<char>(head.size() & 0xFF);
  text += static_cast<char>(head.size() >> 8U);
  if (version > 1) text += std::string(2, '\0');
  return text + head + numbers;
}

std::string usual_head(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

class Numbers : public ::testing::Test {
 protected:
  engine::RealMatrix read(const std::string& bytes) const { return read_numbers(folder_.write("m", bytes)); }
  /// The message of a refusal, without the path.
  std::string refused(const std::string& bytes) const {
    const std::string message = refusal([&] { read(bytes); });
    return message.starts_with(folder_ / "m") ? message.substr((folder_ / "m").size()) : message;
  }
  TempFolder folder_;
};

TEST_F(Numbers, ReadsEveryTypeAndVersionOfNpy) {
  const std::vector<float> floats = {1, 2, 0.5F, 4, 0, 6};
  const std::vector<double> doubles = {1, 0.1, 3};
  for (const char version : {'\1', '\2', '\3'}) {
    const engine::RealMatrix matrix =
        read(npy(usual_head("<f4", "(2, 3)"), bytes_of_numbers(floats), version));
    ASSERT_EQ(matrix.type(), engine::RealType::kFloat);
    ASSERT_EQ(matrix.n_rows(), 2U);
    ASSERT_EQ(matrix.n_columns(), 3U);
    EXPECT_EQ(matrix.at<float>(0, 2), 0.5F);
    EXPECT_EQ(matrix.at<float>(1, 2), 6);
  }
  const engine::RealMatrix matrix =
      read(npy("{'shape':(1,3),'fortran_order':False , 'descr':'<f8'}", bytes_of_numbers(doubles)));
  ASSERT_EQ(matrix.type(), engine::RealType::kDouble);
  EXPECT_EQ(matrix.at<double>(0, 1), 0.1);
}

TEST_F(Numbers, ReadsMoreRowsThanAreReadTogether) {
  std::vector<float> numbers(100 * 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const engine::RealMatrix matrix = read(npy(usual_head("<f4", "(100, 3)"), bytes_of_numbers(numbers)));
  for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(matrix.at<float>(i / 3, i % 3), numbers[i]);
}

TEST_F(Numbers, ReadsSomeRowsOfNpy) {
  std::vector<float> numbers(100 * 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  const std::string whole = npy(usual_head("<f4", "(100, 3)"), bytes_of_numbers(numbers));
  const auto rows = rows_of_numbers(folder_.write("m", whole));
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->rows, 100U);
  const std::vector<Range> ranges = {{5, 45}, {70, 100}};
  const engine::RealMatrix some = rows->read(ranges);
  ASSERT_EQ(some.n_rows(), 70U);
  for (std::size_t i = 0; i < 70; ++i)
    ASSERT_EQ(some.at<float>(i, 1), numbers[(i < 40 ? i + 5 : i + 30) * 3 + 1]);
  const auto refused_rows = [&](const std::string& bytes) {
    return refusal([&] { rows_of_numbers(folder_.write("m", bytes))->read(ranges); });
  };
  EXPECT_THAT(refused_rows(whole + "more"), HasSubstr("more follows the numbers of its array"));
  EXPECT_THAT(refused_rows(whole.substr(0, whole.size() - 1)), HasSubstr("it is truncated"));
  EXPECT_THAT(refused_rows(npy(usual_head("<f4", "(1000000000000, 0)"), "")), HasSubstr("has no columns"));
  numbers[80 * 3] = -1;
  EXPECT_THAT(refused_rows(npy(usual_head("<f4", "(100, 3)"), bytes_of_numbers(numbers))),
              HasSubstr("m, row 81, column 1: the number is -1"));
  EXPECT_FALSE(rows_of_numbers(folder_.write("m", "1\t2\n")));
}

TEST_F(Numbers, ReadsCompressedFiles) {
  const auto packed = [](const std::string& text) {
    std::string bytes(ZSTD_compressBound(text.size()), '\0');
    bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1));
    return bytes;
  };
  const std::vector<float> numbers = {1, 2, 3, 4};
  const std::string whole = npy(usual_head("<f4", "(2, 2)"), bytes_of_numbers(numbers));
  EXPECT_EQ(read(packed(whole)).at<float>(1, 1), 4);
  EXPECT_EQ(read(packed("1\t2\n3\t4\n")).at<double>(1, 0), 3);
  EXPECT_THAT(refused(packed(whole.substr(0, whole.size() - 1))),
              HasSubstr("the file ends before its array of 2 x 2 numbers: it is truncated"));
}

TEST_F(Numbers, RefusesNpyOfAnotherKindOrShape) {
  const std::string numbers(24, '\0');
  EXPECT_THAT(
      refused(npy(usual_head("<i4", "(2, 3)"), numbers)),
      StartsWith(": holds numbers of type '<i4', neither '<f4' nor '<f8'; write a two-dimensional array"));
  EXPECT_THAT(refused(npy(usual_head(">f4", "(2, 3)"), numbers)),
              StartsWith(": holds numbers of type '>f4'"));
  EXPECT_THAT(refused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3), }", numbers)),
              StartsWith(": holds numbers of type [('a'"));
  EXPECT_THAT(refused(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", numbers)),
              StartsWith(": its array is in the order of columns (Fortran's); write"));
  EXPECT_THAT(refused(npy(usual_head("<f4", "(6,)"), numbers)),
              StartsWith(": its array has 1 dimension, not 2"));
  EXPECT_THAT(refused(npy(usual_head("<f4", "(1, 2, 3)"), numbers)),
              StartsWith(": its array has 3 dimensions, not 2"));
  EXPECT_THAT(refused(npy(usual_head("<f4", "(-2, 3)"), numbers)),
              StartsWith(": the shape of the array is '(-2, 3'"));
  EXPECT_THAT(refused(npy(usual_head("<f4", "(0, 3)"), "")), StartsWith(": the matrix has no rows"));
  EXPECT_THAT(refused(npy(usual_head("<f4", "(3, 0)"), "")), StartsWith(": the matrix has no columns"));
  EXPECT_THAT(refused(npy(usual_head("<f4", "(2, 3)"), numbers, 9)),
              StartsWith(": is of version 9 of the .npy"));
}

TEST_F(Numbers, RefusesDamagedNpy) {
  const std::string numbers(24, '\0'), whole = npy(usual_head("<f4", "(2, 3)"), numbers);
  const std::string cure = "; restore it from a copy, or write it again";
  for (std::size_t size = 6; size + numbers.size() < whole.size(); ++size)
    EXPECT_EQ(refused(whole.substr(0, size)), ": the file ends within its head: it is truncated" + cure);
  for (std::size_t size = whole.size() - numbers.size(); size < whole.size(); ++size)
    EXPECT_EQ(refused(whole.substr(0, size)),
              ": an array of 2 x 3 numbers is longer than the file: it is truncated" + cure);
  EXPECT_EQ(refused(whole + '\0'), ": more follows the numbers of its array" + cure);
  EXPECT_EQ(refused(npy("{'descr': '<f4', 'shape': (2, 3)}", numbers)),
            ": the head of the .npy file lacks 'fortran_order'" + cure);
  EXPECT_EQ(refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape'", numbers)),
            ": the head of the .npy file lacks 'shape'" + cure);
  EXPECT_EQ(
      refused(npy(usual_head("<f4", "(4294967296, 4294967296)"), numbers)),
      ": an array of 4,294,967,296 x 4,294,967,296 numbers is longer than the file: it is truncated" + cure);
  EXPECT_THAT(refused(std::string("\x93NUMPY\x02\0\xFF\xFF\xFF\x7F", 12) + numbers),
              StartsWith(": its head has 2,147,483,647 bytes"));
}

TEST_F(Numbers, RefusesNumbersThatHaveNoProportion) {
  const std::vector<float> numbers = {1, 2, 3, -4};
  EXPECT_THAT(refused(npy(usual_head("<f4", "(2, 2)"), bytes_of_numbers(numbers))),
              StartsWith(", row 2, column 2: the number is -4; give finite numbers of at least 0"));
  EXPECT_THAT(refused("1\t2\n3\t-0.5\n"), StartsWith(", row 2, column 2: the number is -0.5"));
}

TEST_F(Numbers, ReadsText) {
  for (const std::string end : {"\n", "\r\n"}) {
    const engine::RealMatrix matrix = read("1\t0.1\t3e2" + end + "4\t5\t0" + end);
    ASSERT_EQ(matrix.type(), engine::RealType::kDouble);
    ASSERT_EQ(matrix.n_rows(), 2U);
    EXPECT_EQ(matrix.at<double>(0, 1), 0.1);
    EXPECT_EQ(matrix.at<double>(0, 2), 300);
    EXPECT_EQ(matrix.at<double>(1, 0), 4);
  }
}

TEST_F(Numbers, RefusesTextThatIsNoMatrix) {
  const std::string cure =
      "; a matrix has numbers alone, separated by tabs; take off the names of its columns and rows (tail -n "
      "+2 "
      "FILE | cut -f 2-)";
  EXPECT_EQ(refused("sample\ttaxon\n1\t2\n"), ", line 1, column 1: 'sample' is not a number" + cure);
  EXPECT_EQ(refused("1\t2\nS2\t3\n"), ", line 2, column 1: 'S2' is not a number" + cure);
  EXPECT_EQ(refused("1,2\n"), ", line 1, column 1: '1,2' is not a number" + cure);
  EXPECT_EQ(refused("1\t\n"), ", line 1, column 2: '' is not a number" + cure);
  EXPECT_EQ(refused("1\tnan\n"), ", line 1, column 2: 'nan' is not a number" + cure);
  EXPECT_EQ(refused("1\tinf\n"), ", line 1, column 2: 'inf' is not a number" + cure);
  EXPECT_EQ(refused("1\t1e999\n"), ", line 1, column 2: '1e999' is not a number" + cure);
  EXPECT_EQ(refused("1\t2\n\n"), ", line 2, column 1: '' is not a number" + cure);
  EXPECT_EQ(refused("1\t2\n3\n"),
            ", line 2: has 1 number, and the first line 2; give each vector the same elements");
  EXPECT_EQ(refused(""), ": is empty; give a line of numbers for each vector");
}

}  // namespace
}  // namespace fastid::imports
