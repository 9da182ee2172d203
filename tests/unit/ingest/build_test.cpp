// Files into a database: whose bits stand in which row, whatever files they came in; ids; what is left
// behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "ingest/ingest.hpp"
#include "support/temp_folder.hpp"

namespace fastid::ingest {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::uint32_t kSites = 33;

/// Person `p` carries the minor allele at site `s`, or is not called there: rules that no packing knows.
bool carries(std::uint64_t p, std::uint32_t s) {
  return (p * 7 + s * 5 + p * s) % 3 == 0;
}
bool typed(std::uint64_t p, std::uint32_t s) {
  return (p + s) % 11 != 0;
}

std::string id_of(std::uint64_t p) {
  return "person-" + std::to_string(p);
}

class Build : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string panel = "id\tchrom\tpos\tmajor\tminor\n";
    for (std::uint32_t s = 0; s < kSites; ++s)
      panel += "rs" + std::to_string(s) + "\t1\t" + std::to_string(100 + s) + "\tA\tG\n";
    write("panel.tsv", panel);
  }
  std::string write(const std::string& name, const std::string& text) { return folder_.write(name, text); }

  /// People first .. first + n - 1: one as `.snp`, more as VCF.
  std::string write_people(std::uint64_t first, std::uint64_t n) {
    const std::string name = std::to_string(first) + "-" + std::to_string(n);
    std::string text = n == 1
                           ? "#sample " + id_of(first) + "\n"
                           : "##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"G\">\n"
                             "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
    for (std::uint64_t p = first; n > 1 && p < first + n; ++p) text += "\t" + id_of(p);
    if (n > 1) text += "\n";
    for (std::uint32_t s = 0; s < kSites; ++s) {
      const std::string id = "rs" + std::to_string(s), pos = std::to_string(100 + s);
      text += n == 1 ? id + "\t1\t" + pos : "1\t" + pos + "\t" + id + "\tA\tG\t.\t.\t.\tGT";
      for (std::uint64_t p = first; p < first + n; ++p)
        text += n == 1          ? !typed(p, s)    ? "\t--"
                                  : carries(p, s) ? "\tAG"
                                                  : "\tAA"
                : !typed(p, s)  ? "\t./."
                : carries(p, s) ? "\t0/1"
                                : "\t0/0";
      text += "\n";
    }
    return write(name, text);
  }

  BuildOptions options(std::vector<std::string> inputs) {
    BuildOptions options;
    options.output = folder_ / "people.h5";
    options.panel = folder_ / "panel.tsv";
    options.inputs = std::move(inputs);
    options.progress = ProgressMode::kNever;
    return options;
  }

  /// The database holds people 0 .. n - 1 in this order.
  void expect_people(std::uint64_t n) {
    const db::Reader reader(folder_ / "people.h5");
    ASSERT_EQ(reader.shape(), (BlockShape{n, kSites}));
    ASSERT_TRUE(reader.has_second());
    const std::vector<std::string> ids = reader.profile_ids(0, n);
    WordBuffer bits(reader.shape().n_blocks() * reader.shape().block_words()), called(bits.size());
    reader.read(0, reader.shape().n_blocks(), bits.data(), called.data());
    const BlocksView view{reader.shape(), bits.data(), called.data()};
    for (std::uint64_t p = 0; p < n; ++p) {
      ASSERT_EQ(ids[p], id_of(p));
      for (std::uint32_t s = 0; s < kSites; ++s) {
        ASSERT_EQ(view.called_word(p, s / 32) >> s % 32 & 1u, typed(p, s)) << p << ", " << s;
        ASSERT_EQ(view.bits_word(p, s / 32) >> s % 32 & 1u, typed(p, s) && carries(p, s)) << p << ", " << s;
      }
    }
  }

  const fastid::testing::TempFolder folder_;
};

TEST_F(Build, KeepsTheOrderOfPeopleWhateverFilesTheyCameIn) {
  for (const std::vector<std::uint64_t>& sizes :
       std::vector<std::vector<std::uint64_t>>{{1},
                                               {31},
                                               {32},
                                               {33},
                                               {1, 1, 1},
                                               {31, 1, 1},
                                               {31, 2},
                                               {1, 32, 1},
                                               {1, 33, 31, 1, 64, 2, 1},
                                               {1000, 24, 1, 1},
                                               std::vector<std::uint64_t>(65, 1)}) {
    SCOPED_TRACE(::testing::PrintToString(sizes));
    std::vector<std::string> inputs;
    std::uint64_t people = 0;
    for (const std::uint64_t size : sizes) {
      inputs.push_back(write_people(people, size));
      people += size;
    }
    const BuildSummary summary = build_database(options(inputs));
    EXPECT_EQ(summary.profiles, people);
    EXPECT_EQ(summary.sites, kSites);
    ASSERT_NO_FATAL_FAILURE(expect_people(people));
    EXPECT_TRUE(db::verify(folder_ / "people.h5", 1, nullptr).empty());
  }
}

TEST_F(Build, RefusesAnIdThatTwoFilesHoldAndLeavesNothing) {
  const std::string many = write_people(0, 40), one = write_people(39, 1);
  try {
    build_database(options({many, one}));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(one + ", profile 'person-39': the same id is in " + many));
  }
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder_.path())) left.push_back(entry.path().filename());
  EXPECT_THAT(left, ::testing::UnorderedElementsAre("panel.tsv", "0-40", "39-1"));
}

TEST_F(Build, ExportedPeopleAreReadBackAsTheSameBits) {
  build_database(options({write_people(0, 35)}));
  ExportOptions vcf{.database = folder_ / "people.h5", .output = folder_ / "all.vcf"};
  export_database(vcf);
  build_database(options({vcf.output}));
  ASSERT_NO_FATAL_FAILURE(expect_people(35));
  std::vector<std::string> singles;
  for (std::uint64_t p = 0; p < 35; ++p) {
    ExportOptions one{.database = folder_ / "people.h5",
                      .output = folder_ / (std::to_string(p) + ".snp"),
                      .format = ExportFormat::kSnp,
                      .profiles = {id_of(p)}};
    export_database(one);
    singles.push_back(one.output);
  }
  build_database(options(singles));
  ASSERT_NO_FATAL_FAILURE(expect_people(35));
}

}  // namespace
}  // namespace fastid::ingest
