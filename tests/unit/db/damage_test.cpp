// Files that are damaged, cut, or something else altogether. A damaged database must be told apart from a
// sound one, or the damage must be harmless: everything that can be read from it is as it was.
#include <gmock/gmock.h>
#include <hdf5.h>

#include <atomic>
#include <cstring>

#include "base/error.hpp"
#include "db_testing.hpp"
#include "library_may_leak.hpp"

namespace fastid::db {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const std::string& path) {
  try {
    const Reader db(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Everything that a database says, as text.
std::string content_of(const Reader& db) {
  std::string text;
  for (const std::string& person : letters_of(db, 3)) text += person + "\n";
  for (const std::string& id : db.profile_ids(0, db.shape().n_profiles)) text += id + "\n";
  for (const LogRecord& record : db.log())
    text += record.action + record.command + record.created_by + record.utc + record.inputs.at(0).name +
            record.inputs.at(0).sha256 + std::to_string(record.profiles_after) + "\n";
  const Header& header = db.header();
  text += header.created_by + header.created_utc + header.panel_sha256 + std::string(name_of(header.kind));
  text += db.panel().sha256() + db.profiles_sha256() + header.content_sha256;
  for (const Population& population : db.panel().populations()) text += population.name;
  return text;
}

enum class Outcome { kDetected, kHarmless, kMissed };

/// Opens, verifies and reads all of a file that was changed.
Outcome outcome_of(const std::string& path, const std::string& content) {
  try {
    if (!verify(path, 1, nullptr).empty()) return Outcome::kDetected;
    return content_of(Reader(path)) == content ? Outcome::kHarmless : Outcome::kMissed;
  } catch (const InputError&) {
    return Outcome::kDetected;
  }
}

struct Tally {
  std::size_t detected = 0, harmless = 0, missed = 0;
};

void put_byte(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at)).put(byte);
}

/// A number from the environment: the long runs of scripts/trust set it.
std::size_t from_environment(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoul(text);
}

/// Flips one bit in every `step`th byte, or each of its bits.
Tally flip_everywhere(const std::string& path, std::size_t step, bool all_bits) {
  const std::string sound = fastid::testing::read_bytes(path), content = content_of(Reader(path));
  Tally tally;
  for (std::size_t at = 0; at < sound.size(); at += step)
    for (std::size_t bit = all_bits ? 0 : at % 8; bit < (all_bits ? 8 : at % 8 + 1); ++bit) {
      put_byte(path, at, static_cast<char>(sound[at] ^ (1 << bit)));
      const Outcome outcome = outcome_of(path, content);
      tally.detected += outcome == Outcome::kDetected;
      tally.harmless += outcome == Outcome::kHarmless;
      tally.missed += outcome == Outcome::kMissed;
      EXPECT_NE(outcome, Outcome::kMissed) << "byte " << at << ", bit " << bit;
      put_byte(path, at, sound[at]);
    }
  return tally;
}

/// 640 profiles in full blocks and full chunks: no byte of the planes is padding.
void build_dense(const std::string& path, double no_calls, Encoding encoding = Encoding::kMinor) {
  const People people = random_people(640, 64, no_calls, 11);
  build(path, encoding == Encoding::kAlleles ? with_homozygotes(people) : people, 640, 5, encoding);
}

/// A few more, with longer ids: the file has room that nothing uses any more.
void append_some(const std::string& path) {
  const People people = random_people(40, 64, 0.1, 12);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < people.size(); ++i)
    ids.push_back("a-person-with-a-longer-id-" + std::to_string(i));
  Appender appender(path);
  const Encoding encoding = appender.database().shape().encoding;
  appender.append(ids, pack(people, 0, people.size(), encoding).view());
  appender.finish({.action = "append", .command = "", .inputs = {{"more.vcf", "22ff", people.size()}}});
}

