#include "simulate/internal/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "base/build_info.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "simulate/internal/class_streams.hpp"

namespace fastid::simulate {
namespace {

/// Which alleles a sample shows at one site.
struct Seen {
  bool major = false, minor = false;
};

/// One person's two alleles at every site, true = minor. Of an only copy both are the same.
struct Person {
  Sex sex = Sex::kFemale;
  std::vector<bool> first, second;
};

Person person_of(const std::vector<SiteAlleles>& block, std::uint32_t men, std::uint64_t lane) {
  Person person{(men >> lane & 1) != 0 ? Sex::kMale : Sex::kFemale, {}, {}};
  for (const SiteAlleles& site : block) {
    person.first.push_back((site.first >> lane & 1) != 0);
    person.second.push_back((site.second >> lane & 1) != 0);
  }
  return person;
}

constexpr std::array kCaseKinds = {"identity", "absent", "mixture"};

std::string case_name(const char* kind, std::uint32_t i) {
  return fmt::format("{}-{:04}.snp", kind, i);
}

std::string path_in(const SimulateOptions& options, const std::string& file) {
  return (std::filesystem::path(options.cases_dir) / file).string();
}

/// The files of an earlier run that had more cases.
std::vector<std::string> surplus(const SimulateOptions& options) {
  std::vector<std::string> files;
  for (const char* kind : kCaseKinds)
    for (std::uint32_t i = options.cases + 1;; ++i) {
      std::string path = path_in(options, case_name(kind, i));
      if (std::error_code none; !std::filesystem::exists(path, none)) break;
      files.push_back(std::move(path));
    }
  return files;
}

class CaseWriter {
 public:
  CaseWriter(const SimulateOptions& options, const Panel& panel, const People& people)
      : options_(options), panel_(panel), people_(people), rows_(options.seed, Purpose::kCaseRows, 0) {}

  /// Writes files 1 .. cases of each kind, then truth.tsv.
  void write_all() {
    remove_surplus();
    for (std::uint32_t i = 1; i <= options_.cases; ++i) {
      check_interrupt();
      write_identity(i);
      write_absent(i);
      write_mixture(i);
    }
    write_file("truth.tsv", "file\tkind\tcontributors\trows\n" + truth_);
  }

 private:
  // Removes the further cases of an earlier run: they are not in truth.tsv, and the database has other people
  // now.
  void remove_surplus() const {
    for (const std::string& path : surplus(options_)) {
      std::error_code none;
      std::filesystem::remove(path, none);
      check_interrupt();
    }
  }

  std::string path_of(const std::string& file) const { return path_in(options_, file); }

  void write_identity(std::uint32_t i) {
    const std::uint64_t row = rows_.below(options_.profiles);
    write_case("identity", i, with_errors(person_in_database(row), i), {row});
  }

  void write_absent(std::uint32_t i) {
    const std::uint64_t block = (i - 1) / kLanes;
    const Person person =
        person_of(people_.absent_alleles(block), people_.absent_men(block), (i - 1) % kLanes);
    write_case("absent", i, with_errors(person, options_.cases + i), {});
  }

  void write_mixture(std::uint32_t i) {
    const std::uint64_t n = 2 + rows_.below(kLargestMixture - 1);
    std::set<std::uint64_t> rows;
    while (rows.size() < n) rows.insert(rows_.below(options_.profiles));
    std::vector<Seen> sites(panel_.n_sites());
    for (const std::uint64_t row : rows) add(person_in_database(row), sites);
    write_case("mixture", i, sites, {rows.begin(), rows.end()});
  }

  Person person_in_database(std::uint64_t row) const {
    return person_of(people_.alleles(row / kLanes), people_.men(row / kLanes), row % kLanes);
  }

  unsigned copies(const Person& person, std::size_t site) const {
    return copies_of(people_.classes().of(site), person.sex);
  }

  void add(const Person& person, std::vector<Seen>& sites) const {
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (copies(person, s) == 0) continue;
      sites[s].minor |= person.first[s] || person.second[s];
      sites[s].major |= !person.first[s] || !person.second[s];
    }
  }

