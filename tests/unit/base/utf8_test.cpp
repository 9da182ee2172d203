// Names fit for any output: well-formed UTF-8 without control characters.
#include <gtest/gtest.h>

#include <string>

#include "base/text.hpp"

namespace fastid {
namespace {

TEST(PrintableUtf8, TakesEveryLengthOfCharacter) {
  for (const char* text : {"", "NA12878", "a b", "M\xC3\xBCller", "\xE4\xBA\xBA", "\xF0\x9F\xA7\xAC",
                           "\xC2\xA0", "\xD7\xA9\xD7\x9C", "\xE2\x80\xA7", "\xE2\x80\xAF"})
    EXPECT_TRUE(is_printable_utf8(text)) << text;
}

TEST(PrintableUtf8, RefusesControlsAndWhatIsNotUtf8) {
  for (const std::string& text : {
           std::string("\0", 1),
           std::string("a\tb"),
           std::string("a\n"),
           std::string("\x7F"),
           std::string("\xC2\x85"),          // U+0085, a control
           std::string("a\xE2\x80\xAE"),     // U+202E, right to left from here
           std::string("a\xE2\x81\xA9"),     // U+2069, the end of an isolate
           std::string("a\xE2\x80\xA8"),     // U+2028, a line's end
           std::string("a\xD8\x9C"),         // U+061C, an Arabic letter's mark
           std::string("\x80"),              // a continuation without its lead
           std::string("\xC3"),              // cut short
           std::string("\xC0\xAF"),          // overlong
           std::string("\xE0\x80\xAF"),      // overlong
           std::string("\xED\xA0\x80"),      // a surrogate
           std::string("\xF4\x90\x80\x80"),  // past U+10FFFF
           std::string("\xFF"),
       })
    EXPECT_FALSE(is_printable_utf8(text)) << printable(text);
}

TEST(Printable, KeepsWhatCanBePrintedAndCutsBetweenCharacters) {
  EXPECT_EQ(printable("M\xC3\xBCller"), "M\xC3\xBCller");
  EXPECT_EQ(printable("a\x1b[31m\xC3"), "a?[31m?");
  EXPECT_EQ(printable("\xC2\x85\xFF"), "???") << "a byte at a time";
  EXPECT_EQ(printable("\xC3\xBC\xC3\xBC\xC3\xBC", 2), "\xC3\xBC\xC3\xBC...");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(AsciiCase, ChangesLettersOnly) {
  EXPECT_EQ(ascii_lower("aZ@[\xC3\x9C"), "az@[\xC3\x9C");
  EXPECT_EQ(ascii_upper("aZ`{\xC3\xBC"), "AZ`{\xC3\xBC");
}

}  // namespace
}  // namespace fastid
