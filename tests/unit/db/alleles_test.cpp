// Databases that say which alleles were seen (format version 2), and appends across encodings.
#include <gmock/gmock.h>
#include <hdf5.h>

#include "base/error.hpp"
#include "db_testing.hpp"
#include "support/checksums.hpp"
#include "support/refusal.hpp"

namespace fastid::db {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// Some of each genotype, some not called.
People random_genotypes(std::size_t n, std::size_t sites, std::uint32_t seed, double no_calls = 0.1) {
  return with_homozygotes(random_people(n, sites, no_calls, seed));
}

/// What a database of Encoding::kMinor holds of the same people.
People without_homozygotes(People people) {
  for (std::string& person : people)
    for (char& site : person)
      if (site == '2') site = '1';
  return people;
}

void append(const std::string& path, const People& people, std::size_t from, std::size_t to,
            std::size_t batch, Encoding encoding) {
  const auto ids = ids_of(people.size());
  Appender appender(path);
  for (std::size_t first = from; first < to; first += batch) {
    const std::size_t n = std::min(batch, to - first);
    appender.append(std::span(ids).subspan(first, n), pack(people, first, n, encoding).view());
  }
  appender.finish({.action = "append", .command = "", .inputs = {}});
}

void expect_holds(const std::string& path, const People& people, Encoding encoding) {
  const Reader db(path);
  EXPECT_EQ(db.shape().encoding, encoding);
  EXPECT_EQ(db.header().format_version, format_version_of(encoding));
  EXPECT_EQ(letters_of(db, 3), people);
  EXPECT_EQ(db.profile_ids(0, people.size()), ids_of(people.size()));
  EXPECT_TRUE(verify(path, 2, nullptr).empty());
  const std::size_t words = db.shape().n_blocks() * db.shape().block_words();
  WordBuffer bits(words), second(db.has_second() ? words : 0);
  db.read(0, db.shape().n_blocks(), bits.data(), second.data());
  const BlocksView all{db.shape(), bits.data(), db.has_second() ? second.data() : nullptr};
  EXPECT_TRUE(std::ranges::equal(db.checksums(), fastid::testing::block_checksums(all)));
}

TEST(Alleles, RoundTripAtEveryEdge) {
  for (const std::size_t profiles : {1, 31, 32, 33, 100, 500})
    for (const std::size_t sites : {1, 31, 32, 33, 1000})
      for (const std::size_t batch : {7, 64}) {
        SCOPED_TRACE(::testing::Message() << profiles << " x " << sites << ", batch " << batch);
        const Folder folder;
        const People people = random_genotypes(profiles, sites, 7, sites == 33 ? 0 : 0.1);
        build(folder / "db.h5", people, batch, profiles == 500 ? 3 : 0, Encoding::kAlleles);
        expect_holds(folder / "db.h5", people, Encoding::kAlleles);
        EXPECT_TRUE(Reader(folder / "db.h5").has_second());
      }
}

TEST(Alleles, AppendsGiveWhatOneBuildGives) {
  for (const std::size_t cut : {1, 31, 32, 33, 96})
    for (const std::size_t chunk : {1, 3}) {
      SCOPED_TRACE(::testing::Message() << "cut at " << cut << ", chunk " << chunk);
      const Folder folder;
      const People people = random_genotypes(cut + 70, 45, 5);
      build(folder / "db.h5", {people.begin(), people.begin() + static_cast<std::ptrdiff_t>(cut)}, 1024,
            chunk, Encoding::kAlleles);
      append(folder / "db.h5", people, cut, cut + 20, 7, Encoding::kAlleles);
      append(folder / "db.h5", people, cut + 20, cut + 70, 40, Encoding::kAlleles);
      expect_holds(folder / "db.h5", people, Encoding::kAlleles);
      build(folder / "whole.h5", people, 1024, chunk, Encoding::kAlleles);
      EXPECT_EQ(Reader(folder / "db.h5").digests(), Reader(folder / "whole.h5").digests());
      EXPECT_EQ(Reader(folder / "db.h5").profiles_sha256(), Reader(folder / "whole.h5").profiles_sha256());
    }
}

TEST(Alleles, BecomeMinorAllelesInADatabaseOfThese) {
  for (const double no_calls : {0.0, 0.1})
    for (const std::size_t cut : {1, 32, 96}) {
      const Folder folder;
      const People people = random_genotypes(cut + 300, 45, 5, no_calls), plain = without_homozygotes(people);
      build(folder / "db.h5", {plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(cut)}, 1024, 2);
      append(folder / "db.h5", people, cut, cut + 300, 150, Encoding::kAlleles);
      expect_holds(folder / "db.h5", plain, Encoding::kMinor);
      build(folder / "whole.h5", plain, 1024, 2);
      EXPECT_EQ(Reader(folder / "db.h5").digests(), Reader(folder / "whole.h5").digests());
      EXPECT_EQ(Reader(folder / "db.h5").has_second(), no_calls > 0);
    }
}

TEST(Alleles, AreNotMadeUpForProfilesThatLackThem) {
  const Folder folder;
  const People people = random_people(50, 20, 0.1, 1);
  build(folder / "db.h5", {people.begin(), people.begin() + 40}, 1024, 0, Encoding::kAlleles);
  const std::string before = fastid::testing::read_bytes(folder / "db.h5");
  EXPECT_THAT(
      fastid::testing::refusal([&] { append(folder / "db.h5", people, 40, 50, 10, Encoding::kMinor); }),
      HasSubstr("profiles to be added say only where a minor one was; add the files that they were "
                "made from, or build a database with --encoding minor"));
  EXPECT_TRUE(fastid::testing::read_bytes(folder / "db.h5") == before);
}

TEST(Alleles, SameContentInAnotherEncodingHasAnotherChecksum) {
  const Folder folder;
  const People people(40, std::string(32, '0'));
  build(folder / "minor.h5", people);
  build(folder / "alleles.h5", people, 1024, 0, Encoding::kAlleles);
  EXPECT_NE(Reader(folder / "minor.h5").profiles_sha256(), Reader(folder / "alleles.h5").profiles_sha256());
}

/// Sets a bit of one plane and mends nothing.
void flip(const std::string& path, const char* plane, std::size_t word) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, plane, H5P_DEFAULT);
  std::vector<Word> words(2 * 3 * kLanes);
  H5Dread(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data());
  words[word] ^= 1;
  H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data());
  H5Dclose(dataset);
  H5Fclose(file);
}