  /// The person's alleles, each misread with the error rate of the cases.
  std::vector<Seen> with_errors(Person person, std::uint64_t stream_index) const {
    ClassStreams streams(options_.seed, Purpose::kCaseErrors, stream_index);
    const Probability error(options_.case_error_rate);
    for (std::size_t s = 0; s < person.first.size(); ++s) {
      const std::uint64_t misread = error.draw(streams.of(people_.classes().of(s)));
      const bool first = (misread & 1) != 0, second = copies(person, s) == 2 ? (misread & 2) != 0 : first;
      person.first[s] = person.first[s] != first;
      person.second[s] = person.second[s] != second;
    }
    std::vector<Seen> sites(person.first.size());
    add(person, sites);
    return sites;
  }

  void write_case(const char* kind, std::uint32_t i, const std::vector<Seen>& sites,
                  const std::vector<std::uint64_t>& rows) {
    const std::string file = case_name(kind, i), name = file.substr(0, file.find('.'));
    ClassStreams streams(options_.seed, Purpose::kCaseCalls, n_cases_++);
    const Probability no_call(options_.case_no_call_rate);
    std::string text = head_of(name);
    for (std::size_t s = 0; s < sites.size(); ++s) {
      const Site& site = panel_.sites()[s];
      const bool lost = (no_call.draw(streams.of(people_.classes().of(s))) & 1) != 0;
      const bool missing = lost || !(sites[s].major || sites[s].minor);
      text += fmt::format("{}\t{}\t{}\t{}\n", site.id, site.chrom, site.pos,
                          missing ? "--" : letters(site, sites[s]));
    }
    write_file(file, text);
    note_truth(file, kind, rows);
  }

  std::string head_of(const std::string& name) const {
    std::string head =
        fmt::format("#sample {}\n# simulated by fastid {}, seed {}\n", name, version(), options_.seed);
    if (panel_.build() != GenomeBuild::kUnknown) head += fmt::format("# build {}\n", name_of(panel_.build()));
    return head + "# rsid\tchromosome\tposition\tgenotype\n";
  }

  static std::string letters(const Site& site, const Seen& seen) {
    return {seen.major ? site.major : site.minor, seen.minor ? site.minor : site.major};
  }

  void note_truth(const std::string& file, const char* kind, const std::vector<std::uint64_t>& rows) {
    std::string ids, places;
    for (const std::uint64_t row : rows) {
      ids += (ids.empty() ? "" : ",") + profile_id(row);
      places += (places.empty() ? "" : ",") + std::to_string(row);
    }
    if (rows.empty()) ids = places = "-";
    truth_ += fmt::format("{}\t{}\t{}\t{}\n", file, kind, ids, places);
  }

  void write_file(const std::string& name, const std::string& text) const {
    OutputFile file(path_of(name));
    file.write(text);
    file.commit();
  }

  const SimulateOptions& options_;
  const Panel& panel_;
  const People& people_;
  Stream rows_;
  std::uint64_t n_cases_ = 0;
  std::string truth_;
};

}  // namespace

std::string profile_id(std::uint64_t row) {
  return fmt::format("P{:09}", row + 1);
}

void make_cases_folder(const SimulateOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.cases_dir, error);
  if (error)
    throw Failure(
        fmt::format("{}: cannot make this folder: {}", options.cases_dir, cannot_write_text(error.value())));
}

void write_cases(const SimulateOptions& options, const Panel& panel, const People& people) {
  CaseWriter(options, panel, people).write_all();
}

}  // namespace fastid::simulate

namespace fastid {

std::vector<std::string> case_files(const SimulateOptions& options) {
  if (options.cases == 0) return {};
  std::vector<std::string> files = simulate::surplus(options);
  for (const char* kind : simulate::kCaseKinds)
    for (std::uint32_t i = 1; i <= options.cases; ++i)
      files.push_back(simulate::path_in(options, simulate::case_name(kind, i)));
  files.push_back(simulate::path_in(options, "truth.tsv"));
  return files;
}

}  // namespace fastid
