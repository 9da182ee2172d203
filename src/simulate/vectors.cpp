#include "simulate/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "simulate/random.hpp"

namespace fastid::simulate {
namespace {

/// The numbers of the chosen vectors among n.
std::vector<std::uint32_t> numbers_of(ChosenVectors chosen, std::size_t n) {
  std::vector<std::uint32_t> numbers;
  const Range all{0, n};
  for (const Range& range : chosen.empty() ? ChosenVectors(&all, 1) : chosen)
    for (std::uint64_t vector = range.first; vector < range.end; ++vector)
      numbers.push_back(static_cast<std::uint32_t>(vector));
  return numbers;
}

/// Blocks whose words are made one by one: of a profile, where a minor and where a major allele was seen.
using Made = std::pair<Word, Word>;
BitBlocks blocks_of(const std::vector<std::uint32_t>& vectors, std::uint32_t n_units, const Range& words,
                    ThreadPool& pool,
                    const std::function<std::function<Made(std::size_t word)>(std::uint32_t vector)>& begin) {
  const std::uint64_t first = words.first * kWordBits,
                      end = std::min<std::uint64_t>(n_units, words.end * kWordBits);
  BitBlocks blocks({vectors.size(), narrow<std::uint32_t>(end - first), Encoding::kAlleles});
  const BlockShape& shape = blocks.shape();
  pool.for_each(static_cast<std::size_t>(shape.n_blocks()), [&](std::size_t block, const ThreadPool::Stop&) {
    check_interrupt();
    std::vector<std::function<Made(std::size_t)>> make;
    for (std::uint64_t v = block * kLanes;
         v < std::min<std::uint64_t>(shape.n_profiles, (block + 1) * kLanes); ++v)
      make.push_back(begin(vectors[static_cast<std::size_t>(v)]));
    std::array<Word, kLanes> minor{}, major{};
    for (std::size_t word = 0; word < shape.n_words(); ++word) {
      const Word mask = sites_mask(shape.n_sites, word);
      for (std::size_t lane = 0; lane < make.size(); ++lane) {
        const auto [of_minor, of_major] = make[lane](static_cast<std::size_t>(words.first) + word);
        minor[lane] = of_minor & mask;
        major[lane] = of_major & mask;
      }
      blocks.set_word(block, word, mask, minor.data(), major.data());
    }
  });
  return blocks;
}

/// A matrix whose rows are made one by one, from column `first` on.
using MakeNumbers = std::function<void(std::uint32_t vector, std::uint64_t first, std::span<double> numbers)>;
engine::RealRows rows_that(std::size_t n_vectors, std::uint32_t n_units, engine::RealType type,
                           const MakeNumbers& make) {
  return {"--synthetic", type, n_vectors, n_units,
          [make, type](const Range& rows, const Range& columns, engine::RealMatrix& to) {
            std::vector<double> numbers(to.n_columns());
            for (std::uint64_t row = rows.first; row < rows.end; ++row) {
              check_interrupt();
              make(static_cast<std::uint32_t>(row), columns.first,
                   std::span(numbers).first(static_cast<std::size_t>(columns.size())));
              engine::with_real(type, [&](auto zero) {
                using T = decltype(zero);
                to.append<T>(std::vector<T>(numbers.begin(), numbers.end()));
              });
            }
          }};
}

}  // namespace

BitBlocks random_genotypes(const VectorOptions& options, ThreadPool& pool, ChosenVectors chosen,
                           const Range& words) {
  const Probability missing(options.missing);
  return blocks_of(
      numbers_of(chosen, options.n_vectors), options.n_units, words, pool, [&](std::uint32_t vector) {
        Stream genotypes(options.seed, Purpose::kVectors, vector),
            calls(options.seed, Purpose::kVectorCalls, vector);
        genotypes.skip(words.first);
        for (std::uint64_t word = 0; !missing.never() && word < words.first; ++word) missing.draw(calls);
        return [genotypes, calls, &missing](std::size_t) mutable -> Made {
          const std::uint64_t drawn = genotypes.next();
          const auto minor = static_cast<Word>(drawn), other = static_cast<Word>(drawn >> 32);
          const Word called = missing.never() ? ~Word{0} : ~static_cast<Word>(missing.draw(calls));
          return {minor & called, (~minor | other) & called};
        };
      });
}

engine::RealRows random_rows(const VectorOptions& options, engine::RealType type) {
  return rows_that(
      options.n_vectors, options.n_units, type,
      [seed = options.seed](std::uint32_t vector, std::uint64_t first, std::span<double> numbers) {
        Stream stream(seed, Purpose::kVectors, vector);
        stream.skip(first);
        for (double& number : numbers) number = stream.uniform();
      });
}

AnalyticVectors::AnalyticVectors(const VectorOptions& options)
    : n_units_(options.n_units), rows_(options.missing > 0 ? kCallRows : 1) {
  if (n_units_ == 0 || n_units_ % rows_ != 0)
    throw UsageError(
        fmt::format("--missing: analytic vectors with missing calls have a multiple of {} units", kCallRows));
  n_columns_ = n_units_ / rows_;
  stride_ = n_columns_ / 2 + n_columns_ / 8 + 1;
  while (std::gcd(stride_, n_columns_) != 1) ++stride_;
  const auto fewest = static_cast<std::uint32_t>(rows_ * (1 - 2 * options.missing));
  for (std::uint32_t vector = 0; vector < options.n_vectors; ++vector) {
    Stream stream(options.seed, Purpose::kVectors, vector);
    Steps steps;
    steps.low = static_cast<std::uint32_t>(stream.below(std::uint64_t{n_columns_} + 1));
    steps.high = static_cast<std::uint32_t>(stream.below(std::uint64_t{steps.low} + 1));
    steps.called = std::max(1u, fewest + static_cast<std::uint32_t>(stream.below(rows_ - fewest + 1)));
    steps_.push_back(steps);
  }
}

std::uint32_t AnalyticVectors::column_of(std::uint32_t unit) const {
  return static_cast<std::uint32_t>(std::uint64_t{unit % n_columns_} * stride_ % n_columns_);
}

std::uint32_t AnalyticVectors::copies(std::uint32_t vector, std::uint32_t unit) const {
  const std::uint32_t x = column_of(unit);
  return (x < steps_[vector].high ? 1 : 0) + (x < steps_[vector].low ? 1 : 0);
}

engine::RealRows AnalyticVectors::rows(engine::RealType type) const {
  return rows_that(steps_.size(), n_units_, type,
                   [this](std::uint32_t vector, std::uint64_t first, std::span<double> numbers) {
                     for (std::size_t i = 0; i < numbers.size(); ++i)
                       numbers[i] = copies(vector, static_cast<std::uint32_t>(first + i)) + 1;
                   });
}

BitBlocks AnalyticVectors::genotypes(ThreadPool& pool, ChosenVectors chosen, const Range& words) const {
  return blocks_of(numbers_of(chosen, steps_.size()), n_units_, words, pool, [&](std::uint32_t vector) {
    return [this, vector](std::size_t word) -> Made {
      Made made{};
      for (std::uint32_t bit = 0; bit < kWordBits; ++bit) {
        const auto unit = static_cast<std::uint32_t>(word * kWordBits + bit);
        if (unit >= n_units_ || unit / n_columns_ >= steps_[vector].called) continue;
        const std::uint32_t n = copies(vector, unit);
        made.first |= Word{n > 0} << bit;
        made.second |= Word{n < 2} << bit;
      }
      return made;
    };
  });
}

/// visit(columns, copies of each member) for each step of all members together.
template <class Visit>
void AnalyticVectors::for_each_step(std::span<const std::uint32_t> members, const Visit& visit) const {
  std::array<std::uint32_t, 2 * engine::kMostMembers + 1> ends{};
  std::size_t n = 0;
  for (const std::uint32_t member : members) {
    ends[n++] = steps_[member].high;
    ends[n++] = steps_[member].low;
  }
  ends[n++] = n_columns_;
  std::sort(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(n));
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (ends[i] == x) continue;
    std::array<std::uint32_t, engine::kMostMembers> copies{};
    for (std::size_t m = 0; m < members.size(); ++m)
      copies[m] = (x < steps_[members[m]].high ? 1 : 0) + (x < steps_[members[m]].low ? 1 : 0);
    visit(static_cast<double>(ends[i] - x), copies);
    x = ends[i];
  }
}