TEST(Alleles, DamageInEitherPlaneIsSeen) {
  for (const char* plane : {"/profiles/minor", "/profiles/major"}) {
    const Folder folder;
    build(folder / "db.h5", random_genotypes(40, 70, 2), 1024, 0, Encoding::kAlleles);
    flip(folder / "db.h5", plane, 3 * kLanes + 5);
    const auto damage = verify(folder / "db.h5", 1, nullptr);
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].place, "block 1 (profiles 32 to 39)");
    EXPECT_EQ(damage[0].problem, "its checksum does not match");
    const Reader db(folder / "db.h5");
    std::vector<Word> bits(3 * kLanes), second(3 * kLanes);
    db.read(0, 1, bits.data(), second.data());
    EXPECT_THROW(db.read(1, 1, bits.data(), second.data()), InputError);
  }
}

TEST(Alleles, BothPlanesMustBeThere) {
  const Folder folder;
  build(folder / "db.h5", random_genotypes(40, 70, 2), 1024, 0, Encoding::kAlleles);
  const hid_t file = H5Fopen((folder / "db.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "/profiles/major", H5P_DEFAULT);
  H5Fclose(file);
  EXPECT_THAT(fastid::testing::refusal([&] { const Reader db(folder / "db.h5"); }),
              HasSubstr("/profiles/major"));
}

}  // namespace
}  // namespace fastid::db
