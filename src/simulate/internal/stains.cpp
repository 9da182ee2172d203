#include "simulate/internal/stains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "simulate/internal/class_streams.hpp"
#include "simulate/internal/sample.hpp"
#include "simulate/internal/variates.hpp"

namespace fastid::simulate {
namespace {

constexpr std::string_view kShownAlleles = ".snp", kReads = ".tsv";
/// The share of an allele among a site's reads is beta distributed about its share of the stain, with this
/// concentration.
constexpr double kConcentration = 60;
/// The depths of sites are as gamma distributed with this shape: they vary by 1 / sqrt(2) of their mean.
constexpr double kDepthShape = 2;
constexpr double kRounding = 1e-6;  ///< of shares that add up to 1

std::size_t contributors_of(const PlantedStains& stains) {
  return std::max(stains.shares.size(), stains.drop_outs.size());
}

std::string stain_name(std::uint32_t i) {
  return fmt::format("stain-{:04}", i);
}

std::string_view extension_of(const PlantedStains& stains) {
  return stains.shares.empty() ? kShownAlleles : kReads;
}

/// The files of an earlier run that these stains do not replace.
std::vector<std::string> surplus_stains(const SimulateOptions& options) {
  std::vector<std::string> files;
  for (const std::string_view extension : {kShownAlleles, kReads})
    for (std::uint32_t i = extension == extension_of(*options.stains) ? options.stains->stains + 1 : 1;;
         ++i) {
      std::string path = path_in(options, stain_name(i) + std::string(extension));
      if (std::error_code none; !std::filesystem::exists(path, none)) break;
      files.push_back(std::move(path));
    }
  return files;
}

void check_shares(const PlantedStains& stains) {
  double sum = 0;
  for (const double share : stains.shares) {
    if (!(share > 0 && share <= 1))
      throw UsageError(
          fmt::format("the shares have {}; give a number above 0 to 1 for each contributor", share));
    sum += share;
  }
  if (!stains.shares.empty() && std::abs(sum - 1) > kRounding)
    throw UsageError(fmt::format("the shares add up to {:g}; give parts of 1", sum));
}

/// The number of planted pairs that related contributors are taken from. Second samples of a person do not
/// count.
std::uint64_t pairs_of(const SimulateOptions& options) {
  std::uint64_t pairs = 0;
  for (std::size_t relation = 0; relation < options.pairs.size(); ++relation)
    if (static_cast<Relation>(relation) != Relation::kDuplicate) pairs += options.pairs[relation];
  return pairs;
}

void check_contributors(const SimulateOptions& options) {
  const PlantedStains& stains = *options.stains;
  const std::size_t n = contributors_of(stains);
  if (n == 0)
    throw UsageError("say what each contributor to a stain left by --shares, or lost by --drop-out");
  if (n > kLargestStain)
    throw UsageError(fmt::format("at most {} people leave a simulated stain", kLargestStain));
  if (options.profiles < n)
    throw UsageError(fmt::format("stains of {} people need a database of as many profiles", n));
  if (stains.related_contributors && n < 2)
    throw UsageError("related contributors are two at least; give a share or drop-out for each");
  const std::size_t others = stains.related_contributors ? n - 2 : n,
                    needed = (stains.related_contributors ? 1 : 0) + (stains.stored_relatives ? others : 0);
  if (pairs_of(options) < needed)
    throw UsageError(
        fmt::format("stains of these people take {} of relatives, not counting duplicates; plant as many "
                    "(--full-siblings)",
                    counted(needed, "pair")));
}

class StainWriter {
 public:
  StainWriter(const SimulateOptions& options, const Panel& panel, const People& people)
      : options_(options), stains_(*options.stains), panel_(panel), people_(people) {
    for (const Plant& plant : people.relatives().all()) {
      if (plant.relation == Relation::kDuplicate) continue;
      pairs_.push_back(plant);
      relatives_[plant.row] = {plant.of, plant.relation};
      relatives_[plant.of] = {plant.row, plant.relation};
    }
  }