/// The proportional similarity of the copies, each cut at `most_copies` and raised by `more`.
double AnalyticVectors::proportional(std::span<const std::uint32_t> members, std::uint32_t most_copies,
                                     std::uint32_t more) const {
  double common = 0, all = 0;
  for_each_step(members, [&](double columns, std::array<std::uint32_t, engine::kMostMembers> copies) {
    for (std::size_t m = 0; m < members.size(); ++m) copies[m] = std::min(copies[m], most_copies) + more;
    const std::uint32_t a = copies[0], b = copies[1], c = copies[2];
    all += columns * (a + b + c);
    common += columns * (members.size() == 2
                             ? std::min(a, b)
                             : std::min(a, b) + std::min(a, c) + std::min(b, c) - std::min({a, b, c}));
  });
  return all > 0 ? (members.size() == 2 ? 2 : 1.5) * common / all : 0;
}

/// 1 - 2/3 of an allele's frequency.
double AnalyticVectors::weight(std::uint32_t vector, bool minor) const {
  const double copies = 2.0 * n_columns_, of_minor = 1.0 * steps_[vector].high + steps_[vector].low;
  return 1 - (minor ? of_minor : copies - of_minor) / copies * 2 / 3;
}

double AnalyticVectors::correlation(std::span<const std::uint32_t> members, std::size_t cell) const {
  const std::size_t way = members.size();
  const auto is_minor = [&](std::size_t m) { return (cell >> (way - 1 - m) & 1) != 0; };
  double together = 0;
  for_each_step(members, [&](double columns, const std::array<std::uint32_t, engine::kMostMembers>& copies) {
    double of_step = columns;
    for (std::size_t m = 0; m < way; ++m) of_step *= is_minor(m) ? copies[m] : 2 - copies[m];
    together += of_step;
  });
  double value = 4.5 * (together / (static_cast<double>(std::size_t{1} << way) * n_columns_));
  for (std::size_t m = 0; m < way; ++m) value *= weight(members[m], is_minor(m));
  return value;
}

void AnalyticVectors::values(engine::SimilarityMetric metric, std::span<const std::uint32_t> members,
                             std::span<double> out) const {
  if (metric != engine::SimilarityMetric::kCcc) {
    out[0] = proportional(members, metric == engine::SimilarityMetric::kSorensen ? 1 : 2, 0);
    return;
  }
  for (std::size_t cell = 0; cell < out.size(); ++cell) out[cell] = correlation(members, cell);
}

}  // namespace fastid::simulate
