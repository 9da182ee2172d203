// A panel from the first input of a database: the biallelic SNPs of many people, the rarer allele being the
// minor one.
#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "import/format.hpp"
#include "import/import.hpp"
#include "import/source.hpp"

namespace fastid {
namespace {

constexpr std::string_view kPopulation = "cohort";

/// Collects sites, and counts what is left out and why.
class PanelMaker {
 public:
  PanelMaker(const Source& source, GenotypeReader& reader) : source_(source), reader_(reader) {
    frequencies_.name = kPopulation;
  }

  void take(const SiteRecord& record) {
    ++records_;
    const auto& alleles = record.alleles;
    const bool is_snp = alleles.size() == 2 && complement(alleles[0]) != 0 && complement(alleles[1]) != 0;
    if (!is_snp || alleles[0] == alleles[1]) {
      ++not_snps_;
      return;
    }
    const std::string id = id_of(record);
    const auto counts = reader_.count_alleles();
    if (id.empty() || counts.first + counts.second == 0) {
      ++(id.empty() ? nameless_ : uncalled_);
      return;
    }
    refuse_twin(id, record.number);
    add(id, record, counts);
  }

  Panel finish() && {
    if (sites_.empty())
      throw InputError(source_.name(), "", "holds no biallelic SNP with a called genotype",
                       "give a panel: --panel");
    log::note(
        "{}: a panel of {} of {} sites; left out: {} no biallelic SNPs, {} never called, {} without id and "
        "position",
        source_.name(), with_commas(sites_.size()), with_commas(records_), with_commas(not_snps_),
        with_commas(uncalled_), with_commas(nameless_));
    return Panel(std::move(sites_), {std::move(frequencies_)}, reader_.build(), source_.name());
  }

 private:
  static std::string id_of(const SiteRecord& record) {
    const std::string_view first = std::string_view(record.ids).substr(0, record.ids.find(';'));
    if (!first.empty() && first != ".") return std::string(first);
    if (record.pos == 0 || record.chrom == "0") return {};
    return fmt::format("{}:{}", record.chrom, record.pos);
  }

  void refuse_twin(const std::string& id, std::uint64_t number) {
    const auto [twin, fresh] = seen_.try_emplace(id, number);
    if (!fresh)
      throw InputError(
          source_.name(), reader_.place(number),
          fmt::format("the id '{}' is there already, in {}", printable(id), reader_.place(twin->second)),
          "rename or remove one (split multi-allelic sites: bcftools norm -m+ joins them)");
  }

  void add(const std::string& id, const SiteRecord& record, const GenotypeReader::AlleleCounts& counts) {
    const bool first_is_minor =
        counts.first < counts.second || (counts.first == counts.second && reader_.minor_at_tie() == 0);
    const std::uint64_t minor = first_is_minor ? counts.first : counts.second;
    sites_.push_back({id, record.chrom, record.pos, record.alleles[first_is_minor ? 1 : 0],
                      record.alleles[first_is_minor ? 0 : 1]});
    frequencies_.minor_freq.push_back(static_cast<double>(minor) /
                                      static_cast<double>(counts.first + counts.second));
  }

  const Source& source_;
  GenotypeReader& reader_;
  std::vector<Site> sites_;
  Population frequencies_;
  std::unordered_map<std::string, std::uint64_t> seen_;  ///< id -> number of its record
  std::uint64_t records_ = 0, not_snps_ = 0, uncalled_ = 0, nameless_ = 0;
};

}  // namespace

Panel derive_panel(const std::string& path) {
  const Source source(path);
  const FileFormat format = detect_format(source);
  const auto reader = open_genotypes(source, format, false);
  if (format == FileFormat::kText)
    throw InputError(source.name(), "",
                     "holds one person's genotypes, which cannot say which alleles are rare",
                     "give a panel with --panel, or a VCF or PLINK file of many people first");
  PanelMaker maker(source, *reader);
  while (const SiteRecord* record = reader->next()) maker.take(*record);
  return std::move(maker).finish();
}

}  // namespace fastid
