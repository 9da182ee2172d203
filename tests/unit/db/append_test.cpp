// Appending gives the database that a build of all profiles would have given, at every edge of blocks and
// chunks; and whatever goes wrong, the old one stays.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "base/error.hpp"
#include "base/write_lock.hpp"
#include "db_testing.hpp"

namespace fastid::db {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// Profiles from .. to - 1 go in, `batch` at a time.
void append(const std::string& path, const People& people, std::size_t from, std::size_t to,
            std::size_t batch, const std::vector<std::string>& ids) {
  Appender appender(path);
  for (std::size_t first = from; first < to; first += batch) {
    const std::size_t n = std::min(batch, to - first);
    appender.append(std::span(ids).subspan(first, n), pack(people, first, n).view());
  }
  appender.finish(
      {.action = "append", .command = "fastid db append", .inputs = {{"more.vcf", "11ee", to - from}}});
}

void expect_holds(const std::string& path, const People& people, const std::vector<std::string>& ids) {
  const Reader db(path);
  EXPECT_EQ(letters_of(db, 3), people);
  EXPECT_EQ(db.profile_ids(0, people.size()), ids);
  EXPECT_TRUE(verify(path, 2, nullptr).empty());
}

/// The people before `cut` are built, the rest comes in two appends.
void expect_appends(std::size_t n, std::size_t cut, std::size_t sites, std::size_t chunk, double early,
                    double late) {
  SCOPED_TRACE(::testing::Message() << n << " cut at " << cut << ", " << sites << " sites, chunk " << chunk
                                    << ", no calls " << early << " then " << late);
  const Folder folder;
  People people = random_people(cut, sites, early, 3);
  build(folder / "db.h5", people, 1024, chunk);
  const People more = random_people(n - cut, sites, late, 4);
  people.insert(people.end(), more.begin(), more.end());
  const auto ids = ids_of(n);
  const std::size_t half = cut + (n - cut) / 2;
  append(folder / "db.h5", people, cut, half, 7, ids);
  append(folder / "db.h5", people, half, n, 40, ids);
  expect_holds(folder / "db.h5", people, ids);
  build(folder / "whole.h5", people, 1024, chunk);
  EXPECT_EQ(Reader(folder / "db.h5").digests(), Reader(folder / "whole.h5").digests());
  EXPECT_EQ(Reader(folder / "db.h5").profiles_sha256(), Reader(folder / "whole.h5").profiles_sha256());
  EXPECT_NE(Reader(folder / "db.h5").header().content_sha256,
            Reader(folder / "whole.h5").header().content_sha256)
      << "their logs differ";
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(Append, EveryEdgeOfBlocksAndChunks) {
  for (const std::size_t cut : {1, 31, 32, 33, 96})
    for (const std::size_t chunk : {1, 3})
      for (const double early : {0.0, 0.1})
        for (const double late : {0.0, 0.1}) expect_appends(cut + 70, cut, 33, chunk, early, late);
}

TEST(Append, ManySitesAndOwnChunks) {
  expect_appends(900, 500, 1000, 0, 0, 0.01);
  expect_appends(35, 33, 14079, 0, 0.05, 0);
}

/// A piece of the content checksum is 6 blocks, 192 profiles.
TEST(Append, DigestsOfManyPieces) {
  constexpr std::uint32_t kSites = 40000;
  constexpr std::size_t kBlocks = 20, kBuilt = 13;  // 6, 6 and 1; then 6, 6, 6 and 2
  const std::size_t words = BlockShape{0, kSites}.block_words();
  std::mt19937 random(8);
  std::vector<Word> bits(kBlocks * words);
  for (Word& word : bits) word = static_cast<Word>(random());
  const auto ids = ids_of(kBlocks * kLanes);
  const auto add = [&](auto& to, std::size_t first, std::size_t end) {
    to.append(std::span(ids).subspan(first * kLanes, (end - first) * kLanes),
              {{(end - first) * kLanes, kSites}, bits.data() + first * words});
  };
  for (const std::size_t chunk : {1, 7}) {
    const Folder folder;
    for (const auto& [name, end] : {std::pair{"db.h5", kBuilt}, std::pair{"whole.h5", kBlocks}}) {
      Writer writer(folder / name, make_panel(kSites), {.chunk_blocks = chunk});
      add(writer, 0, end);
      writer.finish({.action = "build", .command = "", .inputs = {}});
    }
    Appender appender(folder / "db.h5");
    add(appender, kBuilt, kBuilt + 3);
    add(appender, kBuilt + 3, kBlocks);
    appender.finish({.action = "append", .command = "", .inputs = {}});
    EXPECT_EQ(Reader(folder / "db.h5").digests().size(), 4u);
    EXPECT_EQ(Reader(folder / "db.h5").digests(), Reader(folder / "whole.h5").digests());
    EXPECT_TRUE(verify(folder / "db.h5", 2, nullptr).empty());
  }
}

TEST(Append, TheLogGainsARecord) {
  const Folder folder;
  const People people = random_people(50, 20, 0.1, 1);
  build(folder / "db.h5", {people.begin(), people.begin() + 40});
  append(folder / "db.h5", people, 40, 50, 10, ids_of(50));
  const Reader db(folder / "db.h5");
  const auto log = db.log();
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[1].action, "append");
  EXPECT_EQ(log[1].profiles_before, 40u);
  EXPECT_EQ(log[1].profiles_after, 50u);
  EXPECT_EQ(log[1].inputs.at(0).sha256, "11ee");
  EXPECT_FALSE(log[1].utc.empty());
}

TEST(Append, LongerIdsMakeTheColumnWider) {
  const Folder folder;
  const People people = random_people(100, 20, 0.1, 1);
  std::vector<std::string> ids = ids_of(40);
  build(folder / "db.h5", {people.begin(), people.begin() + 40});
  for (std::size_t i = 40; i < 100; ++i) ids.push_back(std::string(1 + i * 3, 'x') + std::to_string(i));
  append(folder / "db.h5", people, 40, 100, 9, ids);
  expect_holds(folder / "db.h5", people, ids);
  ids[50] = std::string(kLongestProfileId + 1, 'y');
  Appender appender(folder / "db.h5");
  EXPECT_THROW(appender.append(std::span(ids).subspan(50, 1), pack(people, 50, 1).view()), InputError);
}

TEST(Append, ADamagedBlockGetsNoFreshChecksum) {
  const Folder folder;
  const People people = random_people(100, 64, 0, 1);
  build(folder / "db.h5", {people.begin(), people.begin() + 80}, 1024, 1);
  std::string bytes = fastid::testing::read_bytes(folder / "db.h5");
  const BitBlocks first = pack(people, 0, 32);
  const std::string block(reinterpret_cast<const char*>(first.view().bits), first.shape().block_bytes());
  const std::size_t at = bytes.find(block);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 5] = static_cast<char>(bytes[at + 5] ^ 16);
  spill(folder / "db.h5", bytes);
  // Its chunk is not touched, but it is of a piece whose digests are made anew.
  EXPECT_THROW(append(folder / "db.h5", people, 80, 90, 10, ids_of(90)), InputError);
  // The called plane comes into being: each checksum is made anew.
  People missing = people;
  missing[95][3] = '-';
  EXPECT_THROW(append(folder / "db.h5", missing, 80, 100, 10, ids_of(100)), InputError);
  EXPECT_EQ(Reader(folder / "db.h5").shape().n_profiles, 80u);
  ASSERT_EQ(verify(folder / "db.h5", 1, nullptr).size(), 1u);
}

