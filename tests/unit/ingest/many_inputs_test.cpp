// Many inputs: one order whatever the threads, ids that come twice, builds that were stopped and go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/error.hpp"
#include "ingest/ingest.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::ingest {
namespace {

namespace fs = std::filesystem;
using fastid::testing::read_bytes;
using fastid::testing::refusal;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t kManySites = 40;

class ManyInputs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string panel = "id\tchrom\tpos\tmajor\tminor\n";
    for (std::uint32_t s = 0; s < kManySites; ++s)
      panel += "rs" + std::to_string(s) + "\t1\t" + std::to_string(100 + s) + "\tA\tG\n";
    folder_.write("panel.tsv", panel);
  }

  /// One person: a letter a site, '0' AA, '1' AG, '-' not called.
  std::string person(const std::string& file, const std::string& id, const std::string& calls) {
    std::string text = "#sample " + id + "\n";
    for (std::uint32_t s = 0; s < calls.size(); ++s)
      text += "rs" + std::to_string(s) + "\t1\t" + std::to_string(100 + s) + "\t" +
              (calls[s] == '0'   ? "AA"
               : calls[s] == '1' ? "AG"
                                 : "--") +
              "\n";
    return folder_.write(file, text);
  }
  static std::string calls_of_person(int p) {
    std::string calls;
    for (std::uint32_t s = 0; s < kManySites; ++s)
      calls += "01-"[(static_cast<std::uint32_t>(p) * 7 + s * 5) % 3];
    return calls;
  }
  std::vector<std::string> people(int n) {
    std::vector<std::string> files;
    for (int p = 0; p < n; ++p)
      files.push_back(person("f" + std::to_string(p), "P" + std::to_string(p), calls_of_person(p)));
    return files;
  }

  BuildOptions options(std::vector<std::string> inputs) const {
    BuildOptions options;
    options.output = folder_ / "people.h5";
    options.panel = folder_ / "panel.tsv";
    options.inputs = std::move(inputs);
    options.progress = ProgressMode::kNever;
    return options;
  }
  struct Content {
    std::vector<std::string> ids, calls;
    friend bool operator==(const Content&, const Content&) = default;
  };
  Content content() const {
    const db::Reader reader(folder_ / "people.h5");
    const BlockShape shape = reader.shape();
    WordBuffer bits(shape.n_blocks() * shape.block_words()), called(bits.size());
    reader.read(0, shape.n_blocks(), bits.data(), called.data());
    const BlocksView view{shape, bits.data(), reader.has_second() ? called.data() : nullptr};
    Content content{reader.profile_ids(0, shape.n_profiles), {}};
    for (std::uint64_t p = 0; p < shape.n_profiles; ++p) {
      std::string& text = content.calls.emplace_back();
      for (std::uint32_t s = 0; s < shape.n_sites; ++s)
        text += (view.called_word(p, s / 32) >> s % 32 & 1) == 0 ? '-'
                : (view.bits_word(p, s / 32) >> s % 32 & 1) != 0 ? '1'
                                                                 : '0';
    }
    return content;
  }
  bool has_side_file() const { return fs::exists(folder_ / "people.h5.resume"); }

  const fastid::testing::TempFolder folder_;
};

TEST_F(ManyInputs, OneOrderWhateverTheThreads) {
  const auto files = people(150);
  std::string messages;
  Content expected;
  for (const std::size_t threads : {1u, 2u, 3u, 8u, 200u}) {
    BuildOptions build = options(files);
    build.threads = threads;
    ::testing::internal::CaptureStderr();
    build_database(build);
    const std::string said = ::testing::internal::GetCapturedStderr();
    if (threads == 1) {
      messages = said;
      expected = content();
      for (int p = 0; p < 150; ++p) {
        ASSERT_EQ(expected.ids[static_cast<std::size_t>(p)], "P" + std::to_string(p));
        ASSERT_EQ(expected.calls[static_cast<std::size_t>(p)], calls_of_person(p));
      }
    }
    EXPECT_EQ(said, messages) << threads << " threads";
    EXPECT_EQ(content(), expected) << threads << " threads";
  }
}

TEST_F(ManyInputs, TheFirstBadInputIsNamedWhateverTheThreads) {
  auto files = people(60);
  folder_.write("f20", "rs1\t1\t101\tXX\n");
  folder_.write("f21", "rs1\t1\t101\tYY\n");
  folder_.write("f55", "rs1\t1\t101\tZZ\n");
  for (const std::size_t threads : {1u, 2u, 8u}) {
    BuildOptions build = options(files);
    build.threads = threads;
    EXPECT_THAT(refusal([&] { build_database(build); }),
                HasSubstr("f20, line 1: the genotype is not letters"));
    EXPECT_FALSE(fs::exists(build.output));
    EXPECT_FALSE(has_side_file());
  }
}

