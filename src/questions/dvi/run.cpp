#include "questions/dvi/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "asking/blocks_file.hpp"
#include "asking/counted_sites.hpp"
#include "asking/family.hpp"
#include "asking/family_check.hpp"
#include "asking/frequencies.hpp"
#include "asking/pair_finder.hpp"
#include "asking/queries.hpp"
#include "asking/small_text.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bits/rows.hpp"
#include "db/database.hpp"
#include "questions/dvi/part.hpp"
#include "stats/pedigree.hpp"

namespace fastid::dvi {
namespace {

constexpr std::uint64_t kLongestFamilies = std::uint64_t{64} << 20, kLongestList = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostRemains = 100'000;

/// What was read of the families' members.
struct Samples {
  std::map<std::string, stats::PersonReadings> of;  ///< by name
  std::vector<fastid::dvi::InputFile> files;
};

void check_alleles(const std::string& path, const db::Header& header) {
  if (header.kind == db::Kind::kMixtures)
    throw InputError(path, "", "holds mixtures, which are of no single person",
                     "name a database of individuals");
  if (header.shape.encoding != Encoding::kAlleles)
    throw InputError(path, "", "says only where a minor allele was seen, and families need both alleles",
                     "build it again from its inputs with --encoding alleles");
}

Samples samples_of_files(const VictimsOptions& options, const db::Reader& reader,
                         const asking::CountedSites& sites) {
  Samples samples;
  match::Queries queries = asking::read_queries(options.typed, reader.panel(), options.import);
  for (const match::QuerySource& source : queries.sources)
    if (source.encoding != Encoding::kAlleles)
      throw InputError(display_name(source.file), "",
                       "says only where a minor allele was seen, and families need both alleles",
                       "give the file that it was made from");
  sites.keep("sample", queries);
  for (std::size_t i = 0; i < queries.sources.size(); ++i) {
    const match::QuerySource& source = queries.sources[i];
    samples.of.emplace(source.name, stats::PersonReadings(queries.rows.row(i), queries.rows.n_sites()));
    const auto is_file = [&](const fastid::dvi::InputFile& file) { return file.path == source.file; };
    if (std::ranges::none_of(samples.files, is_file)) samples.files.push_back({source.file, source.sha256});
  }
  return samples;
}

Samples samples_of_database(const VictimsOptions& options, const db::Reader& remains,
                            const asking::CountedSites& sites, const asking::FamilyFile& families) {
  const db::Reader reader(options.typed_in);
  check_alleles(reader.path(), reader.header());
  if (reader.header().panel_sha256 != remains.header().panel_sha256)
    throw InputError(reader.path(), "", fmt::format("has another panel than {}", remains.path()),
                     "build both onto one panel");
  std::set<std::string> people;
  for (const asking::Person& person : families.people) people.insert(person.name);
  const db::ChosenRows chosen = db::choose_rows(reader, {});
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  reader.scan_ids([&](std::uint64_t row, const std::string& id) {
    if (people.contains(id) && (!chosen.rows || chosen.rows->holds(row))) rows.emplace_back(row, id);
    return true;
  });
  Samples samples;
  BlockReader blocks(reader);
  for (const auto& [row, id] : rows) {
    const std::uint64_t lane = row % kLanes;
    const ProfileRows profile = ProfileRows::from_blocks(blocks.block_of(row), {&lane, 1});
    samples.of.emplace(id, stats::PersonReadings(sites.keep(profile.row(0)).view(), profile.n_sites()));
  }
  samples.files = {{options.typed_in, reader.header().content_sha256}};
  return samples;
}

/// The names that a file lists, one on each line.
std::set<std::string> names_in(const asking::SmallText& text) {
  std::set<std::string> names;
  for (const std::string_view line : text.lines())
    if (!line.empty() && !line.starts_with('#')) names.emplace(line);
  return names;
}

/// Marks the people whom --looked-for lists, and nobody else.
void mark_looked_for(const std::string& path, const asking::SmallText& text, asking::FamilyFile& families) {
  const std::set<std::string> names = names_in(text);
  for (asking::Person& person : families.people) person.looked_for = false;
  for (const std::string& name : names) {
    const auto person = families.find(name);
    if (!person)
      throw InputError(path, "",
                       fmt::format("lists {}, whom {} does not name", printable(name), families.path),
                       "list missing members of the families, one on each line");
    families.people[*person].looked_for = true;
  }
}

double factor_from(std::string_view text, const std::string& path, std::size_t line) {
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error != std::errc() || end != text.data() + text.size() || !(factor >= 0) || !std::isfinite(factor))
    throw InputError(path, fmt::format("line {}", line), fmt::format("'{}' is no factor", printable(text)),
                     "write a number from 0, which forbids; 1 says nothing");
  return factor;
}

/// Lines of a missing member, a sample of remains and a factor.
std::map<std::pair<std::string, std::string>, double> read_factors(const std::string& path,
                                                                   const asking::SmallText& text,
                                                                   const asking::FamilyFile& families,
                                                                   const std::set<std::string>& remains) {
  std::map<std::pair<std::string, std::string>, double> factors;
  std::size_t number = 0;
  for (const std::string_view line : text.lines()) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::string place = fmt::format("line {}", number);
    const std::vector<std::string_view> words = asking::columns_of(line);
    if (words.size() != 3) {
      refuse_semicolons(line, path, place);
      throw InputError(path, place, fmt::format("has {}", counted(words.size(), "column")),
                       "write missing member, remains and factor, separated by tabs");
    }
    const auto person = families.find(words[0]);
    if (!person || !families.people[*person].looked_for)
      throw InputError(path, place, fmt::format("{} is no missing member", printable(words[0])),
                       "name those who are looked for as the families' file does");
    if (!remains.contains(std::string(words[1])))
      throw InputError(path, place, fmt::format("{} is not among the remains", printable(words[1])),
                       "name remains as the database does");
    const double factor = factor_from(words[2], path, number);
    if (!factors.emplace(std::pair(std::string(words[0]), std::string(words[1])), factor).second)
      throw InputError(path, place, "gives a pair for the second time", "leave one of the lines out");
  }
  return factors;
}