/// What another program puts in the place of the database meanwhile stays.
TEST(Append, LeavesADatabaseThatWasReplacedMeanwhile) {
  const Folder folder;
  const People people = random_people(50, 5, 0, 1);
  const People forty(people.begin(), people.begin() + 40);
  for (const bool in_place : {false, true}) {
    build(folder / "db.h5", forty);
    build(folder / "other.h5", {people.begin(), people.begin() + 7});
    const std::string other = fastid::testing::read_bytes(folder / "other.h5");
    Appender appender(folder / "db.h5");
    appender.append(std::vector<std::string>{"new"}, pack(people, 40, 1).view());
    if (in_place)
      spill(folder / "db.h5", other);
    else
      std::filesystem::rename(folder / "other.h5", folder / "db.h5");
    try {
      appender.finish({.action = "append", .command = "", .inputs = {}});
      FAIL() << "it was overwritten";
    } catch (const Failure& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr("db.h5: another program changed or replaced it meanwhile"));
    }
    EXPECT_TRUE(fastid::testing::read_bytes(folder / "db.h5") == other);
  }
}

TEST(Append, ASecondWriterIsToldWhoTheFirstIs) {
  const Folder folder;
  build(folder / "db.h5", random_people(5, 5, 0, 1));
  {
    const Appender first(folder / "db.h5");
    for (const auto& second : {+[](const std::string& path) { Appender{path}; },
                               +[](const std::string& path) { Writer(path, make_panel(1), {}); }})
      try {
        second(folder / "db.h5");
        FAIL() << "two writers";
      } catch (const Failure& refusal) {
        EXPECT_THAT(refusal.what(),
                    HasSubstr("is being written by process " + std::to_string(::getpid()) + " on host "));
        EXPECT_THAT(refusal.what(), HasSubstr("unit_db"));
      }
  }
  const Appender again(folder / "db.h5");
}

TEST(Append, AWriterThatGaveUpLeavesNothing) {
  const Folder folder;
  const People people = random_people(50, 5, 0, 1);
  build(folder / "db.h5", {people.begin(), people.begin() + 40});
  const std::string before = fastid::testing::read_bytes(folder / "db.h5");
  {
    Appender appender(folder / "db.h5");
    appender.append(std::vector<std::string>{"new"}, pack(people, 40, 1).view());
    EXPECT_EQ(folder.entries(), 3u) << "the copy and the lock";
  }
  EXPECT_TRUE(fastid::testing::read_bytes(folder / "db.h5") == before);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Append, ReadersGoOnWithTheOldDatabase) {
  const Folder folder;
  const People people = random_people(100, 40, 0, 1), old(people.begin(), people.begin() + 40);
  build(folder / "db.h5", old);
  const Reader reader(folder / "db.h5");
  append(folder / "db.h5", people, 40, 100, 60, ids_of(100));
  EXPECT_EQ(letters_of(reader, 1), old);
  EXPECT_EQ(reader.profile_ids(0, 40), ids_of(40));
  EXPECT_EQ(Reader(folder / "db.h5").shape().n_profiles, 100u);
}

/// A file-size limit does what a full disk does.
TEST(Append, ADiskThatFillsUpLeavesTheOldDatabase) {
  const Folder folder;
  const People people = random_people(5000, 500, 0, 1);
  build(folder / "db.h5", {people.begin(), people.begin() + 2000}, 1024, 4);
  const std::string before = fastid::testing::read_bytes(folder / "db.h5");
  std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t more : {rlim_t{0}, rlim_t{4096}, rlim_t{50'000}, rlim_t{150'000}}) {
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit limit{before.size() - 1000 + more, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    EXPECT_THROW(append(folder / "db.h5", people, 2000, 5000, 1000, ids_of(5000)), Failure) << more;
    setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_TRUE(fastid::testing::read_bytes(folder / "db.h5") == before) << more;
    EXPECT_EQ(folder.entries(), 1u) << more;
  }
}

}  // namespace
}  // namespace fastid::db
