#include "base/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace fastid {
namespace {

TEST(Json, MakesObjectsOfPairsAndArraysOfTheRest) {
  EXPECT_EQ(Json({{"a", 1}, {"b", {2, "x"}}}).dump(), R"({"a":1,"b":[2,"x"]})");
  EXPECT_EQ(Json({{"a", {{"b", nullptr}}}}).dump(), R"({"a":{"b":null}})");
  EXPECT_EQ(Json({1, 2}).dump(), "[1,2]");
  EXPECT_EQ(Json(std::vector<std::string>{"a", "b"}).dump(), R"(["a","b"])");
}

TEST(Json, KeepsTheOrderOfMembersAndReplacesTheirValues) {
  Json object = {{"z", 1}, {"a", true}};
  object["m"]["n"] = 2.5;
  object["z"] = "last";
  object.update({{"a", false}, {"y", -1}});
  EXPECT_EQ(object.dump(), R"({"z":"last","a":false,"m":{"n":2.5},"y":-1})");
}

TEST(Json, IndentsByLevelAndWritesWhatIsEmptyOnOneLine) {
  Json document = {{"list", {1, 2}}, {"none", Json::array()}, {"nothing", Json::object()}};
  EXPECT_EQ(document.dump(2), "{\n  \"list\": [\n    1,\n    2\n  ],\n  \"none\": [],\n  \"nothing\": {}\n}");
}

TEST(Json, WritesTheShortestTextOfANumber) {
  const auto text = [](double value) { return Json(value).dump(); };
  EXPECT_EQ(text(1), "1.0");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(1e300), "1e+300");
  EXPECT_EQ(text(std::nan("")), "null");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
}

TEST(Json, EscapesTextsAndReplacesOrRefusesWhatIsNoUtf8) {
  EXPECT_EQ(Json("a\"b\\c\n\x01").dump(), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(Json("\xc3\xa9").dump(), "\"\xc3\xa9\"");
  EXPECT_EQ(Json("a\xff").dump(), "\"a\\ufffd\"");
  EXPECT_THROW(Json("a\xff").dump(-1, Json::BadText::kThrow), Json::Error);
}

TEST(Json, EscapesWhatNoTerminalShouldGet) {
  EXPECT_EQ(Json("a\u009bm\u202eb\u00e4").dump(), "\"a\\u009bm\\u202eb\\u00e4\"");
  EXPECT_EQ(Json("\u00e4").dump(), "\"\u00e4\"");
}

TEST(Json, ReadsWhatItWrites) {
  const std::string text = R"({"a":[1,-2,2.5,"x",null,true,{"b":[]}],"c":{}})";
  EXPECT_EQ(Json::parse(text).dump(), text);
  const Json json = Json::parse(text);
  EXPECT_EQ(json.at("a").elements()[0].count(), 1u);
  EXPECT_EQ(json.at("a").elements()[2].number(), 2.5);
  EXPECT_EQ(json.at("a").elements()[3].text(), "x");
  EXPECT_TRUE(json.at("a").elements()[5].boolean());
  EXPECT_EQ(json.find("d"), nullptr);
}

TEST(Json, RefusesWhatIsNotAskedFor) {
  const Json json = Json::parse(R"({"a":-1,"b":1.5,"c":"x"})");
  EXPECT_THROW(json.at("d"), Json::Error);
  EXPECT_THROW(json.at("a").count(), Json::Error);
  EXPECT_THROW(json.at("b").count(), Json::Error);
  EXPECT_THROW(json.at("c").number(), Json::Error);
  EXPECT_THROW(json.at("a").text(), Json::Error);
  EXPECT_THROW(json.at("c").elements(), Json::Error);
  EXPECT_THROW(json.at("c").at("d"), Json::Error);
}

TEST(Json, RefusesTextsThatAreNoJsonOrNestedTooDeeply) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1}x", "nul", "\"\xff\""})
    EXPECT_THROW(Json::parse(text), Json::Error) << text;
  EXPECT_NO_THROW(Json::parse(std::string(64, '[') + std::string(64, ']')));
  EXPECT_THROW(Json::parse(std::string(65, '[') + std::string(65, ']')), Json::Error);
  EXPECT_THROW(Json::parse(std::string(1'000'000, '[')), Json::Error);
}

}  // namespace
}  // namespace fastid
