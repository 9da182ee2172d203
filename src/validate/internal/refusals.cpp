// What must be refused: damaged databases, files that do not fit, and devices that miscount.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "ingest/ingest.hpp"
#include "validate/internal/samples.hpp"
#include "validate/internal/setting.hpp"

namespace fastid::validate {
namespace {

/// A worker that counts one allele too few of each pair, as a broken device might.
class Miscounting final : public engine::Worker {
 public:
  explicit Miscounting(std::unique_ptr<engine::Worker> right) : right_(std::move(right)) {}
  engine::TileBuffer buffer() override { return right_->buffer(); }
  bool borrow(const BlocksView& view) override { return right_->borrow(view); }
  bool checks_blocks() const override { return right_->checks_blocks(); }
  std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                      std::span<const engine::Threshold> thresholds,
                      std::vector<engine::Pair>& out) override {
    const std::size_t damaged = right_->compare(tile, checksums, thresholds, out);
    for (engine::Pair& pair : out) pair.counts.count -= pair.counts.count > 0;
    return damaged;
  }

 private:
  std::unique_ptr<engine::Worker> right_;
};

class MiscountingQueries final : public engine::PreparedQueries {
 public:
  explicit MiscountingQueries(std::unique_ptr<engine::PreparedQueries> right) : right_(std::move(right)) {}
  std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<Miscounting>(right_->open_worker(tile_blocks));
  }

 private:
  std::unique_ptr<engine::PreparedQueries> right_;
};