/// The families with somebody who is looked for, in the file's order.
std::vector<fastid::dvi::Family> families_of(const asking::FamilyFile& file, const Samples& samples) {
  std::vector<fastid::dvi::Family> families;
  std::map<std::string, std::size_t> place;   // of families
  std::map<std::size_t, std::size_t> member;  // person -> the place in the family
  for (std::size_t i = 0; i < file.people.size(); ++i) {
    const asking::Person& person = file.people[i];
    const auto [at, is_new] = place.try_emplace(person.family, families.size());
    if (is_new) families.push_back({.name = person.family, .members = {}, .sexes = {}, .missing = {}});
    fastid::dvi::Family& family = families[at->second];
    member[i] = family.members.size();
    if (person.looked_for) family.missing.push_back(family.members.size());
    const auto sample = samples.of.find(person.name);
    family.members.push_back({person.name, {}, sample == samples.of.end() ? nullptr : &sample->second});
    family.sexes.push_back(person.sex);
  }
  const auto parent = [&](const std::optional<std::size_t>& of) {
    return of ? std::optional(member.at(*of)) : std::nullopt;
  };
  for (std::size_t i = 0; i < file.people.size(); ++i) {
    const asking::Person& person = file.people[i];
    families[place.at(person.family)].members[member.at(i)].parents = {parent(person.father),
                                                                       parent(person.mother)};
  }
  std::erase_if(families, [](const fastid::dvi::Family& of) { return of.missing.empty(); });
  if (families.empty())
    throw InputError(file.path, "", "says of nobody that he or she is looked for",
                     "write 2 or missing in the sixth column, or list names by --looked-for");
  for (const fastid::dvi::Family& family : families)
    if (family.members.size() > stats::kMostMembers)
      throw InputError(file.path, fmt::format("family {}", printable(family.name)),
                       fmt::format("has {} members", family.members.size()),
                       fmt::format("list at most {}, the nearest relatives", stats::kMostMembers));
  return families;
}

void check_names(const asking::FamilyFile& families, const Samples& samples) {
  for (const auto& [name, readings] : samples.of)
    if (!families.find(name))
      throw InputError(families.path, "",
                       fmt::format("names no {}, who is among the samples", printable(name)),
                       "call samples what the families' file calls its people, each once");
}

