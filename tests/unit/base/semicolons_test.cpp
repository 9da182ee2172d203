// Lines of tables whose columns stand between semicolons.
#include "base/semicolons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"

namespace fastid {
namespace {

TEST(Semicolons, AreNamed) {
  EXPECT_THAT(testing::refusal([] { refuse_semicolons("id;chrom;pos", "panel.csv", "line 1"); }),
              ::testing::StartsWith("panel.csv, line 1: has semicolons between its columns; put tabs there"));
  EXPECT_NO_THROW(refuse_semicolons("id\tchrom;x\tpos", "panel.tsv", "line 1")) << "they are in a column";
  EXPECT_NO_THROW(refuse_semicolons("id,chrom,pos", "panel.csv", "line 1"));
}

}  // namespace
}  // namespace fastid
