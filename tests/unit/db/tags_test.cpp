// Tags: what is written comes back, whatever the number of values; and what chooses rows by them.
#include "db/tags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "db/choice/tag_expression.hpp"
#include "db/hdf5/log_json.hpp"
#include "db/row_choice.hpp"
#include "db_testing.hpp"

namespace fastid::db {
namespace {

using fastid::testing::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::pack;
using testing::random_people;

constexpr std::size_t kPanelSites = 33;

std::string id_of(std::size_t i) {
  return "p" + std::to_string(i);
}

/// Writes people with these tags. \returns the path
std::string write(const TempFolder& folder, std::size_t n, const Tags& tags) {
  const std::string path = folder / "people.h5";
  std::vector<Site> sites;
  for (std::size_t s = 0; s < kPanelSites; ++s) sites.push_back({"rs" + std::to_string(s), "1", 1, 'A', 'G'});
  Writer writer(path, Panel(std::move(sites), {}, GenomeBuild::kUnknown, "a test"), {});
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < n; ++i) ids.push_back(id_of(i));
  writer.append(ids, pack(random_people(n, kPanelSites, 0.1, 1), 0, n).view());
  writer.set_tags(tags);
  writer.finish({.action = "build"});
  return path;
}

/// Row i has value i % n_values of a key; 0 is none.
Tags cyclic(std::size_t rows, std::size_t n_values) {
  Tags tags(rows);
  for (std::size_t i = 0; i < rows; ++i)
    if (i % n_values != 0) tags.set(i, "kit", "v" + std::to_string(i % n_values));
  return tags;
}

TEST(Tags, ComeBackWhateverTheNumberOfValues) {
  constexpr std::size_t kMany = 70001;  // more than a slab, and part of a block
  for (const std::size_t n_values : {2, 3, 4, 5, 16, 17, 256, 257, 65536, 65537}) {
    const TempFolder folder;
    const Tags tags = cyclic(kMany, n_values);
    const Reader reader(write(folder, kMany, tags));
    EXPECT_EQ(reader.header().format_version, 3u);
    const Tags back = reader.tags();
    const auto is_first = [](const std::string& value) { return value == "v1"; };
    const RowMask first = reader.rows_with_tag("kit", is_first);
    for (std::size_t i = 0; i < kMany; ++i) {
      ASSERT_EQ(back.value("kit", i), tags.value("kit", i)) << n_values << " values, row " << i;
      ASSERT_EQ(first.holds(i), i % n_values == 1) << n_values << " values, row " << i;
    }
    EXPECT_TRUE(verify(reader.path(), 1, {}).empty());
  }
}

TEST(Tags, AreGoneWithTheLastRowThatHasThem) {
  Tags tags(3);
  tags.set(0, "kit", "A");
  tags.set(1, "kit", "B");
  tags.set(1, "sex", "f");
  const std::vector<std::uint64_t> rows{0, 2};
  const Tags some = tags.of(rows);
  EXPECT_EQ(some.rows(), 2u);
  ASSERT_EQ(some.columns().size(), 1u);
  EXPECT_THAT(some.columns().at("kit").values(), ElementsAre("", "A"));
  tags.set(0, "kit", "");
  EXPECT_THAT(tags.of_all().columns().at("kit").values(), ElementsAre("", "B"));
}

TEST(Tags, ADatabaseWithoutAnyHasTheOldVersion) {
  const TempFolder folder;
  EXPECT_EQ(Reader(write(folder, 3, Tags(3))).header().format_version, 1u);
}

/// The ids that an expression chooses.
std::vector<std::string> chosen(const Reader& reader, const std::string& only) {
  const ChosenRows rows = choose_rows(reader, {.only = only});
  return reader.profile_ids(rows.rows ? rows.rows->list() : RowMask(reader.shape().n_profiles, true).list());
}

TEST(Expressions, ChooseRows) {
  const TempFolder folder;
  Tags tags(4);
  tags.set(0, "kit", "A");
  tags.set(1, "kit", "B");
  tags.set(1, "age", "9");
  tags.set(2, "age", "10");
  tags.set(3, "expiry", "2001-01-01");
  const Reader reader(write(folder, 4, tags));
  EXPECT_THAT(chosen(reader, "kit=A||age>=10"), ElementsAre("p0", "p2"));
  EXPECT_THAT(chosen(reader, "age<10"), ElementsAre("p1"));
  EXPECT_THAT(chosen(reader, "kit != A"), ElementsAre("p1", "p2"));  // p3 has expired
  EXPECT_THAT(chosen(reader, "!(kit) && !age=9"), ElementsAre("p2"));
  EXPECT_THAT(chosen(reader, "kit=A && kit=B || age='10'"), ElementsAre("p2"));
  EXPECT_EQ(choose_rows(reader, {}).expired, 1u);
  EXPECT_EQ(choose_rows(reader, {.expired = true}).n, 4u);
  EXPECT_THROW(choose_rows(reader, {.only = "kit=C"}), InputError);
  EXPECT_THROW(choose_rows(reader, {.only = "colour"}), InputError);
}

TEST(Expressions, SayWhereTheyAreWrong) {
  for (const char* const text :
       {"", "kit=", "(kit", "kit)", "&&", "kit==", "kit=a b", "!", "kit<>3", "'kit'"})
    EXPECT_THROW(TagExpression{text}, UsageError) << text;
  EXPECT_THROW(TagExpression(std::string(10000, '!') + "kit"), UsageError);
  EXPECT_THROW(TagExpression(std::string(10000, '(') + "kit"), UsageError);
  std::string chain = "kit";
  for (std::size_t i = 0; i < 1000000; ++i) chain += i % 2 == 0 ? "||kit" : "&&kit";
  EXPECT_THROW(TagExpression{chain}, UsageError);
}

TEST(Log, LosesWordsThatAreToGo) {
  const std::vector<std::string> words{"P07", "case=K-1", "a b"};
  EXPECT_EQ(Forgotten(words).without("db remove P07 P071 xP07 x/P07.snp P07_2 'a b' case=K-1 case=K-12"),
            "db remove [removed] P071 xP07 x/[removed].snp [removed]_2 '[removed]' [removed] case=K-12");
}

TEST(Log, LosesIdsAndTagsOfNobodyHoweverTheyAreWritten) {
  Tags left(1);
  left.set(0, "kit", "FORCE");
  const auto without = [&](const std::string& command) {
    return Forgotten(std::vector<std::string>{"O'Brien", "P07"}, &left).command_without(command);
  };
  EXPECT_EQ(without(R"(fastid db tag x.h5 'O'\''Brien' --set case=K4711)"),
            "fastid db tag x.h5 [removed] --set [removed]");
  EXPECT_EQ(without(R"(fastid db remove x.h5 --reason 'P07, O'\''Brien went')"),
            "fastid db remove x.h5 --reason '[removed], [removed] went'");
  for (const std::string test : {R"(case=K4711)", R"('case == K4711')", R"('case = "K 4711"')",
                                 R"('case!='\''K 4711'\''')", R"('case>=K4711')"})
    EXPECT_EQ(without("fastid search q x.h5 --only " + test), "fastid search q x.h5 --only [removed]")
        << test;
  EXPECT_EQ(without("fastid search q x.h5 '--only=kit==FORCE && (case==K1 || !case)'"),
            "fastid search q x.h5 '--only=kit==FORCE && ([removed] || !case)'");
  const std::string kept = "fastid db tag x.h5 --all --set=kit=FORCE --top=5 ''";
  EXPECT_EQ(without(kept), kept);
  EXPECT_EQ(without(R"(echo "P07")"), R"(echo "[removed]")");
}

/// What a removal writes is read again, however often one follows another.
TEST(Log, GrowsByRemovalsWithinWhatIsRead) {
  LogRecord record{.action = "compact", .command = "fastid db compact"};
  for (std::size_t i = 0; i < kLongestLogText; ++i) record.reason += i % 2 == 0 ? 'A' : '-';
  check_record(record, "x.h5");
  std::string log = to_json_line(record);
  for (const char* const word : {"A", "-", "removed", "[", "]"})
    log = log_without(log, Forgotten(std::vector<std::string>{word}), "x.h5");
  const std::string reason = parse_log(log, "x.h5").at(0).reason;
  EXPECT_EQ(reason.size(), kLongestLogText * kGrowthByRemovals);
  record.reason = reason;
  check_record(record, "x.h5");  // as that of a removal is, whose own reason lost the word
  record.reason += 'x';
  EXPECT_THROW(check_record(record, "x.h5"), InputError);
}

TEST(Log, RefusesToWriteWhatItWouldNotRead) {
  const std::string reason(kLongestLogText + 1, 'r'), command(kLongestLogCommand + 1, 'c');
  EXPECT_THROW(check_record({.reason = reason}, "x.h5"), InputError);
  EXPECT_THROW(check_record({.command = command}, "x.h5"), InputError);
  EXPECT_THROW(check_record({.inputs = {{.name = reason}}}, "x.h5"), InputError);
}

TEST(Tags, OfMoreKeysThanAreReadAreNotWritten) {
  const TempFolder folder;
  Tags tags(4);
  for (std::size_t i = 0; i <= kMostTagKeys; ++i) tags.set(0, "k" + std::to_string(i), "v");
  EXPECT_THROW(write(folder, 4, tags), InputError);
}

}  // namespace
}  // namespace fastid::db
