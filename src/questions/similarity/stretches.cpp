#include "questions/similarity/stretches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace fastid::similarity {
namespace {

constexpr std::string_view kKinds = "kinds of stretches";
constexpr std::array<std::string_view, 2> kNames = {"sums",
                                                    "sums where calls are missing"};  ///< of each kind
constexpr double kMebi = 1 << 20;

/// How many pieces half of the memory has room for, once the other half has room for the sums of a step: of
/// each subtree that waits for its other half, and of two that are added; and for the table of pairs.
std::uint64_t pieces_that_fit(const Vectors& vectors, const pipeline::StretchPlan& plan, double memory) {
  const auto waiting = static_cast<double>(vectors.of_numbers() ? std::bit_width(vectors.n_pieces()) : 1);
  const double sums =
      (static_cast<double>(plan.largest()) * (waiting + 2) + static_cast<double>(plan.table())) *
      sizeof(double);
  if (sums > memory / 2)
    throw UsageError(
        fmt::format("--split elements: sums of products take {:.0f} MiB of memory at a time, and half of "
                    "--memory has {:.0f}; allow more, give fewer vectors, or leave --split out",
                    std::ceil(sums / kMebi), memory / 2 / kMebi));
  const auto pieces = static_cast<std::uint64_t>(memory / 2 / vectors.bytes_of_piece());
  if (pieces == 0)
    throw UsageError(fmt::format("--memory: has no room for {} elements of all vectors; allow more",
                                 vectors.of_numbers() ? Vectors::kStretch : kWordBits));
  return pieces;
}

}  // namespace

Stretches::Stretches(const Vectors& vectors, const SimilarityOptions& options, const Range& last,
                     ThreadPool& pool, asking::DeviceOptions& device, std::uint64_t most_sums)
    : vectors_(vectors),
      pool_(pool),
      device_(device),
      progress_(options.progress),
      plan_(vectors.metric(), options.way, vectors.size(), last,
            vectors.of_numbers() ? pipeline::MissingCalls::kNone : pipeline::MissingCalls::kPossible,
            most_sums),
      values_(plan_, options.file),
      pieces_at_once_(pieces_that_fit(vectors, plan_, Vectors::memory(options))) {}

const Stretches::Loaded& Stretches::load(const Range& pieces) {
  if (loaded_ && loaded_->pieces == pieces) return *loaded_;
  loaded_.reset();
  loaded_.emplace(Loaded{{}, vectors_.load_pieces(pieces), nullptr});
  if (loaded_->vectors.planes().units > 0)
    loaded_->engine = loaded_->vectors.engine_on(device_, plan_.combinations());
  loaded_->pieces = pieces;  // last: where no engine could be made, the next call tries again
  return *loaded_;
}

double Stretches::bytes_of_part(const Shard& shard) const {
  const Range pieces = share(shard);
  const bool all_called = !vectors_.misses_calls();
  const std::size_t each = vectors_.of_numbers() ? pipeline::nodes_of(pieces).size() : pieces.size() > 0;
  double sums = 0;
  for (const pipeline::StretchStep& step : plan_.steps())
    sums += static_cast<double>(plan_.size_of(step, all_called));
  return sums * static_cast<double>(each) * sizeof(double);
}

/// Combinations of each stretch, of all together.
std::uint64_t Stretches::total(const Range& pieces) const {
  const std::uint64_t at_once = vectors_.of_numbers() ? 1 : pieces_at_once_;
  return ceil_div(pieces.size(), at_once) * plan_.combinations();
}

pipeline::StretchSums Stretches::count(const pipeline::StretchStep& step, const Range& pieces,
                                       Progress& progress) {
  pipeline::StretchSums sums(order());
  for (Range some{pieces.first, 0}; some.first < pieces.end; some.first = some.end) {
    some.end = std::min(pieces.end, some.first + pieces_at_once_);
    const Loaded& loaded = load(some);
    for (std::size_t i = 0; loaded.engine && i < loaded.vectors.n_stretches(); ++i) {
      const engine::VectorPlanes planes = loaded.vectors.planes_of_stretch(i);
      sums.of(planes.all_called)
          .add({0, some.first + i}, plan_.count(step, *loaded.engine, planes, pool_, progress));
    }
  }
  return sums;
}

void Stretches::run(Sinks sinks) {
  const Range pieces{0, vectors_.n_pieces()};
  Progress progress(progress_, "comparing", noun() + 's', total(pieces));
  for (const pipeline::StretchStep& step : plan_.steps())
    values_.take(step, count(step, pieces, progress), pool_, sinks);
}

