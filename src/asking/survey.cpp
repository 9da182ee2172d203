#include "asking/survey.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "asking/frequencies.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"
#include "db/linked_panel.hpp"

namespace fastid::asking {
namespace {

/// Adds to each site's count how many of a block's first `profiles` profiles have its bit set. `lanes` has
/// one word of each profile. Another program may have set bits in the unused lanes, which reading does not
/// check.
void add_sites(const Word* lanes, std::size_t profiles, std::uint32_t first_site,
               std::vector<std::uint64_t>& counts) {
  std::array<Word, kLanes> words{};
  std::copy_n(lanes, profiles, words.begin());
  transpose32(words.data());
  const std::size_t n = std::min(kWordBits, counts.size() - first_site);
  for (std::size_t s = 0; s < n; ++s)
    counts[first_site + s] += static_cast<std::uint64_t>(bits_set(words[s]));
}

/// What one thread has counted.
class Counter {
 public:
  Counter(BlockShape database, bool has_second) : database_(database), has_second_(has_second) {
    survey_.called.resize(database.n_sites);
    survey_.carriers.resize(database.n_sites);
    survey_.profiles_by_called.resize(std::size_t{database.n_sites} + 1);
  }

  /// Counts one block. \param second  null where every site is called
  void add(std::uint64_t block, const Word* bits, const Word* second) {
    const auto profiles =
        static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, database_.n_profiles - block * kLanes));
    std::array<std::uint32_t, kLanes> sites{};
    for (std::size_t word = 0; word < database_.n_words(); ++word) {
      const auto first_site = static_cast<std::uint32_t>(word * kWordBits);
      add_sites(bits + word * kLanes, profiles, first_site, survey_.carriers);
      if (!has_second_) continue;
      std::array<Word, kLanes> called{};
      const Word also = database_.encoding == Encoding::kAlleles ? ~Word{0} : 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        called[lane] = second[word * kLanes + lane] | (bits[word * kLanes + lane] & also);
      add_sites(called.data(), profiles, first_site, survey_.called);
      for (std::size_t lane = 0; lane < profiles; ++lane)
        sites[lane] += static_cast<std::uint32_t>(bits_set(called[lane]));
    }
    for (std::size_t lane = 0; lane < profiles; ++lane)
      ++survey_.profiles_by_called[has_second_ ? sites[lane] : database_.n_sites];
    if (!has_second_)
      for (std::uint64_t& called_in : survey_.called) called_in += profiles;
  }

  const CallSurvey& survey() const { return survey_; }

 private:
  BlockShape database_;
  bool has_second_;
  CallSurvey survey_;
};

void add_to(std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& part) {
  std::ranges::transform(sum, part, sum.begin(), std::plus{});
}

/// \param with_kin  which alleles were seen is known
std::vector<PopulationPower> powers_of(const Panel& panel, std::span<const stats::PopulationModel> models,
                                       std::uint64_t n_profiles, bool with_kin) {
  const std::vector<std::uint32_t> autosomal = SiteClasses(panel).sites(SiteClass::kAutosomal);
  std::vector<PopulationPower> powers;
  if (autosomal.empty()) return powers;
  for (const stats::PopulationModel& model : models) {
    const stats::PopulationModel of = model.of_sites(autosomal);
    powers.push_back({of.name(), stats::panel_power(of, n_profiles, kPowerMaxExpected),
                      with_kin ? std::optional(stats::kin_power(of)) : std::nullopt,
                      with_kin ? degree_rates(panel, of) : std::vector<DegreeRates>{}});
  }
  return powers;
}

}  // namespace

std::vector<PopulationPower> panel_powers(const db::Reader& reader) {
  if (reader.header().kind == db::Kind::kMixtures) return {};
  return powers_of(
      reader.panel(),
      stats::choose_populations(reader.panel(), "", kPowerParameters, sampled_cohort(reader), reader.path()),
      reader.shape().n_profiles,
      reader.shape().encoding == Encoding::kAlleles && db::linkage_warning(reader).empty());
}

std::vector<PopulationPower> panel_powers(const Panel& panel, std::string_view populations,
                                          std::uint64_t n_profiles, std::string_view source) {
  return powers_of(panel,
                   stats::choose_populations(panel, populations, kPowerParameters, std::nullopt, source),
                   n_profiles, density_warning(panel).empty());
}

CallSurvey survey_calls(const db::Reader& reader, std::size_t threads, ProgressMode progress_mode) {
  constexpr std::uint64_t kBlocksAtOnce = 64;
  const BlockShape shape = reader.shape();
  Progress progress(progress_mode, "counting calls", "profiles", shape.n_profiles);
  CallSurvey total = Counter(shape, reader.has_second()).survey();
  std::mutex guard;
  std::atomic<std::uint64_t> next = 0;
  ThreadPool pool(threads_or_all(threads));
  pool.for_each(pool.threads(), [&](std::size_t, const ThreadPool::Stop& stop) {
    Counter counter(shape, reader.has_second());
    WordBuffer bits(kBlocksAtOnce * shape.block_words());
    WordBuffer second(reader.has_second() ? bits.size() : 0);
    while (!stop) {
      check_interrupt();
      const std::uint64_t first = next.fetch_add(kBlocksAtOnce);
      if (first >= shape.n_blocks()) break;
      const std::uint64_t n = std::min(kBlocksAtOnce, shape.n_blocks() - first);
      reader.read(first, n, bits.data(), reader.has_second() ? second.data() : nullptr);
      for (std::uint64_t i = 0; i < n; ++i)
        counter.add(first + i, bits.data() + i * shape.block_words(),
                    reader.has_second() ? second.data() + i * shape.block_words() : nullptr);
      progress.add(std::min(n * kLanes, shape.n_profiles - first * kLanes));
    }
    const std::lock_guard lock(guard);
    add_to(total.called, counter.survey().called);
    add_to(total.carriers, counter.survey().carriers);
    add_to(total.profiles_by_called, counter.survey().profiles_by_called);
  });
  return total;
}

}  // namespace fastid::asking