  /// Writes stains 1 and on, then stains.tsv.
  void write_all() {
    for (const std::string& path : surplus_stains(options_)) {
      std::error_code none;
      std::filesystem::remove(path, none);
    }
    std::string truth =
        "file\tcontributor\tprofile\trow\tshare\tdrop_out\trelation\trelative\trelative_row\n";
    for (std::uint32_t i = 1; i <= stains_.stains; ++i) {
      check_interrupt();
      const std::string file = stain_name(i) + std::string(extension_of(stains_));
      const std::vector<std::uint64_t> rows = draw_rows(i);
      std::vector<Person> people;
      for (const std::uint64_t row : rows) people.push_back(stored_person(people_, row));
      write_file(path_in(options_, file),
                 stains_.shares.empty() ? text_of_shown(i, people) : text_of_reads(i, people));
      truth += truth_of(file, rows);
    }
    write_file(path_in(options_, "stains.tsv"), truth);
  }

 private:
  struct Relative {
    std::uint64_t row = 0;
    Relation relation = Relation::kTwin;
  };

  /// Who left stain i, in the order of shares or drop-outs.
  std::vector<std::uint64_t> draw_rows(std::uint32_t i) const {
    Stream stream(options_.seed, Purpose::kStainRows, i);
    std::vector<std::uint64_t> rows;
    const auto has = [&](std::uint64_t row) { return std::ranges::find(rows, row) != rows.end(); };
    if (stains_.related_contributors) {
      const auto [one, other] = draw_pair(stream);
      rows = {one, other};
    }
    while (rows.size() < contributors_of(stains_)) {
      const auto [row, relative] =
          stains_.stored_relatives ? draw_pair(stream)
                                   : std::pair(stream.below(options_.profiles), std::uint64_t{UINT64_MAX});
      if (!has(row) && !has(relative)) rows.push_back(row);
    }
    return rows;
  }

  /// A planted pair, in any order.
  std::pair<std::uint64_t, std::uint64_t> draw_pair(Stream& stream) const {
    const Plant& pair = pairs_[stream.below(pairs_.size())];
    return stream.below(2) == 0 ? std::pair(pair.row, pair.of) : std::pair(pair.of, pair.row);
  }

  /// The number of copies of the major and the minor allele that a contributor leaves at a site; the others
  /// drop out.
  std::array<unsigned, 2> left_of(const Person& person, std::size_t contributor, std::size_t site,
                                  Stream& stream) const {
    const double drop_out = stains_.drop_outs.empty() ? 0 : stains_.drop_outs[contributor];
    std::array<unsigned, 2> left{};
    const unsigned copies = copies_of(people_.classes().of(site), person.sex);
    for (unsigned copy = 0; copy < copies; ++copy) {
      const bool minor = copy == 0 ? person.first[site] : person.second[site];
      if (stream.uniform() >= drop_out) ++left[minor ? 1 : 0];
    }
    return left;
  }

  bool has_copies(const std::vector<Person>& people, std::size_t site) const {
    return std::ranges::any_of(
        people, [&](const Person& person) { return copies_of(people_.classes().of(site), person.sex) > 0; });
  }

  std::string text_of_shown(std::uint32_t i, const std::vector<Person>& people) const {
    ClassStreams streams(options_.seed, Purpose::kStainCopies, i);
    std::string text = snp_head(options_, panel_, stain_name(i));
    for (std::size_t s = 0; s < panel_.n_sites(); ++s) {
      Stream& stream = streams.of(people_.classes().of(s));
      Shown shown;
      for (std::size_t c = 0; c < people.size(); ++c) {
        const auto [major, minor] = left_of(people[c], c, s, stream);
        shown.major |= major > 0;
        shown.minor |= minor > 0;
      }
      if (has_copies(people, s)) {
        shown.major |= stream.uniform() < stains_.drop_in;
        shown.minor |= stream.uniform() < stains_.drop_in;
      }
      text += snp_line(panel_.sites()[s], shown);
    }
    return text;
  }

