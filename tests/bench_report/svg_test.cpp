#include <gtest/gtest.h>

#include <cctype>

#include "report/report.hpp"
#include "report/svg.hpp"
#include "samples.hpp"
#include "testing/random.hpp"

namespace triptych::report {

namespace test {

std::string xml_problem(const std::string& text) {
  std::vector<std::string> open;
  std::size_t i = 0;
  bool done = false;
  const auto entity = [&] {
    for (const std::string known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}) {
      if (text.compare(i, known.size(), known) == 0) return true;
    }
    return false;
  };
  while (i < text.size()) {
    if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n') return "a control character";
    if (text[i] == '&' && !entity()) return "a bare &";
    if (text[i] != '<') {
      if (text[i] == '>') return "a bare >";
      if (open.empty() && text[i] != '\n') return "text outside the element";
      ++i;
      continue;
    }
    if (done) return "a second element";
    const bool closing = text.compare(i, 2, "</") == 0;
    i += closing ? 2 : 1;
    std::string name;
    while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0) name += text[i++];
    if (name.empty()) return "a bare <";
    char last = ' ';
    for (bool quoted = false; i < text.size() && (quoted || text[i] != '>'); ++i) {
      if (text[i] == '"') quoted = !quoted;
      if (text[i] == '<') return "a < in a tag";
      if (text[i] == '&' && !entity()) return "a bare & in a tag";
      if (static_cast<unsigned char>(text[i]) < 0x20) return "a control character in a tag";
      last = text[i];
    }
    if (i == text.size()) return "a tag that does not end";
    ++i;
    if (closing) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
    } else if (last != '/') {
      open.push_back(name);
    }
    done = open.empty();
  }
  return done ? "" : "something is not closed";
}

}  // namespace test

namespace {

TEST(XmlProblem, FindsProblems) {
  EXPECT_EQ(test::xml_problem("<a b=\"c\"><d/>e &amp; f</a>\n"), "");
  for (const char* text : {"", "x", "<a>", "<a></b>", "<a>&</a>", "<a>&x;</a>", "<a></a><b/>", "<a>\x01</a>",
                           "<a b=\"<\"/>", "<a>></a>", "<a b=\"c></a>"}) {
    EXPECT_NE(test::xml_problem(text), "") << text;
  }
}

TEST(Svg, EscapesTextAndAttributes) {
  Svg svg(100, 50.5, "a < b & \"c\"");
  svg.text({1, 2}, "</text><script>", {});
  svg.line({0, 0}, {1.005, 1e-9}, {"\"><x", 1, "1 2", 0.5});
  svg.power({1, 1}, 2, 10, {});
  svg.dot({1, 1}, 2, "#000000");
  svg.area({{0, 0}, {1, 1}}, "#000000");
  const std::string text = svg.finish();
  EXPECT_EQ(test::xml_problem(text), "") << text;
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_NE(text.find("height=\"50.5\""), std::string::npos);
}

TEST(Svg, ChartsAreXmlWhateverTheNames) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    TRIPTYCH_TRACE_SEED(seed);
    const auto word = [&](std::uint64_t i) {
      return triptych::test::random_text(static_cast<std::int64_t>((seed * 7 + i) % 50), seed * 100 + i);
    };
    std::vector<Json> entries = test::sample_entries();
    const std::vector<double> times = triptych::test::random_values<double>(4, 0, 20, seed);
    for (std::uint64_t i = 0; i < 4; ++i) {
      entries.push_back(
          test::entry("sum/float/" + word(i) + "/rotating/" + std::to_string(1 + seed * i), times[i]));
      entries.push_back(test::entry("sum_cpu/float/" + word(i + 10) + "/memory/4096", times[i]));
      entries.push_back(test::entry(word(i + 20), times[i]));
      entries.push_back(test::entry("skin/rgba/" + word(i + 40) + "/total/1920x1080", times[i]));
      entries.push_back(test::entry("skin/rgba/peer_opencv/" + word(i + 50) + "/threads:1", times[i]));
    }
    Json json = test::results_json(entries);
    json["context"]["gpu"] = word(30);
    json["context"]["cpu"] = word(31);
    json["context"][word(32)] = word(33);
    for (const ReportFile& file : make_report(parse_results(json, "random.json"))) {
      if (!file.name.ends_with(".svg")) continue;
      EXPECT_EQ(test::xml_problem(file.text), "") << file.name;
    }
  }
}

}  // namespace
}  // namespace triptych::report
