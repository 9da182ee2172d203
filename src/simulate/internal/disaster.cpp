#include "simulate/internal/disaster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/progress.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "db/database.hpp"
#include "db/tags.hpp"
#include "simulate/internal/disaster_plan.hpp"
#include "simulate/internal/record.hpp"

namespace fastid::simulate {
namespace {

/// A sample that is observed.
struct Sampled {
  PlannedPerson of;
  double called = 1;
  std::uint64_t stream = 0;  ///< of its errors and calls
};

class DisasterWriter {
 public:
  DisasterWriter(const SimulateOptions& options, const Panel& panel,
                 const std::vector<std::vector<double>>& minor_freqs)
      : options_(options), panel_(panel), classes_(panel), plan_(options), error_(options.error_rate) {
    if (!options.unlinked_meioses) crossovers_.emplace(panel, classes_);
    for (const std::vector<double>& freq : minor_freqs)
      genomes_.emplace_back(classes_, freq, crossovers_ ? &*crossovers_ : nullptr, options.seed);
  }

  void run() const {
    if (plan_.remains.empty())
      throw UsageError("no remains of these families are found; simulate more families, or strangers");
    write_typed();
    write_remains();
    write_families();
    write_truth_of_remains();
    write_truth_of_samples();
  }

 private:
  static constexpr std::uint64_t kTyped = std::uint64_t{1} << 62;  ///< streams of the families' samples

  void write_remains() const {
    std::vector<Sampled> sampled;
    std::vector<std::string> ids;
    db::Tags tags(plan_.remains.size());
    for (std::size_t i = 0; i < plan_.remains.size(); ++i) {
      const PlannedRemains& of = plan_.remains[i];
      sampled.push_back({of.of, of.called, i});
      ids.push_back(remains_id(i));
      if (of.sex_known) tags.set(i, db::kSexKey, std::string(fastid::name_of(plan_.kin(of.of).sex)));
    }
    write_database(options_.output, ids, sampled, std::move(tags));
  }
  void write_typed() const {
    std::vector<Sampled> sampled;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < plan_.samples.size(); ++i) {
      sampled.push_back({plan_.samples[i].of, 1, kTyped | i});
      ids.push_back(plan_.name(plan_.samples[i].named));
    }
    write_database(typed_path(options_.output), ids, sampled, db::Tags(ids.size()));
  }

  void write_database(const std::string& path, const std::vector<std::string>& ids,
                      const std::vector<Sampled>& sampled, db::Tags tags) const {
    const BlockShape shape{sampled.size(), panel_.n_sites(), Encoding::kAlleles};
    check_room(path, 2 * static_cast<double>(shape.n_blocks()) * static_cast<double>(shape.block_bytes()),
               fmt::format("{} of {}", counted(sampled.size(), "profile"), counted(shape.n_sites, "site")),
               "simulate fewer families, or write where there is room");
    BitBlocks blocks(shape);
    std::vector<std::vector<std::size_t>> of_kindred(plan_.kindreds.size());
    for (std::size_t row = 0; row < sampled.size(); ++row) of_kindred[sampled[row].of.kindred].push_back(row);
    Progress progress(options_.progress, "simulating", "families", plan_.kindreds.size());
    in_parallel(plan_.kindreds.size(), options_.threads, [&](std::size_t k) {
      if (!of_kindred[k].empty()) {
        const std::vector<SiteAlleles> alleles = genomes_[plan_.populations[k]].of(plan_.kindreds[k], k);
        for (const std::size_t row : of_kindred[k]) observe(alleles, sampled[row], row, blocks);
      }
      progress.add(1);
    });
    std::size_t longest = 0;
    for (const std::string& id : ids) longest = std::max(longest, id.size());
    db::Writer writer(path, panel_, {.encoding = Encoding::kAlleles, .id_bytes = longest});
    writer.append(ids, blocks.view());
    if (!tags.empty()) writer.set_tags(std::move(tags));
    writer.finish(simulation_record(options_));
  }

  /// What is read of a person: every allele is misread, and every site missed, independently.
  void observe(const std::vector<SiteAlleles>& alleles, const Sampled& sampled, std::size_t row,
               BitBlocks& to) const {
    Stream errors(options_.seed, Purpose::kSampleErrors, sampled.stream),
        calls(options_.seed, Purpose::kSampleCalls, sampled.stream);
    const Probability called(sampled.called * (1 - options_.no_call_rate));
    for (std::uint32_t site = 0; site < alleles.size(); ++site) {
      if (classes_.of(site) != SiteClass::kAutosomal) continue;
      const std::uint64_t misread = error_.draw(errors);
      const bool is_called = (called.draw(calls) & 1) != 0;
      const bool first = ((alleles[site].first >> sampled.of.member ^ misread) & 1) != 0,
                 second = ((alleles[site].second >> sampled.of.member ^ misread >> 1) & 1) != 0;
      if (is_called)
        to.set_seen(row, site, first && second ? kMinorSeen : first || second ? kBothSeen : kMajorSeen);
    }
  }

  void write_families() const {
    std::string text;
    for (std::size_t f = 0; f < plan_.n_families; ++f)
      for (std::size_t i = 0; i < plan_.kindreds[f].members.size(); ++i) {
        const Kin& kin = plan_.kindreds[f].members[i];
        if (!kin.listed) continue;
        const auto parent = [&](const std::optional<std::size_t>& of) {
          return of ? plan_.name({f, *of}) : std::string("0");
        };
        text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", plan_.family_name(f), plan_.name({f, i}),
                            parent(kin.father), parent(kin.mother), kin.sex == Sex::kMale ? 1 : 2,
                            kin.missing ? 2 : 1);
      }
    write_text(families_path(options_.output), text);
  }

  std::string kind_of_body(const PlannedPerson& person) const {
    return plan_.is_stranger(person)   ? "stranger"
           : plan_.kin(person).missing ? "missing"
                                       : "unlisted-sibling";
  }
  void write_truth_of_remains() const {
    std::string text = "remains\trow\tperson\tkind\tfamily\tsex\tshare\n";
    for (std::size_t i = 0; i < plan_.remains.size(); ++i) {
      const auto& [of, called, sex_known] = plan_.remains[i];
      text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{:.4f}\n", remains_id(i), i, plan_.name(of),
                          kind_of_body(of), plan_.is_stranger(of) ? "-" : plan_.family_name(of.kindred),
                          fastid::name_of(plan_.kin(of).sex), called);
    }
    write_text(remains_path(options_.output), text);
  }
  void write_truth_of_samples() const {
    std::string text = "sample\tfamily\tkind\tperson\n";
    for (const auto& [named, of] : plan_.samples) {
      const char* const kind = named == of ? "own" : named.kindred == of.kindred ? "wrong" : "exchanged";
      text += fmt::format("{}\t{}\t{}\t{}\n", plan_.name(named), plan_.family_name(named.kindred), kind,
                          plan_.name(of));
    }
    write_text(samples_path(options_.output), text);
  }
  static void write_text(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
  }

  const SimulateOptions& options_;
  const Panel& panel_;
  SiteClasses classes_;
  DisasterPlan plan_;
  Probability error_;
  std::optional<Crossovers> crossovers_;
  std::vector<Genomes> genomes_;  ///< of each population
};

}  // namespace

void write_disaster(const SimulateOptions& options, const Panel& panel,
                    const std::vector<std::vector<double>>& minor_freqs) {
  DisasterWriter(options, panel, minor_freqs).run();
}

}  // namespace fastid::simulate