TEST_F(ManyInputs, DuplicatesAreRefusedRenamedOrMerged) {
  const std::string plain(kManySites, '0'),
      typed = "01-0" + plain.substr(4), again = "0110" + plain.substr(4), other = "0010" + plain.substr(4);
  const std::vector<std::string> files = {person("a", "Anna", typed), person("b", "Ben", plain),
                                          person("c", "Anna", again), person("d", "Anna.2", plain),
                                          person("e", "Anna", other)};
  BuildOptions build = options(files);
  EXPECT_THAT(refusal([&] { build_database(build); }),
              HasSubstr("c, profile 'Anna': the same id is in " + files[0] + "; give each person one id"));
  build.duplicates = DuplicateRule::kRename;
  build_database(build);
  EXPECT_THAT(content().ids, ElementsAre("Anna", "Ben", "Anna.2", "Anna.2.2", "Anna.3"));
  EXPECT_THAT(content().calls, ElementsAre(typed, plain, again, plain, other));
  build.duplicates = DuplicateRule::kMerge;
  build_database(build);
  EXPECT_THAT(content().ids, ElementsAre("Anna", "Ben", "Anna.2"));
  EXPECT_EQ(content().calls[0], "0-10" + plain.substr(4)) << "who disagree are not called, who add are";
}

TEST_F(ManyInputs, PeopleWhoDifferTooMuchAreNotMerged) {
  std::string one(kManySites, '0'), two = one, three = one;
  for (int s = 0; s < 4; ++s) two[static_cast<std::size_t>(s)] = '1';  // 4 of 40: a tenth
  for (int s = 0; s < 5; ++s) three[static_cast<std::size_t>(s)] = '1';
  BuildOptions build = options({person("a", "X", one), person("b", "X", two)});
  build.duplicates = DuplicateRule::kMerge;
  EXPECT_EQ(refusal([&] { build_database(build); }), "accepted");
  build.inputs = {person("a", "X", one), person("b", "X", three)};
  EXPECT_THAT(refusal([&] { build_database(build); }),
              HasSubstr("differ at 5 of 40 sites: they are not of one person"));
}

TEST_F(ManyInputs, AStoppedBuildGoesOn) {
  const auto files = people(50);
  build_database(options(files));
  const Content expected = content();
  fs::remove(folder_ / "people.h5");

  const std::string good = read_bytes(files[30]);
  folder_.write("f30", "rs1\t1\t101\tXX\n");
  BuildOptions build = options(files);
  build.resume = true;
  EXPECT_THAT(refusal([&] { build_database(build); }), HasSubstr("f30"));
  ASSERT_TRUE(has_side_file());
  struct stat info {};
  ASSERT_EQ(::stat((folder_ / "people.h5.resume").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u) << "profiles are nobody else's business";

  folder_.write("f30", good);
  ::testing::internal::CaptureStderr();
  build_database(build);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("30 inputs read before"));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("f29: sites matched")));
  EXPECT_THAT(said, HasSubstr("f30: sites matched"));
  EXPECT_EQ(content(), expected);
  EXPECT_FALSE(has_side_file());
}

/// A side file that holds all of `files`, but no database.
TEST_F(ManyInputs, ADamagedOrCutSideFileCostsOnlyWhatItLost) {
  auto files = people(12);
  build_database(options(files));
  const Content expected = content();
  fs::remove(folder_ / "people.h5");
  BuildOptions build = options(files);
  build.resume = true;
  build.inputs.push_back(folder_.write("bad", "rs1\t1\t101\tXX\n"));
  EXPECT_THAT(refusal([&] { build_database(build); }), HasSubstr("bad"));
  const std::string side = folder_ / "people.h5.resume", whole = read_bytes(side);
  build.inputs.pop_back();
  for (std::size_t size = 0; size <= whole.size(); size += 97) {
    folder_.write("people.h5.resume", whole.substr(0, size));
    build_database(build);
    ASSERT_EQ(content(), expected) << "cut at " << size;
  }
  for (std::size_t at = 0; at < whole.size(); at += 61) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(~damaged[at]);
    folder_.write("people.h5.resume", damaged);
    ASSERT_EQ(refusal([&] { build_database(build); }), "accepted") << "byte " << at;
    ASSERT_EQ(content(), expected) << "byte " << at;
  }
}

TEST_F(ManyInputs, AnInputThatChangedIsReadAgain) {
  auto files = people(3);
  BuildOptions build = options(files);
  build.resume = true;
  build.inputs.push_back(folder_.write("bad", "rs1\t1\t101\tXX\n"));
  EXPECT_NE(refusal([&] { build_database(build); }), "accepted");
  build.inputs.pop_back();
  const std::string changed = "1" + std::string(kManySites - 1, '0');
  person("f1", "P1", changed);
  fs::last_write_time(files[1], fs::file_time_type::clock::now() + std::chrono::hours(1));
  build_database(build);
  EXPECT_EQ(content().calls[1], changed);
  EXPECT_THAT(content().ids, ElementsAre("P0", "P1", "P2"));
}

TEST_F(ManyInputs, ASideFileOfOtherOptionsIsRefused) {
  BuildOptions build = options(people(2));
  build.resume = true;
  build.inputs.push_back(folder_.write("bad", "rs1\t1\t101\tXX\n"));
  EXPECT_NE(refusal([&] { build_database(build); }), "accepted");
  build.import.palindromic = imports::PalindromicRule::kDrop;
  EXPECT_THAT(refusal([&] { build_database(build); }),
              HasSubstr("people.h5.resume: is of a build with another panel"));
}

TEST_F(ManyInputs, NothingIsLeftBesideTheDatabase) {
  build_database(options(people(70)));
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    if (entry.path().filename().string().front() != 'f') left.push_back(entry.path().filename());
  EXPECT_THAT(left, ::testing::UnorderedElementsAre("panel.tsv", "people.h5"));
}

}  // namespace
}  // namespace fastid::ingest