std::vector<fastid::dvi::Remains> remains_of(const db::Reader& reader, const db::ChosenRows& chosen,
                                             const asking::CountedSites& sites) {
  if (chosen.n > kMostRemains)
    throw InputError(reader.path(), "", fmt::format("holds {} remains", with_commas(chosen.n)),
                     fmt::format("give at most {}, chosen by --only", with_commas(kMostRemains)));
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < reader.shape().n_profiles; ++row)
    if (!chosen.rows || chosen.rows->holds(row)) rows.push_back(row);
  const std::vector<std::string> ids = reader.profile_ids(rows);
  const std::vector<std::string> keys = reader.tag_keys();
  std::optional<db::TagColumn> sexes;
  if (std::ranges::find(keys, db::kSexKey) != keys.end()) sexes = reader.tag(db::kSexKey);
  std::vector<fastid::dvi::Remains> remains;
  BlockReader blocks(reader);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t lane = rows[i] % kLanes;
    const ProfileRows profile = ProfileRows::from_blocks(blocks.block_of(rows[i]), {&lane, 1});
    std::optional<Sex> sex;
    if (sexes) sex = parse_sex(sexes->value(rows[i]));
    if (sex == Sex::kUndecided) sex.reset();
    remains.push_back(
        {ids[i], sex, stats::PersonReadings(sites.keep(profile.row(0)).view(), profile.n_sites())});
  }
  return remains;
}

void check_rules(const fastid::dvi::Rules& rules) {
  constexpr double kMostBar = 1000;
  if (!(rules.bar > 0 && rules.bar <= kMostBar))
    throw UsageError(fmt::format("--lr is {}; give a number above 0, at most {}", rules.bar, kMostBar));
  if (!(rules.posterior > 0.5 && rules.posterior <= 1))
    throw UsageError(fmt::format("--posterior is {}; give a number above 0.5, at most 1", rules.posterior));
}

/// Prints the warnings and notes that a reader needs before the figures.
void say_consistency(const fastid::dvi::Table& table) {
  for (std::size_t f = 0; f < table.families.size(); ++f) {
    const fastid::dvi::Family& family = table.families[f];
    for (std::size_t i = 0; i < family.members.size(); ++i)
      asking::warn_of_misfit(family.name, family.members[i].name, table.findings.consistency[f][i]);
  }
  const auto n = std::ranges::count_if(
      table.findings.missing, [](const fastid::dvi::Missing& of) { return of.left_out.has_value(); });
  if (n > 0)
    log::warn(
        "of {} candidates of low ratios were left out, so that there are at most {} assignments of those "
        "who belong together (--max-assignments)",
        counted(static_cast<std::uint64_t>(n), "missing member"), with_commas(table.rules.most_assignments));
  for (std::size_t v = 0; v < table.findings.people.size(); ++v)
    if (table.findings.people[v].sexes_differ)
      log::warn("{}: remains of one person, whose sexes are stated differently; neither is heeded",
                printable(table.name_of_person(v)));
}

/// The question about an event, once its files are read.
class VictimsSearch {
 public:
  explicit VictimsSearch(const VictimsOptions& options)
      : options_(options),
        reader_(options.remains),
        sites_(reader_),
        threads_(threads_or_all(options.threads)) {
    check_alleles(reader_.path(), reader_.header());
    read_families();
    read_remains();
    const std::optional<asking::BlocksOfPanel> blocks = asking::blocks_of(options.blocks, reader_.panel());
    if (blocks) rests_on("blocks of linked sites", blocks->facts.sha256);
    models_ =
        asking::models_of(reader_, options.population, options.parameters, blocks ? blocks->blocks : nullptr);
    if (models_.empty())
      throw InputError(reader_.path(), "", "has a panel without allele frequencies, which families need",
                       asking::kFrequencyCure);
    asking::say_frequencies(reader_, models_);
    alleles_.emplace(models_);
    event_.emplace(*alleles_, table_.families, remains_, table_.rules, options.families);
  }

