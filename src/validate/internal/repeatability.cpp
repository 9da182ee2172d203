// The same questions again: by every engine, with different numbers of threads and tile sizes, and with a
// database in parts.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "bits/selected.hpp"
#include "db/database.hpp"
#include "engine/cpu_engine.hpp"
#include "opencl/device_survey.hpp"
#include "opencl/opencl_engine.hpp"
#include "questions/kin/run.hpp"
#include "report/report.hpp"
#include "validate/internal/samples.hpp"
#include "validate/internal/setting.hpp"

namespace fastid::validate {
namespace {

constexpr std::uint64_t kProfiles = 8'000;

/// SHA-256 of figures_of() of the answers with the default panel and seed, by this version. If it changes,
/// fastid's answers have changed: that belongs into CHANGELOG.md, and users validate again.
constexpr std::string_view kRecorded = "db2bacc55669bb21ffcf538cbe2d497b240d1c1fe4985699cc8333be3e5767d8";

/// The figures of an answer, as far as they are printed.
std::string figures_of(const match::MatchTable& table) {
  std::string text;
  for (const match::QueryMatches& query : table.queries)
    for (const match::MatchRow& row : query.rows)
      text += fmt::format("{} {} {} {} {} {} {:.2f} {:.2f}\n", query.name, row.rank, row.row,
                          row.counts.count, row.counts.denominator, row.counts.compared,
                          row.log10_lr.value_or(0), row.log10_chance_matches.value_or(0));
  return text;
}

/// One way to run the same questions.
struct Way {
  std::string name;
  std::function<std::unique_ptr<engine::Engine>()> make_engine;
};

/// An engine that multiplies matrices where it can, also with fewer queries and profiles than it would by
/// default.
std::unique_ptr<engine::Engine> always_multiplying() {
  return engine::make_cpu_engine_for(engine::cpu_engine_target(), {}, engine::LookUp::kWhereItPays,
                                     engine::Multiply::kAlways);
}

class Repeatability {
 public:
  Repeatability(const Setting& setting, report::Result& result)
      : setting_(setting),
        result_(result),
        people_(people_of(setting.panel, setting.freq, setting.options.seed)) {}

  void run() {
    database_ =
        setting_.simulate(setting_.people("repeated.h5", kProfiles), "database of the test of repeatability");
    write_samples();
    report::Table table{"The same questions, run in different ways",
                        {"engine", "search", "mixture", "kin", "same as the first"},
                        {true, true, true, true, true},
                        {}};
    std::optional<std::vector<std::string>> first;
    std::size_t different = 0;
    const std::vector<Way> all = ways();
    for (const Way& way : all) {
      check_interrupt();
      const std::vector<std::string> answers = digests(way);
      if (!first) first = answers;
      const bool same = answers == *first;
      different += !same;
      std::vector<std::string> line{way.name};
      for (const std::string& answer : answers) line.push_back(answer.substr(0, 16));
      line.emplace_back(same ? "yes" : "no");
      table.rows.push_back(std::move(line));
    }
    result_.check(
        "json of all questions, byte by byte, by SHA-256", fmt::format("the same in all {} ways", all.size()),
        different == 0 ? "the same" : fmt::format("{} of {} differ", different, all.size()), different == 0);
    result_.tables.push_back(std::move(table));
    check_recorded();
    check_parts();
  }

 private:
  /// Checks that answers are the same as when this version was released, whatever the compiler and the
  /// machine.
  void check_recorded() {
    if (!setting_.options.panel.empty() || setting_.options.seed != Options{}.seed) return;
    Sha256 hash;
    const auto engine = setting_.engine();
    for (const match::MatchTable& table : answers(*engine)) hash.update(figures_of(table));
    const std::string found = hash.hex();
    result_.check("figures of the answers, by SHA-256, as recorded for this version", std::string(kRecorded),
                  found, found == kRecorded);
  }

  void write_samples() {
    simulate::Stream stream(setting_.options.seed, simulate::Purpose::kTrials, 9000);
    std::vector<Sample> samples;
    for (std::uint64_t i = 0; i < 16; ++i) {
      const Genotype person = i % 4 == 3 ? absent_person(people_, i) : stored_person(people_, 97 * i);
      samples.push_back(observed(person, setting_.classes,
                                 {.error = .01 * static_cast<double>(i % 3), .drop_out = i % 5 == 4 ? .2 : 0},
                                 stream));
    }
    file_ = setting_.folder.file("repeated.vcf");
    write_vcf(file_, setting_.panel, numbered("sample", samples.size()), samples);
    std::vector<Reads> mixed;
    for (std::uint64_t i = 0; i < 3; ++i)
      mixed.push_back(mixed_reads({stored_person(people_, i), stored_person(people_, 50 + i)}, {.75, .25}, 60,
                                  .001, stream));
    mixtures_ = setting_.folder.file("repeated-mixtures.vcf");
    write_depth_vcf(mixtures_, setting_.panel, numbered("mixture", mixed.size()), mixed);
  }