TEST(Damage, NoFlippedBitIsMissed) {
  const LibraryMayLeak leak;
  const std::size_t step = from_environment("FASTID_FLIP_STEP", 97);
  const bool all_bits = from_environment("FASTID_FLIP_ALL_BITS", 0) != 0;
  constexpr std::pair<double, Encoding> kKinds[] = {
      {0.0, Encoding::kMinor}, {0.1, Encoding::kMinor}, {0.1, Encoding::kAlleles}};
  for (const auto& [no_calls, encoding] : kKinds)
    for (const bool appended : {false, true}) {
      const Folder folder;
      build_dense(folder / "db.h5", no_calls, encoding);
      if (appended) append_some(folder / "db.h5");
      const Tally tally = flip_everywhere(folder / "db.h5", appended ? 2 * step : step, all_bits);
      std::printf("bit flips%s: %zu detected, %zu in dead space, %zu missed\n",
                  appended ? " after an append" : "", tally.detected, tally.harmless, tally.missed);
      EXPECT_EQ(tally.missed, 0u);
    }
}

/// Where `needle` is stored, one flip in each of its bytes.
void expect_all_detected(const std::string& path, const std::string& needle) {
  const std::string sound = fastid::testing::read_bytes(path), content = content_of(Reader(path));
  const std::size_t from = sound.find(needle);
  ASSERT_NE(from, std::string::npos);
  for (std::size_t i = 0; i < needle.size(); ++i) {
    std::string bytes = sound;
    bytes[from + i] = static_cast<char>(bytes[from + i] ^ (1 << i % 8));
    spill(path, bytes);
    EXPECT_EQ(outcome_of(path, content), Outcome::kDetected) << needle << ", byte " << i;
  }
  spill(path, sound);
}

std::string bytes_of(const void* data, std::size_t n) {
  return {static_cast<const char*>(data), n};
}

TEST(Damage, EveryByteOfEveryRegionIsGuarded) {
  const LibraryMayLeak leak;
  const Folder folder;
  const std::string path = folder / "db.h5";
  const People people = random_people(640, 64, 0.1, 11);
  build(path, people, 640, 5);
  const BitBlocks blocks = pack(people, 0, 640);
  expect_all_detected(path, bytes_of(blocks.view().bits + 64, 256));    // bits of block 1
  expect_all_detected(path, bytes_of(blocks.view().second + 64, 256));  // its called sites
  for (const char* text : {"person-17", "rs103", "minor", "individuals", "GRCh37", "fastid 0", "2", "build"})
    expect_all_detected(path, text);
  expect_all_detected(path, make_panel(64).sha256());
  const Panel panel = make_panel(64);
  expect_all_detected(path, bytes_of(panel.populations()[1].minor_freq.data(), 64));
  expect_all_detected(path, "\"inputs\":[");
  const std::uint32_t pos[] = {1000, 1007, 1014};
  expect_all_detected(path, bytes_of(pos, sizeof pos));
}

TEST(Damage, AFlippedBitInABlockIsNamedByReadAndByVerify) {
  const Folder folder;
  const People people = random_people(32 * 20 - 7, 64, 0, 11);
  build(folder / "db.h5", people, 1024, 5);
  const BitBlocks blocks = pack(people, 0, people.size());
  std::string bytes = fastid::testing::read_bytes(folder / "db.h5");
  for (const std::size_t block : {17, 19}) {
    const std::size_t at = bytes.find(bytes_of(blocks.view().bits + block * 64, 256));
    ASSERT_NE(at, std::string::npos);
    bytes[at + 9] = static_cast<char>(bytes[at + 9] ^ 4);
  }
  spill(folder / "db.h5", bytes);
  const Reader db(folder / "db.h5");
  std::vector<Word> bits(20 * 64);
  db.read(0, 17, bits.data(), nullptr);
  db.read(18, 1, bits.data(), nullptr);
  try {
    db.read(16, 4, bits.data(), nullptr);
    FAIL() << "the damage was not seen";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(),
              (folder / "db.h5") +
                  ", block 17 (profiles 544 to 575): checksum mismatch: the file is damaged; restore it "
                  "from a copy, `fastid db verify` lists all damage");
  }
  std::atomic<std::uint64_t> progress{0};
  const auto damage = verify(folder / "db.h5", 2, [&](std::uint64_t n) { progress += n; });
  ASSERT_EQ(damage.size(), 2u);
  EXPECT_EQ(damage[0].place, "block 17 (profiles 544 to 575)");
  EXPECT_EQ(damage[0].problem, "its checksum does not match");
  EXPECT_EQ(damage[1].place, "block 19 (profiles 608 to 632)");
  EXPECT_EQ(progress, 20u);
}