  std::string text_of_reads(std::uint32_t i, const std::vector<Person>& people) const {
    ClassStreams copies(options_.seed, Purpose::kStainCopies, i),
        reads(options_.seed, Purpose::kStainReads, i);
    const std::string name = stain_name(i);
    std::string text =
        sample_head(options_, name) + "Sample.Name\tMarker\tAllele.1\tAllele.2\tReads.1\tReads.2\n";
    for (std::size_t s = 0; s < panel_.n_sites(); ++s) {
      const SiteClass site_class = people_.classes().of(s);
      std::array<double, 2> left{};  // parts of the stain, major and minor
      for (std::size_t c = 0; c < people.size(); ++c) {
        const auto [major, minor] = left_of(people[c], c, s, copies.of(site_class));
        left[0] += stains_.shares[c] * major / 2;
        left[1] += stains_.shares[c] * minor / 2;
      }
      const auto [major, minor] = draw_reads(left, reads.of(site_class));
      const Site& site = panel_.sites()[s];
      text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", name, site.id, site.major, site.minor, major, minor);
    }
    return text;
  }

  /// Reads of the major and the minor allele.
  std::array<std::uint64_t, 2> draw_reads(const std::array<double, 2>& left, Stream& stream) const {
    const double parts = left[0] + left[1];
    if (parts <= 0) return {};
    const double depth =
                     stains_.depth * parts * std::exp(log_gamma_variate(kDepthShape, stream)) / kDepthShape,
                 mean = stains_.read_error_rate + (1 - 2 * stains_.read_error_rate) * left[1] / parts;
    const bool varies = mean > 0 && mean < 1;
    const double shown =
        varies ? beta_variate(kConcentration * mean, kConcentration * (1 - mean), stream) : mean;
    std::array<std::uint64_t, 2> reads{};
    const auto total = static_cast<std::uint64_t>(depth + stream.uniform());
    for (std::uint64_t read = 0; read < total; ++read) ++reads[stream.uniform() < shown ? 1 : 0];
    return reads;
  }

  /// The lines of a stain's contributors.
  std::string truth_of(const std::string& file, const std::vector<std::uint64_t>& rows) const {
    std::string lines;
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const std::string share = stains_.shares.empty() ? "-" : fmt::format("{}", stains_.shares[c]);
      const double drop_out = stains_.drop_outs.empty() ? 0 : stains_.drop_outs[c];
      lines +=
          fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t", file, c + 1, profile_id(rows[c]), rows[c], share, drop_out);
      const auto relative = relatives_.find(rows[c]);
      lines += relative == relatives_.end()
                   ? "-\t-\t-\n"
                   : fmt::format("{}\t{}\t{}\n", name_of(relative->second.relation),
                                 profile_id(relative->second.row), relative->second.row);
    }
    return lines;
  }

  const SimulateOptions& options_;
  const PlantedStains& stains_;
  const Panel& panel_;
  const People& people_;
  std::vector<Plant> pairs_;
  std::unordered_map<std::uint64_t, Relative> relatives_;  ///< by row
};

}  // namespace

void check_stains(const SimulateOptions& options) {
  const PlantedStains& stains = *options.stains;
  if (!stains.shares.empty() && !stains.drop_outs.empty() && stains.shares.size() != stains.drop_outs.size())
    throw UsageError(fmt::format("there are {} and {}; give as many", counted(stains.shares.size(), "share"),
                                 counted(stains.drop_outs.size(), "drop-out")));
  check_shares(stains);
  for (const double drop_out : stains.drop_outs)
    if (!(drop_out >= 0 && drop_out < 1))
      throw UsageError(fmt::format(
          "the drop-outs have {}; give a number from 0 to below 1 for each contributor", drop_out));
  if (!(stains.depth > 0 && stains.depth <= kMostDepth))
    throw UsageError(fmt::format("the depth must be above 0, and at most {}", with_commas(kMostDepth)));
  if (!(stains.read_error_rate >= 0 && stains.read_error_rate < .5))
    throw UsageError("the read error rate must be at least 0 and below .5");
  if (!(stains.drop_in >= 0 && stains.drop_in < 1))
    throw UsageError("the drop-in must be at least 0 and below 1");
  check_contributors(options);
}

std::vector<std::string> stain_files(const SimulateOptions& options) {
  if (!options.stains) return {};
  std::vector<std::string> files = surplus_stains(options);
  for (std::uint32_t i = 1; i <= options.stains->stains; ++i)
    files.push_back(path_in(options, stain_name(i) + std::string(extension_of(*options.stains))));
  files.push_back(path_in(options, "stains.tsv"));
  return files;
}

void write_stains(const SimulateOptions& options, const Panel& panel, const People& people) {
  StainWriter(options, panel, people).write_all();
}

}  // namespace fastid::simulate
