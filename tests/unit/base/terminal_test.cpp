#include "base/terminal.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/text.hpp"

namespace fastid {
namespace {

TEST(Terminal, MeasuresCharactersWithoutColours) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("same"), 4u);
  EXPECT_EQ(display_width("J\xC3\xB6rg"), 4u);
  EXPECT_EQ(display_width(colored(Color::kYellow, "2nd m", true) + "m"), 6u);
  EXPECT_EQ(colored(Color::kRed, "error:", false), "error:");
}

TEST(Terminal, AlignsColoursAndUmlautsAsTheyAreSeen) {
  const std::string same = colored(Color::kGreen, "same", true);
  EXPECT_EQ(aligned({{"who", "what", "n"}, {"J\xC3\xB6rg", same, "10"}, {"A", "undecided", "7"}},
                    {true, true, false}, " "),
            "who  what       n\nJ\xC3\xB6rg " + same + "      10\nA    undecided  7\n");
}

TEST(Terminal, WrapsToTheColumns) {
  EXPECT_EQ(wrapped("", "a few words of text", 2, 12), "  a few\n  words of\n  text\n");
}

TEST(Terminal, IsAsWideAsColumnsSays) {
  const auto columns = [](const char* set) {
    ::setenv("COLUMNS", set, 1);
    return style_of(-1).columns;
  };
  EXPECT_EQ(columns("132"), 132u);
  EXPECT_EQ(columns("3"), 40u);
  EXPECT_EQ(columns("65535"), 10000u);
  for (const char* const nothing : {"", "0", "-5", "x", "99999999"})
    EXPECT_EQ(columns(nothing), 80u) << nothing;
}

TEST(Terminal, ColoursWhatIsAskedFor) {
  set_color(ColorMode::kAlways);
  EXPECT_TRUE(is_colored(-1));
  set_color(ColorMode::kAuto);
  EXPECT_FALSE(is_colored(-1));
}

}  // namespace
}  // namespace fastid