TEST(Damage, DuplicateIdsAreFoundByVerify) {
  const Folder folder;
  Writer writer(folder / "db.h5", make_panel(1), {});
  writer.append(std::vector<std::string>{"a", "b", "a", "c", "b", "a"}, pack(People(6, "1"), 0, 6).view());
  writer.finish({});
  const auto damage = verify(folder / "db.h5", 1, nullptr);
  ASSERT_EQ(damage.size(), 3u);
  EXPECT_EQ(damage[0].place, "profile 2");
  EXPECT_EQ(damage[0].problem, "its id 'a' is also that of profile 0");
  EXPECT_EQ(damage[1].problem, "its id 'b' is also that of profile 1");
  EXPECT_EQ(damage[2].place, "profile 5");
}

TEST(Damage, TruncatedFilesAreRejected) {
  const Folder folder;
  build_dense(folder / "db.h5", 0.1);
  const std::string sound = fastid::testing::read_bytes(folder / "db.h5");
  for (std::size_t i = 0; i < 20; ++i) {
    spill(folder / "db.h5", sound.substr(0, sound.size() * i / 20));
    const std::string error = error_of(folder / "db.h5");
    EXPECT_THAT(error, AllOf(HasSubstr("db.h5"), HasSubstr(i == 0 ? "not an HDF5 file" : "truncated"))) << i;
    EXPECT_THROW(verify(folder / "db.h5", 1, nullptr), InputError);
  }
  spill(folder / "db.h5", sound.substr(0, sound.size() - 1));
  EXPECT_THAT(error_of(folder / "db.h5"), HasSubstr("truncated"));
}

TEST(Damage, AFileThatShrinksWhileItIsReadIsAnError) {
  const Folder folder;
  build_dense(folder / "db.h5", 0);
  const Reader db(folder / "db.h5");
  std::filesystem::resize_file(folder / "db.h5", 4096);
  std::vector<Word> bits(20 * 64);
  EXPECT_THROW(db.read(0, 20, bits.data(), nullptr), InputError);
}