std::string Stretches::write(const Shard& shard, const Range& steps, part::Writer& to) {
  const Range pieces = share(shard);
  Progress progress(progress_, "comparing", noun() + 's', total(pieces));
  std::array<std::uint64_t, 2> kinds{};
  for (std::uint64_t step = steps.first; step < steps.end; ++step) {
    const pipeline::StretchSums sums = count(plan_.steps()[static_cast<std::size_t>(step)], pieces, progress);
    if (plan_.steps()[static_cast<std::size_t>(step)].what == pipeline::StretchStep::What::kOwn)
      for (const std::vector<double>& of_node : sums.called.sums()) values_.check_own(of_node);
    kinds = {kinds[0] | (sums.called.empty() ? 0U : 1U), kinds[1] | (sums.missing.empty() ? 0U : 1U)};
    for (const std::vector<double>& of_node : sums.called.sums()) to.add<double>(kNames[0], of_node);
    for (const std::vector<double>& of_node : sums.missing.sums()) to.add<double>(kNames[1], of_node);
  }
  to.add<std::uint64_t>(kKinds, kinds);
  return "sums of " + counted(plan_.combinations(), noun());
}

/// The sums of a part, step by step.
class Stretches::PartReader {
 public:
  /// \param pieces  of the part's shard \throws InputError
  PartReader(const part::File& part, const Range& pieces, pipeline::OrderedSums::Order order) : part_(part) {
    const std::vector<const part::Section*> sections = part.sections(kKinds);
    if (sections.size() != 1) part.refuse(kKinds, "is not there once");
    const std::vector<std::uint64_t> there = part.read<std::uint64_t>(*sections[0]);
    const bool tree = order == pipeline::OrderedSums::Order::kTree, none = pieces.size() == 0;
    if (there.size() != kinds_.size() || there[0] > 1 || there[1] > 1 || (none && there[0] + there[1] > 0) ||
        (tree && (there[0] == 0) != none) || (tree && there[1] > 0))
      part.refuse(kKinds, "has numbers that cannot be");
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      kinds_[kind].sums = part.sections(kNames[kind]);
      if (there[kind] > 0)
        kinds_[kind].nodes = tree ? pipeline::nodes_of(pieces) : std::vector<pipeline::SumNode>(1);
    }
  }

  /// Adds those of the next step. \throws InputError
  void add(const pipeline::StretchPlan& plan, const pipeline::StretchStep& step, pipeline::StretchSums& to) {
    for (const bool all_called : {true, false}) {
      const std::uint64_t size = plan.size_of(step, all_called);
      for (const pipeline::SumNode& node : kinds_[all_called ? 0 : 1].nodes)
        if (size > 0) to.of(all_called).add(node, next(all_called ? 0 : 1, size));
    }
  }

  /// \throws InputError where sums are left
  void end() const {
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      if (kinds_[kind].read < kinds_[kind].sums.size())
        part_.refuse(kNames[kind], "are more than its shard has");
  }

 private:
  struct Kind {
    std::vector<const part::Section*> sums;
    std::size_t read = 0;                  ///< of them
    std::vector<pipeline::SumNode> nodes;  ///< of each step
  };

  std::vector<double> next(std::size_t kind, std::uint64_t size) {
    Kind& of = kinds_[kind];
    if (of.read == of.sums.size()) part_.refuse(kNames[kind], "are fewer than its shard has");
    const part::Section& section = *of.sums[of.read++];
    if (section.bytes != size * sizeof(double)) part_.refuse(kNames[kind], "have a length that cannot be");
    std::vector<double> sums = part_.read<double>(section);
    if (!std::ranges::all_of(sums, [](double sum) { return std::isfinite(sum) && sum >= 0; }))
      part_.refuse(kNames[kind], "have a number that is negative or not finite");
    return sums;
  }

  const part::File& part_;
  std::array<Kind, 2> kinds_;
};

void Stretches::merge(const part::PartSet& parts, const Range& steps, Sinks sinks) {
  std::vector<PartReader> readers;
  for (std::size_t i = 0; i < parts.size(); ++i)
    readers.emplace_back(parts.part(i), share(parts.part(i).head().shard), order());
  for (std::uint64_t i = steps.first; i < steps.end; ++i) {
    const pipeline::StretchStep& step = plan_.steps()[static_cast<std::size_t>(i)];
    pipeline::StretchSums sums(order());
    for (PartReader& reader : readers) {
      check_interrupt();
      reader.add(plan_, step, sums);
    }
    values_.take(step, std::move(sums), pool_, sinks);
  }
  for (const PartReader& reader : readers) reader.end();
}

}  // namespace fastid::similarity
