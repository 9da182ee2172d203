#include "import/match/spans.hpp"

namespace fastid::imports {

void Spans::add(std::uint32_t site, std::uint64_t record, const SpanCalls& says, bool with_calls) {
  if (!with_calls && !says.gone.any() && !says.shown.major.any() && !says.shown.minor.any()) return;
  Spanned& into = sites_.try_emplace(site, n_samples_).first->second;
  into.gone.add(says.gone);
  if (with_calls) {
    if (!into.called) {
      into.called = true;
      into.flipped = says.flipped;
      into.swapped = says.swapped;
      into.record = record;
    }
    merge(says, into);
  }
  into.shown.major.add(says.shown.major);
  into.shown.minor.add(says.shown.minor);
}

void Spans::merge(const SpanCalls& says, Spanned& into) const {
  CallRow joined(n_samples_);
  for (std::size_t sample = 0; sample < n_samples_; ++sample) {
    const Seen now = says.calls.get(sample), before = into.calls.get(sample);
    const bool shown_now = says.shown.get(sample) != kNoneSeen,
               shown_before = into.shown.get(sample) != kNoneSeen;
    if (now != before && now != kNoneSeen && before != kNoneSeen && shown_now && shown_before)
      into.disagree.set(sample);
    const bool takes_now = before == kNoneSeen || (now != kNoneSeen && shown_now);
    joined.set(sample, takes_now ? now : before);
  }
  into.calls = std::move(joined);
}

}  // namespace fastid::imports
