#include "part/stored_queries.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "bits/likelihoods.hpp"

namespace fastid::part {
namespace {

constexpr std::size_t kTextsAQuery = 4;                          ///< name, file, SHA-256, encoding
constexpr std::uint64_t kMostRejected = std::uint64_t{1} << 20;  ///< files
constexpr std::string_view kAlleles = "alleles", kMinor = "minor";

/// The numbers that precede the rows.
struct Shape {
  std::uint64_t n_rows = 0;
  std::uint32_t n_sites = 0, has_major = 0;
};
static_assert(sizeof(Shape) == 16);

/// The planes of a row, one after the other: minor, called and, where it is known, major.
std::vector<Word> words_of(const ProfileRows& rows) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < rows.n_rows(); ++i) {
    const RowView row = rows.row(i);
    for (const std::span<const Word> plane : {row.bits, row.called, row.major})
      words.insert(words.end(), plane.begin(), plane.end());
  }
  return words;
}

std::string named(std::string_view name, std::string_view what) {
  return std::string(name) + ": " + std::string(what);
}

std::string signals_of(std::string_view name, std::size_t query) {
  return named(name, "signals " + std::to_string(query));
}

std::string reads_of(std::string_view name, std::size_t query) {
  return named(name, "few reads " + std::to_string(query));
}

/// The section of a name; null where there is none. \throws InputError: there are several
const Section* only_section(const File& from, const std::string& name) {
  const std::vector<const Section*> sections = from.sections(name);
  if (sections.size() > 1) from.refuse(name, "is there twice");
  return sections.empty() ? nullptr : sections[0];
}

class StoredRows {
 public:
  StoredRows(std::string_view name, const File& from, const Shape& shape)
      : from_(from), shape_(shape), rows_(0, shape.n_sites) {
    const std::string section = named(name, "rows");
    const std::size_t planes = shape.has_major != 0 ? 3 : 2, n_words = rows_.n_words();
    const Section* const of = only_section(from, section);
    // Looked at before memory is taken for so many rows.
    const std::uint64_t row_bytes = n_words * planes * sizeof(Word);
    if (of == nullptr || row_bytes == 0 || of->bytes % row_bytes != 0 ||
        of->bytes / row_bytes != shape.n_rows)
      from.refuse(section, "has not one row for each name");
    const std::vector<Word> words = from.read<Word>(*of);
    rows_ = ProfileRows(static_cast<std::size_t>(shape.n_rows), shape.n_sites,
                        shape.has_major != 0 ? Encoding::kAlleles : Encoding::kMinor);
    for (std::size_t i = 0; i < rows_.n_rows(); ++i)
      for (std::size_t w = 0; w < n_words; ++w) {
        const Word* const at = words.data() + i * n_words * planes + w;
        put(section, i, w, at[0], at[n_words], planes == 3 ? at[2 * n_words] : 0);
      }
  }

  ProfileRows take() { return std::move(rows_); }

 private:
  void put(const std::string& section, std::size_t row, std::size_t word, Word minor, Word called,
           Word major) {
    const Word mask = sites_mask(shape_.n_sites, word);
    const bool right = (called & ~mask) == 0 && ((minor | major) & ~called) == 0 &&
                       (shape_.has_major == 0 || (minor | major) == called);
    if (!right) from_.refuse(section, "has bits where none can be");
    rows_.set_word(row, word, minor, called, major);
  }

  const File& from_;
  Shape shape_;
  ProfileRows rows_;
};

/// \throws InputError: damaged
void read_signals(std::string_view name, const File& from, std::uint32_t n_sites, match::Queries& queries) {
  const auto possible = [](const AlleleSignal& at) {
    return std::isfinite(at.total()) && at.major >= 0 && at.minor >= 0;
  };
  for (std::size_t i = 0; i < queries.sources.size(); ++i) {
    const std::string section = signals_of(name, i);
    const Section* const of = only_section(from, section);
    if (of == nullptr) continue;
    queries.signals.resize(queries.sources.size());
    SampleSignal& signal = queries.signals[i].emplace(from.read<AlleleSignal>(*of));
    if (signal.size() != n_sites || !std::ranges::all_of(signal, possible))
      from.refuse(section, "has not a number for each site and allele");
  }
}

/// \throws InputError: damaged
void read_few_reads(std::string_view name, const File& from, std::uint32_t n_sites, match::Queries& queries) {
  queries.few_reads.resize(queries.signals.size());
  for (std::size_t i = 0; i < queries.few_reads.size(); ++i) {
    const std::string section = reads_of(name, i);
    const Section* const of = only_section(from, section);
    if (of == nullptr) continue;
    std::vector<SiteRead>& reads = queries.few_reads[i] = from.read<SiteRead>(*of);
    bool possible = queries.signals[i] && std::ranges::is_sorted(reads, {}, &SiteRead::site);
    for (std::size_t r = 0; possible && r < reads.size(); ++r)
      possible = reads[r].site < n_sites && std::isfinite(reads[r].odds) && reads[r].odds > 0 &&
                 (r < kFewReads || reads[r - kFewReads].site != reads[r].site);
    if (!possible) from.refuse(section, "has reads that cannot be");
  }
}

/// A query's likelihoods at one site.
struct StoredLikelihoods {
  std::uint32_t query = 0, site = 0;
  GenotypeLikelihoods values{};
};
static_assert(sizeof(StoredLikelihoods) == 32);

