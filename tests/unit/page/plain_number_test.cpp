#include "page/plain_number.hpp"

#include <gtest/gtest.h>

namespace fastid::page {
namespace {

TEST(PlainNumber, HasNoExponent) {
  EXPECT_EQ(plain_number(0), "0");
  EXPECT_EQ(plain_number(1e-5), "0.00001");
  EXPECT_EQ(plain_number(0.01254), "0.0125");
  EXPECT_EQ(plain_number(0.5), "0.5");
  EXPECT_EQ(plain_number(1), "1");
  EXPECT_EQ(plain_number(9.999), "10");
  EXPECT_EQ(plain_number(33.14), "33.1");
  EXPECT_EQ(plain_number(100), "100");
  EXPECT_EQ(plain_number(999.4), "999");
  EXPECT_EQ(plain_number(999.6), "1,000");
  EXPECT_EQ(plain_number(4823.4), "4,823");
  EXPECT_EQ(plain_number(1e7), "10,000,000");
}

}  // namespace
}  // namespace fastid::page
