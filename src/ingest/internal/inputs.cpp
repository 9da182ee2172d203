#include "ingest/internal/inputs.hpp"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "import/in_order.hpp"
#include "panel/site_class.hpp"

namespace fastid::ingest {
namespace {

/// Where 30 people are expected to have two copies, nobody has them with a probability of at most e^-30.
constexpr double kCertain = 30;

bool is_autosomal(const Panel& panel, std::size_t site) {
  const Site& of = panel.sites()[site];
  return class_of(of.chrom, of.pos, panel.build()) == SiteClass::kAutosomal;
}

/// Calls `see(site)` for each autosomal site whose bit is set, until it returns true. Returns whether it did.
template <class See>
bool any_autosomal(Word bits, std::size_t word, const Panel& panel, const See& see) {
  for (; bits != 0; bits &= bits - 1) {
    const std::size_t site = word * kWordBits + static_cast<std::size_t>(std::countr_zero(bits));
    if (is_autosomal(panel, site) && see(site)) return true;
  }
  return false;
}

/// Whether anybody shows only a minor allele at an autosomal site.
bool shows_two_copies(const BlocksView& people, const Panel& panel) {
  for (std::uint64_t i = 0; i < people.shape.n_profiles; ++i)
    for (std::size_t word = 0; word < people.shape.n_words(); ++word)
      if (any_autosomal(people.bits_word(i, word) & ~people.major_word(i, word), word, panel,
                        [](std::size_t) { return true; }))
        return true;
  return false;
}

/// The expected number of carriers of an autosomal minor allele who have two copies, by the panel's first
/// population: at frequency q, a share q^2 / (1 - (1 - q)^2) of carriers. 0 without frequencies.
double two_copies_expected(const BlocksView& people, const Panel& panel) {
  if (panel.populations().empty()) return 0;
  const std::vector<double>& q = panel.populations().front().minor_freq;
  double expected = 0;
  for (std::uint64_t i = 0; i < people.shape.n_profiles; ++i)
    for (std::size_t word = 0; word < people.shape.n_words(); ++word)
      any_autosomal(people.bits_word(i, word), word, panel, [&](std::size_t site) {
        expected += q[site] / (2 - q[site]);
        return false;
      });
  return expected;
}

}  // namespace

void check_encoding(const imports::ImportedProfiles& profiles, const Panel& panel,
                    const imports::ImportOptions& options) {
  if (options.encoding == Encoding::kMinor) return;
  const auto refuse = [&](std::string_view problem) {
    throw InputError(
        display_name(profiles.file), "", problem,
        "give the files that the database was built from; this one fits only a database of encoding "
        "minor (db build --encoding minor)");
  };
  if (profiles.blocks.shape().encoding == Encoding::kMinor)
    refuse(
        "says only where a minor allele was seen, not which alleles were: it was exported from a database "
        "that "
        "says no more");
  if (!options.individuals || shows_two_copies(profiles.blocks.view(), panel)) return;
  const double expected = two_copies_expected(profiles.blocks.view(), panel);
  if (expected >= kCertain)
    refuse(fmt::format(
        "shows nobody with two copies of a minor allele, where {:.0f} are expected: its genotypes were "
        "made of where a minor allele was seen",
        expected));
}

void announce(imports::ImportedProfiles& profiles, const Panel& panel,
              const imports::ImportOptions& options) {
  imports::publish(profiles, options);
  log::note("{}: {}", display_name(profiles.file), imports::describe(profiles.counts, panel.n_sites()));
}

void read_inputs(std::span<const std::string> inputs, const Panel& panel,
                 const imports::ImportOptions& options, ThreadPool& pool,
                 const std::function<void(std::size_t input, imports::ImportedProfiles profiles)>& take,
                 const std::function<void(std::uint64_t)>& done) {
  imports::import_in_order(
      inputs, panel, options, pool,
      {.check = [&](const imports::ImportedProfiles& profiles) { check_encoding(profiles, panel, options); },
       .take =
           [&](std::size_t i, imports::ImportedProfiles profiles) {
             announce(profiles, panel, options);
             take(i, std::move(profiles));
             if (done) done(1);
           },
       .failed = nullptr});
}

}  // namespace fastid::ingest