std::vector<StoredLikelihoods> stored_likelihoods(const match::Queries& queries) {
  std::vector<StoredLikelihoods> all;
  for (std::size_t i = 0; i < queries.sources.size(); ++i)
    if (const SampleLikelihoods* const sample = queries.likelihoods_of(i))
      for (std::size_t s = 0; s < sample->sites().size(); ++s)
        all.push_back({static_cast<std::uint32_t>(i), sample->sites()[s], sample->values()[s]});
  return all;
}

bool may_be(const GenotypeLikelihoods& values) {
  const auto may = [](double value) { return std::isfinite(value) && value >= 0; };
  return std::ranges::all_of(values, may) && informative(values);
}

/// \param n_queries, n_sites  there are
std::vector<std::optional<SampleLikelihoods>> read_likelihoods(const std::string& section, const File& from,
                                                               std::size_t n_queries, std::uint32_t n_sites) {
  const Section* const of = only_section(from, section);
  if (of == nullptr) return {};
  std::vector<std::optional<SampleLikelihoods>> all(n_queries);
  std::optional<StoredLikelihoods> last;
  for (const StoredLikelihoods& at : from.read<StoredLikelihoods>(*of)) {
    const bool in_order = !last || std::pair(last->query, last->site) < std::pair(at.query, at.site);
    if (at.query >= n_queries || at.site >= n_sites || !in_order || !may_be(at.values))
      from.refuse(section, "has likelihoods that cannot be");
    if (!all[at.query]) all[at.query].emplace(n_sites);
    all[at.query]->add(at.site, at.values);
    last = at;
  }
  return all;
}

}  // namespace

std::string digest_of(const match::Queries& queries) {
  Sha256 hash;
  for (const match::QuerySource& source : queries.sources) {
    hash.update(source.name.c_str(), source.name.size() + 1);
    hash.update(source.sha256);
  }
  const std::vector<Word> words = words_of(queries.rows);
  hash.update(words.data(), words.size() * sizeof(Word));
  for (const auto& signal : queries.signals)
    if (signal) hash.update(signal->data(), signal->size() * sizeof(AlleleSignal));
  for (const std::vector<SiteRead>& reads : queries.few_reads)
    hash.update(reads.data(), reads.size() * sizeof(SiteRead));
  const std::vector<StoredLikelihoods> likelihoods = stored_likelihoods(queries);
  hash.update(likelihoods.data(), likelihoods.size() * sizeof(StoredLikelihoods));
  return hash.hex();
}

void add_queries(std::string_view name, const match::Queries& queries,
                 const std::vector<match::FailedInput>* failed, Writer& to) {
  std::vector<std::string> texts, rejected;
  for (const match::QuerySource& source : queries.sources)
    for (std::string text : {source.name, source.file, source.sha256,
                             std::string(source.encoding == Encoding::kAlleles ? kAlleles : kMinor)})
      texts.push_back(std::move(text));
  if (failed != nullptr)
    for (const match::FailedInput& file : *failed) {
      rejected.push_back(file.file);
      rejected.push_back(file.problem);
    }
  const Shape shape{queries.rows.n_rows(), queries.rows.n_sites(),
                    queries.rows.encoding() == Encoding::kAlleles};
  to.add_texts(named(name, "names"), texts);
  to.add_texts(named(name, "rejected"), rejected);
  to.add<Shape>(named(name, "shape"), {&shape, 1});
  to.add<Word>(named(name, "rows"), words_of(queries.rows));
  for (std::size_t i = 0; i < queries.signals.size(); ++i)
    if (queries.signals[i]) to.add<AlleleSignal>(signals_of(name, i), *queries.signals[i]);
  for (std::size_t i = 0; i < queries.few_reads.size(); ++i)
    if (!queries.few_reads[i].empty()) to.add<SiteRead>(reads_of(name, i), queries.few_reads[i]);
  to.add<StoredLikelihoods>(named(name, "likelihoods"), stored_likelihoods(queries));
}

match::Queries read_queries(std::string_view name, const File& from, std::uint32_t n_sites,
                            std::vector<match::FailedInput>* failed) {
  std::vector<Shape> shape;
  if (const Section* const of = only_section(from, named(name, "shape"))) shape = from.read<Shape>(*of);
  if (shape.size() != 1) from.refuse(name, "has no shape");
  if (shape[0].n_sites != n_sites) from.refuse(name, "is of another panel than the database");
  match::Queries queries{{}, StoredRows(name, from, shape[0]).take()};
  std::vector<std::string> texts, rejected;
  const std::uint64_t n_texts = shape[0].n_rows * kTextsAQuery;
  if (const Section* const of = only_section(from, named(name, "names")))
    texts = from.read_texts(*of, n_texts);
  if (const Section* const of = only_section(from, named(name, "rejected")))
    rejected = from.read_texts(*of, 2 * kMostRejected);
  if (texts.size() != n_texts || texts.empty() || rejected.size() % 2 != 0)
    from.refuse(name, "has not four names for each query");
  for (std::size_t i = 0; i < texts.size(); i += kTextsAQuery)
    queries.sources.push_back({texts[i], texts[i + 1], texts[i + 2],
                               texts[i + 3] == kAlleles ? Encoding::kAlleles : Encoding::kMinor});
  read_signals(name, from, n_sites, queries);
  read_few_reads(name, from, n_sites, queries);
  queries.likelihoods =
      read_likelihoods(named(name, "likelihoods"), from, queries.sources.size(), shape[0].n_sites);
  if (failed != nullptr)
    for (std::size_t i = 0; i < rejected.size(); i += 2) failed->push_back({rejected[i], rejected[i + 1]});
  return queries;
}

}  // namespace fastid::part
