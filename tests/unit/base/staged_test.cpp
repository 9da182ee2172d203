// Files that appear whole, private until told otherwise; locks that name their holder; what an early end
// leaves.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "base/internal/emergency.hpp"
#include "base/process.hpp"
#include "base/staged_file.hpp"
#include "base/write_lock.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid {
namespace {

using ::testing::HasSubstr;
using testing::TempFolder;

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

/// Runs `body` in a process of its own, which then waits; ends it by `signal` and gives its status.
int end_child(int signal, const std::function<void()>& body) {
  int ready[2] = {};
  if (::pipe(ready) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    [[maybe_unused]] const ssize_t put = ::write(ready[1], "r", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  [[maybe_unused]] const ssize_t got = ::read(ready[0], &byte, 1);
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  return status;
}

void put(const StagedFile& file, std::string_view text) {
  const FileDescriptor fd(::open(file.path().c_str(), O_WRONLY));
  ASSERT_EQ(::write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(Room, IsComparedWithWhatIsFreeBeforeAnythingIsWritten) {
  const TempFolder folder;
  const std::string path = folder / "new";
  const auto refused = [](const std::string& at, double bytes) {
    return testing::refusal<Failure>([&] { check_room(at, bytes, "numbers", "write fewer"); });
  };
  constexpr double kExa = 1e18;  // no disk has so much
  EXPECT_THAT(refused(path, 2 * kExa),
              HasSubstr(path + ": numbers take at least 2,000,000,000,000,000,000 bytes, and "));
  EXPECT_THAT(refused(path, 2 * kExa), HasSubstr(" are free there; write fewer"));
  check_room(path, 1, "numbers", "");
  check_room("/dev/null", kExa, "numbers", "");
  check_room(folder / "none/new", kExa, "numbers", "");  // whoever opens it says why
  EXPECT_FALSE(std::filesystem::exists(path));
}

class Staged : public ::testing::TestWithParam<StagedFile::Name> {};

/// Three files that are read together, of which some replace older ones.
struct Set {
  explicit Set(const TempFolder& folder, StagedFile::Name name)
      : first(folder / "set.first", name),
        second(folder / "set.second", name),
        last(folder / "set.last", name) {}
  void commit() {
    StagedFile* const files[] = {&first, &second, &last};
    StagedFile::commit_together(files);
  }
  StagedFile first, second, last;
};

TEST_P(Staged, FilesOfASetAppearTogether) {
  const TempFolder folder;
  folder.write("set.first", "old");
  folder.write("set.last", "old");
  {
    Set set(folder, GetParam());
    put(set.first, "1");
    put(set.second, "2");
    put(set.last, "3");
    EXPECT_EQ(testing::read_bytes(folder / "set.first") + testing::read_bytes(folder / "set.last"), "oldold");
    EXPECT_FALSE(std::filesystem::exists(folder / "set.second"));
    set.commit();
  }
  EXPECT_EQ(testing::read_bytes(folder / "set.first") + testing::read_bytes(folder / "set.second") +
                testing::read_bytes(folder / "set.last"),
            "123");
}

TEST_P(Staged, TheFileThatLeadsToASetIsNeverBesideOthers) {
  const TempFolder folder;
  folder.write("set.first", "old");
  folder.write("set.last", "old");
  Set set(folder, GetParam());
  std::filesystem::create_directory(folder / "set.second");  // nothing can be renamed to it
  EXPECT_THROW(set.commit(), Failure);
  EXPECT_EQ(testing::read_bytes(folder / "set.first"), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "set.last"));
}

TEST_P(Staged, AppearsWholeOrNotAtAll) {
  const TempFolder folder;
  folder.write("target", "old");
  {
    const StagedFile file(folder / "target", GetParam());
    put(file, "new");
  }
  EXPECT_EQ(testing::read_bytes(folder / "target"), "old");
  {
    StagedFile file(folder / "target", GetParam());
    put(file, "new");
    file.commit();
  }
  EXPECT_EQ(testing::read_bytes(folder / "target"), "new");
  EXPECT_EQ(folder.entries(), 1u);
}

// Who could read a database can still do so after an append by somebody else.
TEST_P(Staged, KeepsOwnerAndGroupOfWhatItReplaces) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const TempFolder folder;
  folder.write("target", "old");
  ASSERT_EQ(::chown((folder / "target").c_str(), 12, 34), 0);
  ASSERT_EQ(::chmod((folder / "target").c_str(), 0640), 0);
  StagedFile file(folder / "target", GetParam());
  put(file, "new");
  file.commit();
  struct stat info {};
  ASSERT_EQ(::stat((folder / "target").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 12u);
  EXPECT_EQ(info.st_gid, 34u);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
}

// A user in no group of the old file's: the new one's group must not get what the old one's had.
TEST_P(Staged, GivesNothingToAGroupThatHadNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs to become another user";
  const TempFolder folder;
  folder.write("target", "old");
  ASSERT_EQ(::chmod((folder / "target").c_str(), 0664), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    bool done = ::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0;
    if (done) {
      StagedFile file(folder / "target", GetParam());
      file.commit();
    }
    ::_exit(done ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(mode_of(folder / "target"), 0604u);
}

TEST_P(Staged, KeepsTheAccessListOfWhatItReplaces) {
  const TempFolder folder;
  folder.write("target", "old");
  const std::string path = folder / "target";
  // Version 2; owner rw, user 1001 rw, group nothing, mask rw, others nothing: little-endian tag, rights, id.
  const auto entry = [](unsigned tag, unsigned rights, std::uint32_t id) {
    std::string text{static_cast<char>(tag), 0, static_cast<char>(rights), 0};
    for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(id >> shift & 0xFF);
    return text;
  };
  constexpr std::uint32_t kNobody = UINT32_MAX;
  const std::string list = std::string("\2\0\0\0", 4) + entry(1, 6, kNobody) + entry(2, 6, 1001) +
                           entry(4, 0, kNobody) + entry(16, 6, kNobody) + entry(32, 0, kNobody);
  constexpr const char* kList = "system.posix_acl_access";
  if (::setxattr(path.c_str(), kList, list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "this file system has no access lists";
  StagedFile file(path, GetParam());
  put(file, "new");
  file.commit();
  std::string kept(1000, '\0');
  const ssize_t bytes = ::getxattr(path.c_str(), kList, kept.data(), kept.size());
  ASSERT_GT(bytes, 0);
  kept.resize(static_cast<std::size_t>(bytes));
  EXPECT_EQ(kept, list);
}

TEST_P(Staged, FollowsNoLinkThatSomebodyElsePutWhereEverybodyMay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link to somebody else";
  const TempFolder folder;
  const std::string anybodys = folder / "sticky", link = anybodys + "/out", target = folder / "target";
  std::filesystem::create_directory(anybodys);
  ASSERT_EQ(::chmod(anybodys.c_str(), 01777), 0);
  std::filesystem::create_symlink(target, link);
  StagedFile(link, GetParam()).commit();
  EXPECT_TRUE(std::filesystem::exists(target));
  ASSERT_EQ(::lchown(link.c_str(), 1234, 1234), 0);
  EXPECT_THAT([&] { StagedFile(link, GetParam()); },
              ::testing::ThrowsMessage<Failure>(HasSubstr("a link that another user put into")));
}

TEST(Parts, APipeOfTheNameIsNotWaitedFor) {
  const TempFolder folder;
  const std::string pipe = folder / ".out.part-aaaaaa";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ::alarm(20);  // ends the test where the open waits
  remove_abandoned_parts(folder / "out");
  ::alarm(0);
  EXPECT_TRUE(std::filesystem::exists(pipe));
}

TEST_P(Staged, IsForTheOwnerAloneUnlessToldOtherwise) {
  const TempFolder folder;
  const mode_t old_mask = ::umask(022);
  StagedFile owner(folder / "owner", GetParam());
  EXPECT_EQ(mode_of(owner.path()), 0600u) << "while it is written";
  owner.commit();
  EXPECT_EQ(mode_of(folder / "owner"), 0600u);
  set_privacy(Privacy::kUmask);
  StagedFile(folder / "shared", GetParam()).commit();
  set_privacy(Privacy::kOwner);
  EXPECT_EQ(mode_of(folder / "shared"), 0644u);
  StagedFile(folder / "shared", GetParam()).commit();
  EXPECT_EQ(mode_of(folder / "shared"), 0644u) << "one that is replaced keeps its own";
  ::umask(old_mask);
}

TEST_P(Staged, AKilledWriterLeavesAtMostWhatTheNextClearsAway) {
  const TempFolder folder;
  const auto begin = [&] { put(*new StagedFile(folder / "target", GetParam()), "half"); };
  EXPECT_TRUE(WIFSIGNALED(end_child(SIGKILL, begin)));
  EXPECT_FALSE(std::filesystem::exists(folder / "target"));
  const StagedFile other(folder / "target", StagedFile::Name::kHidden);
  remove_abandoned_parts(folder / "target");
  EXPECT_TRUE(std::filesystem::exists(other.path())) << "that of a writer that lives stays";
  EXPECT_EQ(folder.entries(), 1u);
}

TEST_P(Staged, AnEndThatCannotWaitLeavesNothing) {
  for (const int signal : {SIGTERM, SIGXCPU}) {
    SCOPED_TRACE(signal);
    const TempFolder folder;
    // The child never comes to a safe point: time runs out.
    const int status = end_child(signal, [&] {
      catch_signals();
      put(*new StagedFile(folder / "target", GetParam()), "half");
      new WriteLock(folder / "target");
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    EXPECT_EQ(folder.entries(), 0u);
  }
}

TEST_P(Staged, ACrashLeavesNothingAndIsStillACrash) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) {
    SCOPED_TRACE(signal);
    const TempFolder folder;
    const int status = end_child(signal, [&] {
      std::signal(signal, SIG_DFL);  // a sanitizer's own goes first
      const rlimit no_core{0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      catch_signals();
      put(*new StagedFile(folder / "target", GetParam()), "half");
      new WriteLock(folder / "target");
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_EQ(folder.entries(), 0u);
  }
}

TEST(Signals, ThatWereIgnoredStayIgnored) {
  for (const int signal : {SIGINT, SIGHUP}) {
    const TempFolder folder;
    EXPECT_TRUE(WIFSIGNALED(end_child(SIGKILL, [&] {
      std::signal(signal, SIG_IGN);
      catch_signals();
      ::raise(signal);
      check_interrupt();
      folder.write("went on", "");
    })));
    EXPECT_TRUE(std::filesystem::exists(folder / "went on")) << signal;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Staged, ::testing::Values(StagedFile::Name::kNone, StagedFile::Name::kHidden));

TEST(Lock, IsOneAndNamesItsHolder) {
  const TempFolder folder;
  {
    const WriteLock first(folder / "target");
    try {
      const WriteLock second(folder / "target");
      FAIL() << "two locks";
    } catch (const Failure& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr("process " + std::to_string(::getpid()) + " on host "));
    }
    EXPECT_EQ(folder.entries(), 1u);
  }
  const WriteLock again(folder / "target");
}

TEST(Lock, OfAKilledHolderIsFree) {
  const TempFolder folder;
  EXPECT_TRUE(WIFSIGNALED(end_child(SIGKILL, [&] { new WriteLock(folder / "target"); })));
  EXPECT_EQ(folder.entries(), 1u) << "its file is still there";
  { const WriteLock next(folder / "target"); }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Lock, GoesByTheFileAndNotByItsLink) {
  const TempFolder folder;
  folder.write("target", "");
  std::filesystem::create_symlink("target", folder / "link");
  const WriteLock first(folder / "link");
  EXPECT_THROW(WriteLock(folder / "target"), Failure);
}

TEST(CopyContent, IsTheSameBytes) {
  const TempFolder folder;
  std::string bytes(40'000'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 4099) bytes[i] = static_cast<char>(i);
  folder.write("from", bytes);
  const FileDescriptor from = open_for_reading(folder / "from");
  StagedFile to(folder / "to");
  copy_content(from.get(), to.descriptor(), "from", "to");
  to.commit();
  EXPECT_TRUE(testing::read_bytes(folder / "to") == bytes);
}

}  // namespace
}  // namespace fastid
