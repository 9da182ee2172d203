// db convert: a database of minor alleles is built again from its inputs, with all alleles seen. It must show
// the same minor alleles and calls as the old one, else nothing is written.
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"
#include "ingest/ingest.hpp"
#include "ingest/internal/gather.hpp"
#include "ingest/internal/people_writer.hpp"

namespace fastid::ingest {
namespace {

constexpr std::string_view kSameInputs =
    "give the files that it was built from, with the options of its builds (`fastid db info --format json`)";

/// The people of the inputs in the order of the old database.
std::vector<Roster::Person> in_order_of(const db::Reader& old, const Roster& roster) {
  std::vector<Roster::Person> people;
  people.reserve(static_cast<std::size_t>(old.shape().n_profiles));
  old.scan_ids([&](std::uint64_t, const std::string& id) {
    const Roster::Person* const person = roster.find(id);
    if (person == nullptr)
      throw InputError(old.path(), fmt::format("profile '{}'", printable(id)), "is in none of the inputs",
                       kSameInputs);
    people.push_back(*person);
    return true;
  });
  if (roster.people().size() > people.size())
    log::warn("{} of the inputs left out, which {} does not hold",
              counted(roster.people().size() - people.size(), "profile"), display_name(old.path()));
  return people;
}

/// Compares people with the old database's.
class OldProfiles {
 public:
  explicit OldProfiles(const db::Reader& old) : old_(old), blocks_(old) {}

  /// \throws InputError where they differ
  void compare(std::uint64_t first, const BlocksView& people) {
    for (std::uint64_t i = 0; i < people.shape.n_profiles; ++i) {
      const BlocksView block = blocks_.block_of(first + i);
      for (std::size_t word = 0; word < people.shape.n_words(); ++word)
        compare(first + i, word,
                {block.bits_word((first + i) % kLanes, word), block.called_word((first + i) % kLanes, word)},
                {people.bits_word(i, word), people.called_word(i, word)});
    }
  }

  /// Minor alleles of the old database at sites that are not called in the inputs.
  std::uint64_t unclear() const { return unclear_; }

 private:
  struct Words {
    Word minor, called;
  };

  void compare(std::uint64_t row, std::size_t word, const Words& old, const Words& now) {
    const Word unclear = old.minor & ~now.called;  // a person's records differ in the number of copies
    unclear_ += static_cast<std::uint64_t>(bits_set(unclear));
    const Word differ = ((old.minor ^ now.minor) | (old.called ^ now.called)) & ~unclear;
    if (differ != 0) refuse(row, word, static_cast<std::size_t>(std::countr_zero(differ)), old, now);
  }

  [[noreturn]] void refuse(std::uint64_t row, std::size_t word, std::size_t bit, const Words& old,
                           const Words& now) const {
    const auto said = [bit](const Words& words) {
      return (words.called >> bit & 1) == 0  ? "no call"
             : (words.minor >> bit & 1) == 0 ? "no minor allele"
                                             : "a minor allele";
    };
    const Site& site = old_.panel().sites()[word * kWordBits + bit];
    throw InputError(
        old_.path(),
        fmt::format("profile '{}', site '{}'", printable(old_.profile_ids(row, 1).front()), site.id),
        fmt::format("it has {}, and the inputs have {}", said(old), said(now)), kSameInputs);
  }

  const db::Reader& old_;
  BlockReader blocks_;
  std::uint64_t unclear_ = 0;
};

/// The options with what the new database takes over from the old one.
BuildOptions with_those_of(const db::Reader& old, BuildOptions options) {
  options.kind = old.header().kind;
  options.import.encoding = Encoding::kAlleles;
  options.import.individuals = options.kind == db::Kind::kIndividuals;
  return options;
}

}  // namespace

BuildSummary convert_database(const std::string& source, const BuildOptions& asked) {
  const std::optional<FileState> before = file_state(asked.output);
  { const StagedFile probe(asked.output); }  // a target that cannot be written is reported now
  const db::Reader old(source);
  if (old.shape().encoding == Encoding::kAlleles)
    throw InputError(source, "", "says already which alleles were seen", "use it as it is");
  const BuildOptions options = with_those_of(old, asked);
  ThreadPool pool(threads_or_all(options.threads));
  ProfileSpool spool = gather(options, old.panel(), pool, std::nullopt);
  db::LogRecord record{.action = "convert",
                       .command = options.command,
                       .profiles_before = old.shape().n_profiles,
                       .audit = options.audit};
  const Roster roster = roster_of(spool, options, record);
  const std::vector<Roster::Person> people = in_order_of(old, roster);
  db::Writer writer(options.output, old.panel(),
                    {.kind = options.kind,
                     .encoding = Encoding::kAlleles,
                     .id_bytes = roster.longest_id(),
                     .pool = &pool,
                     .history = old.log_text(),
                     .over = before});
  OldProfiles profiles(old);
  PeopleWriter(spool, writer, old.panel(), Encoding::kAlleles, options.output)
      .write(people, [&](std::uint64_t first, const BlocksView& group) { profiles.compare(first, group); });
  if (profiles.unclear() > 0)
    log::warn("{} of {} not called: the inputs show the minor allele in different numbers of copies there",
              counted(profiles.unclear(), "site"), counted(old.shape().n_profiles, "profile"));
  writer.finish(std::move(record));
  spool.remove();
  return {old.shape().n_profiles, old.shape().n_sites};
}

}  // namespace fastid::ingest
