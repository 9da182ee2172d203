#include "questions/similarity/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "asking/counted_sites.hpp"
#include "asking/engines.hpp"
#include "asking/pair_finder.hpp"
#include "asking/people_file.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "bits/selected.hpp"
#include "bits/turned.hpp"
#include "questions/similarity/numbers.hpp"

namespace fastid::similarity {
namespace {

VectorsOf kind_of(const SimilarityOptions& options) {
  if (options.of) return *options.of;
  const bool numbers = options.synthetic == Synthetic::kNone && is_real_matrix(options.file);
  return numbers ? VectorsOf::kNumbers : VectorsOf::kProfiles;
}

/// All numbers below n of some ranges of `of_one` each.
std::vector<std::uint64_t> rows_of(std::span<const Range> ranges, std::uint64_t of_one, std::uint64_t n) {
  std::vector<std::uint64_t> rows;
  for (const Range& range : ranges)
    for (std::uint64_t row = range.first * of_one; row < std::min(range.end * of_one, n); ++row)
      rows.push_back(row);
  return rows;
}

void hash_numbers(const engine::VectorBlocks& vectors, Sha256& sha) {
  for (const void* const block : vectors.blocks) sha.update(block, vectors.block_bytes());
}

/// Adds which matrix of its file it is, and the file.
void hash_file(const engine::RealRows& rows, const std::string& path, Sha256& sha) {
  sha.update(fmt::format("{} {} {} {} ", rows.dataset, engine::bytes_of(rows.type), rows.rows, rows.columns));
  sha.update(sha256_of_file(file_of_real_matrix(path)));
}

void hash_blocks(const BlockSource& source, Sha256& sha) {
  BlockReader blocks(source);
  for (std::uint64_t block = 0; block < source.shape().n_blocks(); ++block) {
    const BlocksView view = blocks.block_of(block * kLanes);
    sha.update(view.bits, view.shape.block_bytes());
    if (view.second != nullptr) sha.update(view.second, view.shape.block_bytes());
  }
}

}  // namespace

LoadedVectors::LoadedVectors(const BlocksView& profiles, engine::SimilarityMetric metric) {
  bits_.emplace(profiles, metric);
  planes_ = bits_->planes();
}

LoadedVectors::LoadedVectors(engine::RealMatrix numbers) {
  numbers_.emplace(std::move(numbers));
  planes_ = engine::planes_of(*numbers_);
}

LoadedVectors::LoadedVectors(engine::RealStretches numbers, std::uint32_t n) {
  numbers_.emplace(std::move(numbers.matrix));
  planes_ = {.n = n, .stride = numbers.stride, .units = static_cast<double>(numbers_->n_columns())};
}

std::size_t LoadedVectors::n_stretches() const {
  return numbers_ ? numbers_->n_rows() / planes_.stride : 1;
}

engine::VectorPlanes LoadedVectors::planes_of_stretch(std::size_t stretch) const {
  engine::VectorPlanes planes = planes_;
  planes.first = static_cast<std::uint32_t>(stretch);
  return planes;
}

engine::VectorBlocks LoadedVectors::blocks() const {
  return numbers_ ? engine::VectorBlocks(*numbers_) : engine::VectorBlocks(bits_->view());
}

void LoadedVectors::hash(Sha256& sha) const {
  if (numbers_)
    hash_numbers(*numbers_, sha);
  else
    hash_blocks(MemorySource(bits_->view()), sha);
}

std::unique_ptr<engine::SimilarityEngine> LoadedVectors::engine_on(asking::DeviceOptions& on,
                                                                   std::uint64_t n_combinations) const {
  return asking::make_similarity_on(on, blocks(), n_combinations);
}

std::unique_ptr<engine::SimilarityEngine> LoadedVectors::small_engine(const asking::DeviceOptions& on) const {
  if (on.device == "cpu" || on.device == "reference") return nullptr;
  asking::DeviceOptions cpu{.device = "cpu", .engine = on.engine};
  return engine_on(cpu, 0);
}

Vectors::Vectors(const SimilarityOptions& options, ThreadPool& pool)
    : options_(options), pool_(pool), of_numbers_(kind_of(options) == VectorsOf::kNumbers) {
  metric_ = options.metric.value_or(of_numbers_ ? engine::SimilarityMetric::kCzekanowski
                                                : engine::SimilarityMetric::kSorensen);
  if (of_numbers_ && metric_ != engine::SimilarityMetric::kCzekanowski)
    throw UsageError("--metric: vectors of numbers have --metric czekanowski alone");
  if (options.synthetic != Synthetic::kNone)
    make();
  else
    of_numbers_ ? open_numbers() : open_genotypes();
  if (names_.size() < options.way)
    throw InputError(options.file, "", fmt::format("holds {}", counted(names_.size(), "vector")),
                     fmt::format("give {} or more", options.way));
  if (by_elements()) return;
  const bool fits = bytes_of_one() * size() <= memory(options);
  const bool in_memory = people_ != nullptr && origin_.empty();
  if (whole_ || (options.way == 2 && !fits && !in_memory)) return;
  const Range all{0, size()};
  whole_ = load({&all, 1});
  people_.reset();
  autosomal_.reset();
}

double Vectors::memory(const SimilarityOptions& options) {
  const asking::DeviceOptions& on = options.device;
  if (on.engine.memory)
    return static_cast<double>(*on.engine.memory) / static_cast<double>(asking::n_devices(on));
  return .75 * static_cast<double>(physical_memory_bytes()) / static_cast<double>(on.processes);
}

double Vectors::bytes_of_one() const {
  const auto units = static_cast<double>(n_units_);
  if (of_numbers_)
    return units * static_cast<double>(engine::bytes_of(rows_ ? rows_->type : options_.made_of));
  constexpr double kRead = 4;  // planes of genotypes while they are turned
  const double compared = metric_ == engine::SimilarityMetric::kSorensen ? 2
                          : metric_ == engine::SimilarityMetric::kCcc    ? 3
                                                                         : 4;
  return (kRead + compared) * units / CHAR_BIT;
}

std::uint64_t Vectors::block_size() const {
  return static_cast<std::uint64_t>(memory(options_) / 4 / bytes_of_one() / kLanes) * kLanes;
}

/// Names vectors by their places, from 1.
void Vectors::number(std::uint64_t n) {
  for (std::uint64_t vector = 1; vector <= n; ++vector) names_.push_back(std::to_string(vector));
  name_of_one_ = "vector";
}

void Vectors::make() {
  const simulate::VectorOptions& made = options_.made;
  if (of_numbers_ && made.missing > 0)
    throw UsageError("--missing: vectors of numbers have no missing calls");
  if (options_.synthetic == Synthetic::kAnalytic) analytic_.emplace(made);
  if (of_numbers_)
    rows_ = analytic_ ? analytic_->rows(options_.made_of) : simulate::random_rows(made, options_.made_of);
  number(made.n_vectors);
  n_units_ = made.n_units;
  origin_ =
      fmt::format("made up {} {} {} {} {} {} {}", analytic(), of_numbers_, engine::bytes_of(options_.made_of),
                  made.n_vectors, made.n_units, made.seed, made.missing);
}

void Vectors::open_numbers() {
  rows_ = rows_of_real_matrix(options_.file);
  if (!rows_) {
    engine::RealMatrix matrix = read_real_matrix(options_.file);
    number(matrix.n_rows());
    n_units_ = matrix.n_columns();
    if (!by_elements()) {
      whole_.emplace(std::move(matrix));
      return;
    }
    Sha256 sha;
    hash_numbers(matrix, sha);
    origin_ = sha.hex();
    rows_ = engine::rows_of(std::move(matrix), options_.file);
    return;
  }
  number(narrow<std::uint32_t>(rows_->rows));
  n_units_ = rows_->columns;
}

void Vectors::open_genotypes() {
  people_ = std::make_unique<asking::PeopleFile>(options_.file, options_.import);
  if (people_->people().shape().encoding == Encoding::kMinor &&
      metric_ != engine::SimilarityMetric::kSorensen)
    throw InputError(options_.file, "", "says only whether a minor allele was seen, not how many copies",
                     "give genotypes, or compare by --metric sorensen");
  autosomal_.emplace(people_->panel(), options_.file);
  if (of_sites()) {
    for (const Site& site : autosomal_->sites()) names_.push_back(site.id);
    name_of_one_ = "site";
    n_units_ = people_->people().shape().n_profiles;
    if (!by_elements()) {
      whole_.emplace(autosomal_->keep({people_->people(), pool_}).view(), metric_);
      people_.reset();
      autosomal_.reset();
      return;
    }
  } else {
    names_ = people_->ids();
    name_of_one_ = "profile";
    n_units_ = autosomal_->count();
  }
  if (db::is_database(options_.file)) origin_ = asking::digest_of(db::Reader(options_.file));
}

LoadedVectors Vectors::load(std::span<const Range> ranges) const {
  if (rows_) return LoadedVectors(rows_->read(ranges));
  if (!people_)
    return {(analytic_ ? analytic_->genotypes(pool_, ranges)
                       : simulate::random_genotypes(options_.made, pool_, ranges))
                .view(),
            metric_};
  const SelectedRows some(people_->people(), rows_of(ranges, 1, size()));
  const bool all = some.rows().size() == size();
  const TurnedBlocks sites = autosomal_->keep({all ? people_->people() : some, pool_});
  return {TurnedBlocks(MemorySource(sites.view()), pool_).view(), metric_};
}

std::uint64_t Vectors::n_pieces() const {
  if (of_numbers_) return ceil_div(n_units_, kStretch);
  if (!people_) return ceil_div<std::uint64_t>(n_units_, kWordBits);
  const BlockShape shape = people_->people().shape();
  return of_sites() ? shape.n_blocks() : shape.n_words();
}

double Vectors::bytes_of_piece() const {
  const double units = of_numbers_ ? static_cast<double>(kStretch) : static_cast<double>(kWordBits);
  const std::size_t n = ceil_div<std::size_t>(size(), kLanes) * kLanes;
  return bytes_of_one() / static_cast<double>(n_units_) * units * static_cast<double>(n);
}

LoadedVectors Vectors::load_pieces(const Range& pieces) const {
  if (of_numbers_) return {engine::read_stretches(*rows_, pieces, kStretch), size()};
  if (!people_)
    return {(analytic_ ? analytic_->genotypes(pool_, {}, pieces)
                       : simulate::random_genotypes(options_.made, pool_, {}, pieces))
                .view(),
            metric_};
  if (of_sites()) {
    const SelectedRows some(people_->people(),
                            rows_of({&pieces, 1}, kLanes, people_->people().shape().n_profiles));
    return {autosomal_->keep({some, pool_}).view(), metric_};
  }
  const SelectedWords some(people_->people(), pieces);
  const TurnedBlocks sites = autosomal_->keep({some, pool_}, narrow<std::uint32_t>(pieces.first * kWordBits));
  return {TurnedBlocks(MemorySource(sites.view()), pool_).view(), metric_};
}

void Vectors::known_values(std::span<const std::uint32_t> members, std::span<double> out) const {
  if (of_numbers_)
    out[0] = analytic_->of_numbers(members);
  else
    analytic_->values(metric_, members, out);
}

const std::string& Vectors::digest() const {
  if (!digest_.empty()) return digest_;
  Sha256 sha;
  for (const std::string& name : names_) {
    sha.update(name);
    sha.update(std::string_view("\0", 1));
  }
  if (!origin_.empty())
    sha.update(origin_);
  else if (whole_)
    whole_->hash(sha);
  else if (by_elements())
    people_ ? hash_blocks(people_->people(), sha) : hash_file(*rows_, options_.file, sha);
  else
    for (std::uint64_t first = 0, at_once = std::max<std::uint64_t>(kLanes, block_size()); first < size();
         first += at_once) {
      const Range some{first, std::min<std::uint64_t>(first + at_once, size())};
      load({&some, 1}).hash(sha);
    }
  return digest_ = sha.hex();
}

}  // namespace fastid::similarity
