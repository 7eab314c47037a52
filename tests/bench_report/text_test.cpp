#include <gtest/gtest.h>

#include <limits>

#include "report/text.hpp"

namespace triptych::report {
namespace {

TEST(Text, ThreeDigits) {
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(three_digits(1), "1.00");
  EXPECT_EQ(three_digits(1.234), "1.23");
  EXPECT_EQ(three_digits(12.35), "12.3");  // 12.35 is just below as a double
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(99.96), "100");
  EXPECT_EQ(three_digits(999.6), "1000");
  EXPECT_EQ(three_digits(123456), "123000");
  EXPECT_EQ(three_digits(0.0123456), "0.0123");
  EXPECT_EQ(three_digits(std::numeric_limits<double>::infinity()), "-");
}

TEST(Text, Counts) {
  EXPECT_EQ(parse_count("64"), 64);
  EXPECT_EQ(parse_count("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", "0", "-1", "+1", " 1", "1 ", "1.5", "x", "9223372036854775808"}) {
    EXPECT_EQ(parse_count(text), 0) << text;
  }
}

TEST(Text, Sizes) {
  EXPECT_EQ(size_text(1), "2^0");
  EXPECT_EQ(size_text(1 << 20), "2^20");
  EXPECT_EQ(size_text(1000003), "1000003");
  EXPECT_EQ(exact_log2(0), -1);
  EXPECT_EQ(exact_log2(-8), -1);
  EXPECT_EQ(exact_log2(std::int64_t{1} << 62), 62);
}

TEST(Text, Rates) {
  EXPECT_EQ(rate_text(12.345), "12.3 GB/s");
  EXPECT_EQ(rate_text(999.4), "999 GB/s");
  EXPECT_EQ(rate_text(999.7), "1.00 TB/s");
  EXPECT_EQ(rate_text(4210), "4.21 TB/s");
}

TEST(Text, PrintableKeepsUtf8AndReplacesTheRest) {
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_EQ(printable("a\xc2\xb5 \xe2\x82\xac \xf0\x9f\x98\x80"), "a\xc2\xb5 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\nb"), "a" + replaced + "b");
  EXPECT_EQ(printable("\xff"), replaced);
  EXPECT_EQ(printable("\xc2"), replaced);                                // cut short
  EXPECT_EQ(printable("\xc0\x80"), replaced + replaced);                 // longer than need be
  EXPECT_EQ(printable("\xed\xa0\x80"), replaced + replaced + replaced);  // half of a pair
  EXPECT_EQ(printable("\xef\xbf\xbf"), replaced + replaced + replaced);  // not a character
}

TEST(Text, Escapes) {
  EXPECT_EQ(escape_xml("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&apos;");
  EXPECT_EQ(escape_markdown("a|b*c <d> `e` [f]"), "a\\|b\\*c \\<d\\> \\`e\\` \\[f\\]");
  EXPECT_EQ(escape_markdown("grid_stride_shared"), "grid_stride_shared");
  EXPECT_EQ(escape_markdown("_a_"), "\\_a\\_");
}

TEST(Text, NoFolders) {
  EXPECT_EQ(without_folders("/a/b/c.cu:12: launch failed"), "c.cu:12: launch failed");
  EXPECT_EQ(without_folders("cannot read \"/a/b/c\" or (/d/e)"), "cannot read \"c\" or (e)");
  EXPECT_EQ(without_folders("GB/s and  sum/float"), "GB/s and  sum/float");
  EXPECT_EQ(without_folders(""), "");
}

}  // namespace
}  // namespace triptych::report