TEST(NotADatabase, OtherFilesAreToldApart) {
  const Folder folder;
  EXPECT_THAT(error_of(folder / "absent.h5"), HasSubstr("cannot open"));
  std::filesystem::create_directory(folder / "dir");
  EXPECT_THAT(error_of(folder / "dir"), HasSubstr("is a folder"));
  spill(folder / "empty", "");
  EXPECT_THAT(error_of(folder / "empty"), HasSubstr("not an HDF5 file"));
  spill(folder / "text", std::string(5000, 'x'));
  EXPECT_THAT(error_of(folder / "text"), HasSubstr("not an HDF5 file"));
  H5Fclose(H5Fcreate((folder / "other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_THAT(error_of(folder / "other.h5"), HasSubstr("no fastid database"));
  EXPECT_THAT(error_of("/dev/null"), HasSubstr("no regular file"));
}

/// Changes a sound database through HDF5, whose checksums then hold.
class Forger {
 public:
  explicit Forger(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {}
  ~Forger() { H5Fclose(file_); }

  void set_u32(const char* name, std::uint32_t value) { set(name, H5T_NATIVE_UINT32, &value); }
  void set_u64(const char* name, std::uint64_t value) { set(name, H5T_NATIVE_UINT64, &value); }
  void set_text(const char* name, const char* value) {
    H5Adelete(file_, name);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, std::strlen(value));
    make(name, type, value);
    H5Tclose(type);
  }
  void make(const char* name, hid_t type, const void* value) {
    const hid_t space = H5Screate(H5S_SCALAR),
                attribute = H5Acreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
  }
  void remove_attribute(const char* name) { H5Adelete(file_, name); }
  void remove(const char* name) { H5Ldelete(file_, name, H5P_DEFAULT); }
  void move(const char* from, const char* to) { H5Lmove(file_, from, file_, to, H5P_DEFAULT, H5P_DEFAULT); }
  void link_soft(const char* to, const char* name) {
    H5Lcreate_soft(to, file_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  void link_external(const char* file, const char* to, const char* name) {
    H5Lcreate_external(file, to, file_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  void link_hard(const char* to, const char* name) {
    H5Lcreate_hard(file_, to, file_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  /// A link of a class that only the program that made it can follow.
  void link_by_user(const char* name) {
    static const H5L_class_t kClass{
        H5L_LINK_CLASS_T_VERS,
        H5L_type_t(100),
        "test",
        nullptr,
        nullptr,
        nullptr,
        [](const char*, hid_t, const void*, size_t, hid_t, hid_t) -> hid_t { return -1; },
        nullptr,
        nullptr};
    H5Lregister(&kClass);
    H5Lcreate_ud(file_, name, kClass.id, "x", 1, H5P_DEFAULT, H5P_DEFAULT);
    H5Lunregister(kClass.id);
  }
  /// A dataset of zeros.
  void create(const char* name, hid_t type, std::vector<hsize_t> dims, std::vector<hsize_t> chunk,
              bool deflate) {
    const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunk.empty()) H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
    if (deflate) H5Pset_deflate(list, 1);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_INCR);
    H5Dclose(H5Dcreate2(file_, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    H5Sclose(space);
  }

 private:
  void set(const char* name, hid_t type, const void* value) {
    const hid_t attribute = H5Aopen(file_, name, H5P_DEFAULT);
    H5Awrite(attribute, type, value);
    H5Aclose(attribute);
  }
  hid_t file_;
};

/// The error of a database of 40 profiles and 70 sites after `forge` has been at it.
template <class Forge>
std::string error_after(const Forge& forge) {
  const Folder folder;
  build(folder / "db.h5", random_people(40, 70, 0.1, 2));
  {
    Forger forger(folder / "db.h5");
    forge(forger);
  }
  return error_of(folder / "db.h5");
}

TEST(NotADatabase, ANewerVersionSaysSo) {
  EXPECT_THAT(error_after([](Forger& f) { f.set_u32("format_version", 4); }),
              HasSubstr("was written by a newer fastid (format version 4); update fastid"));
  EXPECT_THAT(error_after([](Forger& f) { f.set_u32("format_version", 0); }), HasSubstr("format_version"));
  EXPECT_THAT(error_after([](Forger& f) { f.set_u32("format_version", 2); }),
              HasSubstr("encoding: is not \"alleles\""));
  EXPECT_THAT(error_after([](Forger& f) { f.set_text("format", "fastid-xx"); }),
              HasSubstr("no fastid database"));
}

TEST(Forged, AttributesThatDoNotFitAreNamed) {
  for (const char* name : {"n_profiles", "n_sites", "lanes", "kind", "encoding", "genome_build",
                           "panel_sha256", "created_by", "created_utc", "format_version"})
    EXPECT_THAT(error_after([&](Forger& f) { f.remove_attribute(name); }), HasSubstr(name));
  EXPECT_THAT(error_after([](Forger& f) { f.set_u32("lanes", 64); }), HasSubstr("lanes"));
  EXPECT_THAT(error_after([](Forger& f) { f.set_text("kind", "people"); }), HasSubstr("neither individuals"));
  EXPECT_THAT(error_after([](Forger& f) { f.set_text("genome_build", "hg99"); }), HasSubstr("genome_build"));
  EXPECT_THAT(error_after([](Forger& f) { f.set_text("encoding", "major"); }), HasSubstr("encoding"));
  EXPECT_THAT(error_after([](Forger& f) { f.set_text("panel_sha256", "00"); }),
              HasSubstr("the panel is damaged"));
  EXPECT_THAT(error_after([](Forger& f) { f.set_text("n_sites", "70"); }), HasSubstr("not of type u32"));
  const std::uint32_t number = 1;
  EXPECT_THAT(error_after([&](Forger& f) {
                f.remove_attribute("kind");
                f.make("kind", H5T_NATIVE_UINT32, &number);
              }),
              HasSubstr("no fixed-length string"));
}

TEST(Forged, CountsThatTheFileDoesNotHoldAreRejectedWithoutTakingMemory) {
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{39}, std::uint64_t{41}, std::uint64_t{65},
                                std::uint64_t{1} << 40, UINT64_MAX})
    EXPECT_NE(error_after([&](Forger& f) { f.set_u64("n_profiles", n); }), "") << n;
  for (const std::uint32_t n : {0u, 69u, 71u, 4000000000u, UINT32_MAX})
    EXPECT_NE(error_after([&](Forger& f) { f.set_u32("n_sites", n); }), "") << n;
  // All agree on a number that only the storage gives the lie to.
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 45;
  EXPECT_THAT(
      error_after([&](Forger& f) {
        f.set_u64("n_profiles", kHuge);
        for (const char* name : {"/profiles/id", "/profiles/checksum", "/profiles/bits", "/profiles/called"})
          f.remove(name);
        f.create("/profiles/id", H5T_NATIVE_UINT64, {kHuge}, {1 << 20}, false);
        f.create("/profiles/checksum", H5T_NATIVE_UINT64, {kHuge / 32}, {1 << 20}, false);
        f.create("/profiles/bits", H5T_NATIVE_UINT32, {kHuge / 32, 3, 32}, {1, 3, 32}, false);
      }),
      HasSubstr("which the file does not hold"));
}

TEST(Forged, DatasetsOfAnotherShapeTypeOrStorageAreRejected) {
  for (const char* name : {"/profiles/id", "/profiles/checksum", "/profiles/bits", "/panel/id", "/panel/pos",
                           "/panel/freq", "/panel/major", "/panel/minor", "/panel/chrom"})
    EXPECT_NE(error_after([&](Forger& f) { f.remove(name); }), "") << name;
  const auto bits_as = [](hid_t type, std::vector<hsize_t> dims, std::vector<hsize_t> chunk, bool deflate) {
    return error_after([&](Forger& f) {
      f.remove("/profiles/bits");
      f.create("/profiles/bits", type, dims, chunk, deflate);
    });
  };
  EXPECT_THAT(bits_as(H5T_NATIVE_UINT32, {2, 3, 32}, {}, false), HasSubstr("is not chunked"));
  EXPECT_THAT(bits_as(H5T_NATIVE_UINT32, {2, 3, 32}, {1, 3, 32}, true), HasSubstr("compressed"));
  EXPECT_THAT(bits_as(H5T_NATIVE_UINT32, {2, 3, 32}, {1, 1, 32}, false), HasSubstr("whole blocks"));
  EXPECT_THAT(bits_as(H5T_NATIVE_UINT32, {2, 3, 32}, {1, 3, 32}, false),
              HasSubstr("lacks the chunk of block 0"));
  EXPECT_THAT(bits_as(H5T_NATIVE_UINT64, {2, 3, 32}, {1, 3, 32}, false), HasSubstr("not of type u32"));
  EXPECT_THAT(bits_as(H5T_NATIVE_UINT32, {3, 3, 32}, {1, 3, 32}, false), HasSubstr("has shape [3, 3, 32]"));
  EXPECT_THAT(bits_as(H5T_NATIVE_UINT32, {2, 96}, {1, 96}, false), HasSubstr("three-dimensional"));
  EXPECT_THAT(error_after([](Forger& f) { f.move("/profiles/id", "/profiles/name"); }),
              HasSubstr("/profiles/id"));
  EXPECT_THAT(error_after([](Forger& f) {
                f.remove("/profiles/id");
                f.create("/profiles/id", H5T_NATIVE_UINT32, {40}, {40}, false);
              }),
              HasSubstr("/profiles/id"));
}

TEST(Forged, ObjectsAreReachedByOneHardLinkEach) {
  const auto is_link = HasSubstr("/profiles/id: is a soft, external or user-defined link");
  EXPECT_THAT(error_after([](Forger& f) {
                f.move("/profiles/id", "/id");
                f.link_soft("/id", "/profiles/id");
              }),
              is_link);
  EXPECT_THAT(error_after([](Forger& f) {
                f.remove("/profiles/id");
                f.link_external("other.h5", "/profiles/id", "/profiles/id");
              }),
              is_link);
  EXPECT_THAT(error_after([](Forger& f) {
                f.remove("/profiles/id");
                f.link_by_user("/profiles/id");
              }),
              is_link);
  EXPECT_THAT(error_after([](Forger& f) {
                f.remove("/profiles/called");
                f.link_hard("/profiles/bits", "/profiles/called");
              }),
              HasSubstr("has two names"));
  EXPECT_THAT(error_after([](Forger& f) { f.link_hard("/", "/panel/again"); }), HasSubstr("has two names"));
}

TEST(Forged, ALogThatIsNoLogIsDamage) {
  const Folder folder;
  build(folder / "db.h5", random_people(40, 70, 0, 2));
  {
    Forger forger(folder / "db.h5");
    forger.remove("/log");
  }
  const auto damage = verify(folder / "db.h5", 1, nullptr);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].place, "log");
  EXPECT_THROW(Reader(folder / "db.h5").log(), InputError);
}

}  // namespace
}  // namespace fastid::db