  std::optional<fastid::dvi::Table> run(asking::Work& work) {
    fastid::dvi::FirstFigures first;
    const asking::Task task{
        .basis = [&] { return basis_; },
        .run =
            [&] {
              first = first_of({0, table_.families.size()}, options_.progress);
            },
        .run_shard = [&](part::Head& head, part::Writer& to) { return run_shard(head, to); },
        .merge = [&](const part::PartSet& parts) { first = fastid::dvi::first_figures(parts, *event_); },
        .threads = threads_};
    if (!work.finish(task)) return std::nullopt;
    table_.findings = event_->findings(std::move(first), threads_);
    finish_table();
    say_consistency(table_);
    return std::move(table_);
  }

 private:
  void rests_on(const char* what, const std::string& digest) { basis_.push_back({what, digest}); }

  void read_families() {
    asking::FamilyFile file = asking::read_family(options_.families, kLongestFamilies);
    rests_on("families", file.sha256);
    if (!options_.looked_for.empty()) {
      const asking::SmallText text = asking::read_small_text(options_.looked_for, kLongestList);
      rests_on("who is looked for", text.sha256);
      mark_looked_for(options_.looked_for, text, file);
    }
    const bool in_database = !options_.typed_in.empty();
    samples_ = in_database ? samples_of_database(options_, reader_, sites_, file)
                           : samples_of_files(options_, reader_, sites_);
    Sha256 digest;
    for (const fastid::dvi::InputFile& of : samples_.files) digest.update(of.sha256);
    rests_on("samples of the families", digest.hex());
    check_names(file, samples_);
    table_.families = families_of(file, samples_);
    table_.family_file = {file.path, file.sha256};
    table_.typed = samples_.files;
    file_ = std::move(file);
  }

  void read_remains() {
    const db::ChosenRows chosen = db::choose_rows(reader_, options_.rows);
    db::say_chosen(reader_, chosen);
    rests_on("database", asking::digest_of(reader_));
    rests_on("chosen profiles", asking::digest_of(chosen));
    remains_ = remains_of(reader_, chosen, sites_);
    for (const fastid::dvi::Remains& of : remains_) table_.remains.push_back(of.id);
    table_.rules = options_.rules;
    if (options_.priors.empty()) return;
    const asking::SmallText text = asking::read_small_text(options_.priors, kLongestList);
    rests_on("factors of other evidence", text.sha256);
    table_.rules.factors =
        read_factors(options_.priors, text, file_, {table_.remains.begin(), table_.remains.end()});
  }

  fastid::dvi::FirstFigures first_of(const Range& families, ProgressMode progress) {
    if (!groups_) groups_ = event_->pooled(threads_);
    return event_->first(*groups_, families, threads_, options_.power, progress);
  }

  std::string run_shard(part::Head& head, part::Writer& to) {
    const Range families = share_of(table_.families.size(), head.shard);
    head.run.engine = head.run.description = "cpu";
    head.run.workers = threads_;
    fastid::dvi::add_first_figures(to, first_of(families, options_.progress), remains_.size());
    return families.size() == 1 ? "1 family" : with_commas(families.size()) + " families";
  }

  void finish_table() {
    for (fastid::dvi::Family& family : table_.families)
      for (stats::Relative& member : family.members) member.readings = nullptr;
    table_.theta = options_.parameters.theta;
    table_.error_rate = options_.parameters.error_rate;
    for (const stats::PopulationModel& model : models_) table_.populations.push_back(model.name());
    table_.n_sites = sites_.classes().count(sites_.counted());
    table_.database = reader_.path();
    table_.content_sha256 = reader_.header().content_sha256;
    table_.blocks = options_.blocks;
  }

  const VictimsOptions& options_;
  const db::Reader reader_;
  const asking::CountedSites sites_;
  const std::size_t threads_;
  asking::FamilyFile file_;
  Samples samples_;
  std::vector<fastid::dvi::Remains> remains_;
  fastid::dvi::Table table_;
  std::vector<part::Basis> basis_;
  std::vector<stats::PopulationModel> models_;
  std::optional<stats::AlleleModel> alleles_;
  std::optional<fastid::dvi::Event> event_;
  std::optional<std::vector<std::vector<std::size_t>>>
      groups_;  ///< made once, for all shards of this process
};

}  // namespace

std::optional<fastid::dvi::Table> find_victims(const VictimsOptions& options, asking::Work& work) {
  check_rules(options.rules);
  stats::check_parameters(options.parameters);
  return VictimsSearch(options).run(work);
}

}  // namespace fastid::dvi
