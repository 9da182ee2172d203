#include "import/formats/sample_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kMostCalls = 50'000'000, kMostSignals = 200'000'000;
constexpr std::size_t kMostSamples = 100'000;
constexpr std::size_t kMostCells = 5'000'000'000;  ///< samples times markers: each is looked at

/// The number of `name` in a list, to which it is added where it is new.
std::uint32_t number_of(std::unordered_map<std::string, std::uint32_t>& numbers, const std::string& name) {
  return numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
}

}  // namespace

SampleTable::SampleTable(std::unique_ptr<TextReader> lines) : lines_(std::move(lines)) {
  const std::string file = lines_->file();
  while (const SiteRecord* line = lines_->next()) take(*line, file);
  if (samples_.size() * markers_.size() > kMostCells)
    throw InputError(file, "",
                     fmt::format("{} samples have {} different markers", with_commas(samples_.size()),
                                 with_commas(markers_.size())),
                     "give tables of fewer samples");
  sort_calls(file);
  genotypes_.resize(samples_.size());
  current_signals_.resize(samples_.size());
}

std::uint32_t SampleTable::sample_number(std::string_view name) {
  const std::string known(name.empty() ? lines_->samples().front() : name);
  const std::uint32_t number = number_of(sample_of_, known);
  if (number == samples_.size()) samples_.push_back(known);
  return number;
}

void SampleTable::take(const SiteRecord& record, const std::string& file) {
  if (calls_.size() == kMostCalls || record.number > UINT32_MAX)
    throw InputError(file, place(record.number),
                     fmt::format("there are more than {} genotypes", with_commas(kMostCalls)),
                     "give tables of fewer samples");
  const std::uint32_t sample = sample_number(lines_->sample());
  if (samples_.size() > kMostSamples)
    throw InputError(file, place(record.number),
                     fmt::format("there are more than {} samples", with_commas(kMostSamples)),
                     "give tables of fewer samples, or a column Sample.Name that names them");
  const std::uint32_t marker =
      number_of(marker_of_, record.pos == 0 ? record.ids
                                            : fmt::format("{}\t{}:{}", record.ids, record.chrom, record.pos));
  if (marker == markers_.size()) markers_.push_back(record);
  const std::uint32_t letters = number_of(letters_of_, lines_->genotype());
  if (letters == letters_.size()) letters_.push_back(lines_->genotype());
  const auto heights = lines_->signals();
  signals_.insert(signals_.end(), heights.begin(), heights.end());
  if (signals_.size() > kMostSignals)
    throw InputError(file, place(record.number), "there are too many heights",
                     "give tables of fewer samples");
  if (!heights.empty()) first_signals_.push_back(static_cast<std::uint32_t>(signals_.size()));
  const auto kept = static_cast<std::uint32_t>(first_signals_.size() - 1);
  calls_.push_back(
      {marker, sample, letters, static_cast<std::uint32_t>(record.number), heights.empty() ? 0 : kept});
}

void SampleTable::sort_calls(const std::string& file) {
  const auto key = [](const Call& call) { return std::tuple(call.marker, call.sample, call.line); };
  std::ranges::sort(calls_, {}, key);
  const auto twice = std::ranges::adjacent_find(
      calls_, [](const Call& a, const Call& b) { return a.marker == b.marker && a.sample == b.sample; });
  if (twice == calls_.end()) return;
  throw InputError(file, place(twice[1].line),
                   fmt::format("'{}' of sample '{}' is given a second time, after {}",
                               printable(markers_[twice->marker].ids), printable(samples_[twice->sample]),
                               place(twice->line)),
                   "remove one of the two");
}

const SiteRecord* SampleTable::next() {
  if (begun_) ++marker_;
  begun_ = true;
  if (marker_ >= markers_.size()) return nullptr;
  for (std::string& genotype : genotypes_) genotype.clear();
  for (auto& signals : current_signals_) signals = {};
  for (; next_call_ < calls_.size() && calls_[next_call_].marker == marker_; ++next_call_) {
    const Call& call = calls_[next_call_];
    genotypes_[call.sample] = letters_[call.letters];
    if (call.signals > 0)
      current_signals_[call.sample] = std::span(signals_).subspan(
          first_signals_[call.signals - 1], first_signals_[call.signals] - first_signals_[call.signals - 1]);
  }
  return &markers_[marker_];
}

}  // namespace fastid::imports
