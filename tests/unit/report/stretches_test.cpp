// The stretches that people share: as lines, painted, and on a page.
#include "report/stretches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fastid {
namespace {

using testing::HasSubstr;
using testing::Not;

match::MapFacts two_chromosomes() {
  return {.map = "GRCh38", .chromosomes = {{"1", 10, 110}, {"2", 0, 50}}};
}

report::PaintedPair hostile_pair() {
  return {"<b>anna",
          "ben",
          "sibling",
          {.any_cm = 55.5, .two_cm = 20, .segments = 1, .longest_cm = 50},
          {{.chrom = "1",
            .start = 7,
            .end = 99,
            .start_cm = 60,
            .end_cm = 110,
            .sites = 12,
            .mean_posterior = .9},
           {.chrom = "1", .start = 7, .end = 50, .start_cm = 60, .end_cm = 80, .sites = 5, .state = 2}}};
}

TEST(Stretches, HaveALineEach) {
  const report::PaintedPair pair = hostile_pair();
  EXPECT_EQ(report::stretches_head(),
            "id1\tid2\tchrom\tstart\tend\tstart_cM\tend_cM\tsites\tstate\tmean_posterior\n");
  EXPECT_EQ(report::stretch_lines("a", "b", pair.stretches),
            "a\tb\t1\t7\t99\t60.00000\t110.00000\t12\t1\t0.9000\n"
            "a\tb\t1\t7\t50\t60.00000\t80.00000\t5\t2\t0.0000\n");
}

TEST(Stretches, ArePaintedToScaleOverEachOther) {
  const std::string svg = report::stretches_picture(two_chromosomes(), {{hostile_pair()}}, 3);
  // The longest chromosome, of 100 cM, is 660 wide and begins at 52: 60 cM are half way.
  const std::size_t one = svg.find("x=\"382.0\" y=\"38.0\" width=\"330.0\""),
                    two = svg.find("x=\"382.0\" y=\"38.0\" width=\"132.0\"");
  EXPECT_LT(one, two) << "both alleles are painted over one";
  EXPECT_LT(two, svg.size());
  EXPECT_THAT(svg, HasSubstr("55.5 cM shared in 1 stretch, the longest of 50.0 cM"));
  EXPECT_THAT(svg, HasSubstr("3 more pairs are not painted"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(Stretches, HaveAPageWithTheirFigures) {
  const std::string html = report::stretches_page(two_chromosomes(), {{hostile_pair()}}, 0);
  EXPECT_THAT(html, HasSubstr("Shared stretches of 1 pair<"));
  EXPECT_THAT(html, HasSubstr("0.9000"));
  EXPECT_THAT(html, Not(HasSubstr("not painted")));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
}

}  // namespace
}  // namespace fastid