  std::vector<Way> ways() const {
    std::vector<Way> all;
    const auto add = [&](std::string name, const std::string& device, const engine::EngineOptions& options) {
      all.push_back({std::move(name), [&subject = setting_.subject, device, options] {
                       return subject.make_engine(device, options);
                     }});
    };
    add("reference", "reference", {});
    for (const std::size_t threads : {std::size_t{1}, std::size_t{2}, setting_.pool.threads()})
      if (threads <= 2 || threads == setting_.pool.threads())
        add("cpu, " + counted(threads, "thread"), "cpu", {.threads = threads});
    for (const std::size_t blocks : {std::size_t{1}, std::size_t{7}, std::size_t{4096}})
      add(fmt::format("cpu, tiles of {}", counted(blocks, "block")), "cpu", {.tile_blocks = blocks});
    if (engine::cpu_multiplies_bytes()) all.push_back({"cpu, all products by AMX", always_multiplying});
    for (const model::DeviceFacts& device : opencl::list_opencl_devices())
      add("opencl:" + device.selector + ", " + printable(device.device), "opencl:" + device.selector, {});
    return all;
  }

  /// SHA-256 of each question's json; for an engine that fails, its error.
  std::vector<std::string> digests(const Way& way) const {
    try {
      const auto engine = way.make_engine();
      std::vector<std::string> all;
      for (const match::MatchTable& table : answers(*engine)) {
        Sha256 hash;
        hash.update(report::json(table));
        all.push_back(hash.hex());
      }
      return all;
    } catch (const DeviceError& error) {
      return std::vector<std::string>(3, std::string("error: ") + error.what());
    }
  }

  std::vector<match::MatchTable> answers(engine::Engine& engine) const {
    asking::SearchOptions mixture = setting_.search(mixtures_, database_);
    mixture.comparison = engine::Comparison::kMixture;
    mixture.import.depths = imports::DepthRule{};
    const kin::KinOptions kin{.search = setting_.search(file_, database_), .family = {}, .missing = {}};
    std::vector<match::MatchTable> tables;
    tables.push_back(search::search(setting_.search(file_, database_), engine));
    tables.push_back(search::search(mixture, engine));
    tables.push_back(kin::find_kin(kin, engine));
    return tables;
  }

  /// Writes rows first .. end - 1 of the database as a database of its own.
  std::string part(const db::Reader& whole, std::uint64_t first, std::uint64_t end,
                   const std::string& name) const {
    std::string path = setting_.folder.file(name);
    db::Writer writer(path, whole.panel(), {.encoding = whole.shape().encoding});
    const std::uint64_t first_block = first / kLanes, blocks = (end - first + kLanes - 1) / kLanes;
    const BlockShape shape = whole.shape().with(end - first);
    WordBuffer bits(static_cast<std::size_t>(blocks) * shape.block_words()), second(bits.size());
    whole.read(first_block, static_cast<std::size_t>(blocks), bits.data(), second.data());
    writer.append(whole.profile_ids(first, static_cast<std::size_t>(end - first)),
                  {shape, bits.data(), second.data()});
    writer.finish(
        {.action = "build", .command = setting_.options.command, .created_by = "", .utc = "", .inputs = {}});
    return path;
  }

  /// Checks that the best profiles of all parts, as one list, have the same figures as in the whole database.
  void check_parts() {
    const db::Reader whole(database_);
    const std::uint64_t n = whole.shape().n_profiles, cut = n / 3 / kLanes * kLanes;
    const auto listed = [&](const std::string& database, std::size_t query) {
      const auto engine = setting_.engine();
      return search::search(by_rate(database), *engine).queries.at(query).rows;
    };
    const std::string first = part(whole, 0, cut, "part-1.h5"), second = part(whole, cut, n, "part-2.h5");
    std::size_t different = 0, queries = 0;
    for (; queries < 4; ++queries) {
      std::vector<match::MatchRow> joined = listed(first, queries);
      for (match::MatchRow row : listed(second, queries)) {
        row.row += cut;
        joined.push_back(std::move(row));
      }
      std::ranges::stable_sort(joined, [](const match::MatchRow& a, const match::MatchRow& b) {
        return std::uint64_t{a.counts.count} * b.counts.denominator <
               std::uint64_t{b.counts.count} * a.counts.denominator;
      });
      const std::vector<match::MatchRow> all = listed(database_, queries);
      for (std::size_t i = 0; i < all.size() && i < 5; ++i)
        different += i >= joined.size() || all[i].row != joined[i].row || all[i].counts != joined[i].counts ||
                     all[i].log10_lr != joined[i].log10_lr;
    }
    result_.check("a database in two parts: the five best of both together, with counts and ratios",
                  "those of the whole database",
                  different == 0 ? "the same" : fmt::format("{} differ", different), different == 0);
  }

  asking::SearchOptions by_rate(const std::string& database) const {
    asking::SearchOptions options = setting_.search(file_, database);
    options.evidence.by_rate = true;
    return options;
  }

  const Setting& setting_;
  report::Result& result_;
  simulate::People people_;
  std::string database_, file_, mixtures_;
};

}  // namespace

void test_repeatability(const Setting& setting, report::Result& result) {
  result.title = "Repeatability";
  result.requirement = "The same question has the same answer, to the byte, however it is computed.";
  result.method =
      "Searches for people, mixtures and relatives are run with the plain definition (the engine "
      "`reference`), the native engine with different threads and tiles, by AMX where there is one, and "
      "every "
      "OpenCL device of this machine, and their json is compared. A database is cut in two, and the answers "
      "of "
      "the parts are put together.";
  Repeatability(setting, result).run();
}

}  // namespace fastid::validate
