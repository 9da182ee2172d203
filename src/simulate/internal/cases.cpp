#include "simulate/internal/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "simulate/internal/class_streams.hpp"
#include "simulate/internal/sample.hpp"
#include "simulate/internal/stains.hpp"

namespace fastid::simulate {
namespace {

constexpr std::array kCaseKinds = {"identity", "absent", "mixture"};

std::string case_name(const char* kind, std::uint32_t i) {
  return fmt::format("{}-{:04}.snp", kind, i);
}

/// The surplus files of an earlier run that had more cases.
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
    write_file(path_of("truth.tsv"), "file\tkind\tcontributors\trows\n" + truth_);
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
    write_case("identity", i, with_errors(stored_person(people_, row), i), {row});
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
    std::vector<Shown> sites(panel_.n_sites());
    for (const std::uint64_t row : rows) add(stored_person(people_, row), sites);
    write_case("mixture", i, sites, {rows.begin(), rows.end()});
  }

  unsigned copies(const Person& person, std::size_t site) const {
    return copies_of(people_.classes().of(site), person.sex);
  }

  void add(const Person& person, std::vector<Shown>& sites) const {
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (copies(person, s) == 0) continue;
      sites[s].minor |= person.first[s] || person.second[s];
      sites[s].major |= !person.first[s] || !person.second[s];
    }
  }

  /// The person's alleles, each misread with the error rate of the cases.
  std::vector<Shown> with_errors(Person person, std::uint64_t stream_index) const {
    ClassStreams streams(options_.seed, Purpose::kCaseErrors, stream_index);
    const Probability error(options_.case_error_rate);
    for (std::size_t s = 0; s < person.first.size(); ++s) {
      const std::uint64_t misread = error.draw(streams.of(people_.classes().of(s)));
      const bool first = (misread & 1) != 0, second = copies(person, s) == 2 ? (misread & 2) != 0 : first;
      person.first[s] = person.first[s] != first;
      person.second[s] = person.second[s] != second;
    }
    std::vector<Shown> sites(person.first.size());
    add(person, sites);
    return sites;
  }

  void write_case(const char* kind, std::uint32_t i, const std::vector<Shown>& sites,
                  const std::vector<std::uint64_t>& rows) {
    const std::string file = case_name(kind, i), name = file.substr(0, file.find('.'));
    ClassStreams streams(options_.seed, Purpose::kCaseCalls, n_cases_++);
    const Probability no_call(options_.case_no_call_rate);
    std::string text = snp_head(options_, panel_, name);
    for (std::size_t s = 0; s < sites.size(); ++s) {
      const bool lost = (no_call.draw(streams.of(people_.classes().of(s))) & 1) != 0;
      text += snp_line(panel_.sites()[s], lost ? Shown{} : sites[s]);
    }
    write_file(path_of(file), text);
    note_truth(file, kind, rows);
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

  const SimulateOptions& options_;
  const Panel& panel_;
  const People& people_;
  Stream rows_;
  std::uint64_t n_cases_ = 0;
  std::string truth_;
};

}  // namespace

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

namespace fastid::simulate {

std::vector<std::string> case_files(const SimulateOptions& options) {
  std::vector<std::string> files = simulate::stain_files(options);
  if (options.cases == 0) return files;
  for (const std::string& path : simulate::surplus(options)) files.push_back(path);
  for (const char* kind : simulate::kCaseKinds)
    for (std::uint32_t i = 1; i <= options.cases; ++i)
      files.push_back(simulate::path_in(options, simulate::case_name(kind, i)));
  files.push_back(simulate::path_in(options, "truth.tsv"));
  return files;
}

}  // namespace fastid::simulate