class MiscountingEngine final : public engine::Engine {
 public:
  explicit MiscountingEngine(std::unique_ptr<engine::Engine> right) : right_(std::move(right)) {}
  std::string name() const override { return right_->name(); }
  std::string description() const override { return right_->description(); }
  engine::WorkPlan plan(const engine::Problem& problem) const override { return right_->plan(problem); }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    return std::make_unique<MiscountingQueries>(right_->prepare(problem, plan));
  }

 private:
  std::unique_ptr<engine::Engine> right_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Refusals {
 public:
  Refusals(const Setting& setting, report::Result& result) : setting_(setting), result_(result) {}

  void run() {
    database_ = setting_.simulate(setting_.people("refusing.h5", 320), "database of the test of refusals");
    const simulate::People people = people_of(setting_.panel, setting_.freq, setting_.options.seed);
    simulate::Stream stream(setting_.options.seed, simulate::Purpose::kTrials, 9500);
    sample_ = setting_.folder.file("sample.vcf");
    write_vcf(sample_, setting_.panel, {"sample"},
              {observed(stored_person(people, 5), setting_.classes, {.error = .01}, stream)});
    good();
    databases();
    samples();
    device();
    result_.tables.push_back(std::move(table_));
  }

 private:
  void ask(const std::string& sample, const std::string& database) const {
    const auto engine = setting_.engine();
    search::search(setting_.search(sample, database), *engine);
  }

  /// Whether `action` ends with an error of this kind that says `word`.
  template <class Kind>
  void refused(const std::string& what, const std::string& word, const std::function<void()>& action) {
    std::string said = "accepted";
    bool right = false;
    try {
      action();
    } catch (const Kind& error) {
      said = error.what();
      right = said.find(word) != std::string::npos;
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      said = error.what();
    }
    if (const std::size_t at = said.find(setting_.folder.path()); at != std::string::npos)
      said.erase(at, setting_.folder.path().size() + 1);
    result_.check("refused: " + what, "an error that names it", right ? "refused" : said, right);
    table_.rows.push_back({what, said});
  }

  /// Checks that undamaged files are accepted. Every other check differs from this one in a single thing.
  void good() {
    std::string said = "accepted";
    try {
      ask(sample_, database_);
    } catch (const Error& error) {
      said = error.what();
    }
    result_.check("accepted: the database and the sample that the others are made from", "accepted", said,
                  said == "accepted");
  }

  std::string write(const std::string& name, const std::string& bytes) const {
    OutputFile file(setting_.folder.file(name));
    file.write(bytes);
    file.commit();
    return setting_.folder.path() + "/" + name;
  }

  void databases() {
    const std::string bytes = bytes_of(database_);
    const auto damaged = [&](const std::string& what, const std::string& name, const std::string& content) {
      const std::string path = write(name, content);
      refused<InputError>(what, name, [&] { ask(sample_, path); });
    };
    damaged("a database cut off in the middle", "cut.h5", bytes.substr(0, bytes.size() / 2));
    damaged("a database that is a text", "text.h5", "these are no profiles\n");
    damaged("an empty database", "empty.h5", "");
    // The planes lie in the file byte by byte as in memory.
    const db::Reader reader(database_);
    WordBuffer bits(reader.shape().block_words()), second(bits.size());
    reader.read(0, 1, bits.data(), second.data());
    const std::string plane(reinterpret_cast<const char*>(bits.data()), reader.shape().block_bytes());
    std::string flipped = bytes;
    if (const std::size_t at = flipped.find(plane); at != std::string::npos) {
      flipped[at + plane.size() / 2] = static_cast<char>(flipped[at + plane.size() / 2] ^ 4);
      damaged("a database with one wrong bit in a profile", "flipped.h5", flipped);
    } else {
      result_.check("a database with one wrong bit in a profile", "an error that names it",
                    "its bits were not found", false);
    }
    asking::SearchOptions reverse = setting_.search(sample_, database_);
    reverse.comparison = engine::Comparison::kReverseMixture;
    refused<InputError>("a database of individuals, asked for mixtures", "refusing.h5", [&] {
      const auto engine = setting_.engine();
      search::search(reverse, *engine);
    });
  }

  void samples() {
    const std::string text = bytes_of(sample_);
    const auto refuse = [&](const std::string& what, const std::string& name, const std::string& content) {
      const std::string path = write(name, content);
      refused<InputError>(what, name, [&] { ask(path, database_); });
    };
    const std::size_t records = text.find('\n', text.find("#CHROM")) + 1, line = text.find('\n', records) + 1;
    refuse("an empty sample", "empty.vcf", "");
    refuse("a sample that is no genotypes", "letter.vcf", "Dear laboratory,\nplease find enclosed\n");
    refuse("a sample cut off within a line", "cut.vcf", text.substr(0, (records + line) / 2));
    refuse("a sample without a site of the panel", "elsewhere.vcf",
           text.substr(0, records) + "1\t5\telsewhere\tA\tC\t.\t.\t.\tGT\t0/1\n");
    const std::string first = text.substr(records, line - records);
    refuse("a genotype that names an allele which its record does not have", "allele.vcf",
           text.substr(0, records) + first.substr(0, first.rfind('\t')) + "\t0/7\n");
    refuse("two samples of one name", "twice.vcf", twice(text));
    refused<InputError>("a sample that is not there", "missing.vcf",
                        [&] { ask(setting_.folder.path() + "/missing.vcf", database_); });
  }

  static std::string twice(const std::string& text) {
    std::string doubled;
    for (const std::string_view line : split(text, '\n')) {
      if (line.empty()) continue;
      const bool of_samples = !line.starts_with("##");
      doubled += std::string(line) + (of_samples ? std::string(line.substr(line.rfind('\t'))) : "") + '\n';
    }
    return doubled;
  }

  void device() {
    refused<DeviceError>("a device that counts one allele too few", "", [&] {
      MiscountingEngine engine(setting_.subject.make_engine("cpu", {.threads = 1}));
      search::search(setting_.search(sample_, database_), engine);
    });
  }

  const Setting& setting_;
  report::Result& result_;
  std::string database_, sample_;
  report::Table table_{"What was refused, and how", {"input", "message"}, {true, true}, {}};
};

}  // namespace

void test_refusals(const Setting& setting, report::Result& result) {
  result.title = "Refusals";
  result.requirement = "What cannot be answered rightly is refused, with a message that names it.";
  result.method =
      "A sample and a database that are accepted are damaged, cut off, or replaced by ones that do not fit, "
      "one "
      "thing at a time; and a device is put in that counts wrongly.";
  Refusals(setting, result).run();
}

}  // namespace fastid::validate
