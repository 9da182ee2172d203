// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linked/internal/passes.cpp"
#include "linked/internal/passes.hpp"

#include <algorithm>
#include <cmath>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using linked::Chain;
using linked::Emission;
using linked::Forward;
using linked::kLanes;
using linked::Lanes;
using linked::Move;
using linked::Stretch;

using Tag = hn::CappedTag<double, kLanes>;
using Bits = hn::RebindToSigned<Tag>;
using V = hn::Vec<Tag>;
constexpr std::size_t kStep = hn::MaxLanes(Tag());

HWY_INLINE V load(const Lanes& from, std::size_t at) {
  return hn::LoadU(Tag(), from.data() + at);
}
HWY_INLINE void store(V of, Lanes& to, std::size_t at) {
  hn::StoreU(of, Tag(), to.data() + at);
}

/// Every state becomes (1 - p) times itself plus p times its counterpart.
HWY_INLINE void exchange(const Move& move, double p, Lanes* states) {
  const V share = hn::Set(Tag(), p);
  for (const auto& [a, b] : move.exchanged)
    for (std::size_t i = 0; i < kLanes; i += kStep) {
      const V first = load(states[a], i), second = load(states[b], i);
      const V moved = hn::Mul(share, hn::Sub(second, first));
      store(hn::Add(first, moved), states[a], i);
      store(hn::Sub(second, moved), states[b], i);
    }
}

HWY_INLINE void take_moves(const Chain& chain, double r, Lanes* states) {
  const double of_two = 2 * r * (1 - r);
  for (const Move& move : chain.moves) exchange(move, move.of_two ? of_two : r, states);
}

HWY_INLINE void multiply(std::span<const std::uint8_t> which, const Lanes& by, Lanes* states) {
  for (const std::uint8_t state : which)
    for (std::size_t i = 0; i < kLanes; i += kStep)
      store(hn::Mul(load(states[state], i), load(by, i)), states[state], i);
}

HWY_INLINE void take_emission(const Chain& chain, const Emission& emission, Lanes* states) {
  multiply(chain.one, emission.one, states);
  multiply(chain.two, emission.two, states);
}

/// Divides all states by a power of 2 that is near their sum. Returns its exponents' address where one is
/// given.
HWY_INLINE void rescale(std::size_t n, Lanes* states, std::int64_t* exponents) {
  for (std::size_t i = 0; i < kLanes; i += kStep) {
    V sum = load(states[0], i);
    for (std::size_t s = 1; s < n; ++s) sum = hn::Add(sum, load(states[s], i));
    const Bits bits;
    const auto exponent = hn::Sub(hn::ShiftRight<52>(hn::BitCast(bits, sum)), hn::Set(bits, 1023));
    const V scale = hn::BitCast(Tag(), hn::ShiftLeft<52>(hn::Sub(hn::Set(bits, 1023), exponent)));
    for (std::size_t s = 0; s < n; ++s) store(hn::Mul(load(states[s], i), scale), states[s], i);
    if (exponents != nullptr)
      hn::StoreU(hn::Add(hn::LoadU(bits, exponents + i), exponent), bits, exponents + i);
  }
}

void pass_all_forward(std::span<Forward> chains, const Stretch& stretch) {
  std::size_t since = 0;
  for (std::size_t s = 0; s < stretch.emissions.size(); ++s) {
    const bool rescaled = ++since == stretch.rescaled_after || s + 1 == stretch.emissions.size();
    for (Forward& forward : chains) {
      Lanes* const states = forward.states.data();
      take_moves(*forward.chain, stretch.recombination[s], states);
      take_emission(*forward.chain, stretch.emissions[s], states);
      if (rescaled) rescale(forward.states.size(), states, forward.exponents.data());
    }
    if (rescaled) since = 0;
  }
}

/// Adds weight * (the share of `of` in `all`), lane by lane; 0 of 0 is 0.
HWY_INLINE void add_share(V weight, V of, V all, Lanes& to, std::size_t i) {
  const V share = hn::IfThenElseZero(hn::Gt(all, hn::Zero(Tag())), hn::Div(of, all));
  store(hn::Add(load(to, i), hn::Mul(weight, share)), to, i);
}

void pass_one_back(const Forward& before, const Stretch& stretch, const Lanes& weights,
                   linked::Backward& backward, std::span<linked::Shared> shared) {
  const Chain& chain = *before.chain;
  const std::size_t n = chain.states(), sites = stretch.emissions.size();
  std::vector<Lanes> at((sites + 1) * n);
  std::copy(before.states.begin(), before.states.end(), at.begin());
  for (std::size_t s = 0; s < sites; ++s) {
    Lanes* const states = at.data() + (s + 1) * n;
    std::copy_n(at.data() + s * n, n, states);
    take_moves(chain, stretch.recombination[s], states);
    take_emission(chain, stretch.emissions[s], states);
    rescale(n, states, nullptr);
  }
  for (std::size_t s = sites; s-- > 0;) {
    const Lanes* const states = at.data() + (s + 1) * n;
    for (std::size_t i = 0; i < kLanes; i += kStep) {
      V by_ibd[3] = {hn::Zero(Tag()), hn::Zero(Tag()), hn::Zero(Tag())};
      for (std::size_t state = 0; state < n; ++state) {
        V& sum = by_ibd[chain.ibd[state]];
        sum = hn::Add(sum, hn::Mul(load(states[state], i), load(backward[state], i)));
      }
      const V all = hn::Add(hn::Add(by_ibd[0], by_ibd[1]), by_ibd[2]), weight = load(weights, i);
      add_share(weight, by_ibd[1], all, shared[s].one, i);
      add_share(weight, by_ibd[2], all, shared[s].two, i);
    }
    take_emission(chain, stretch.emissions[s], backward.data());
    take_moves(chain, stretch.recombination[s], backward.data());
    rescale(n, backward.data(), nullptr);
  }
}

}  // namespace
}  // namespace fastid::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid {
namespace {

HWY_EXPORT(pass_all_forward);
HWY_EXPORT(pass_one_back);

}  // namespace

linked::Forward::Forward(const Chain& of) : chain(&of), states(of.states()) {
  for (Lanes& state : states) state.fill(1 / static_cast<double>(of.states()));
}

linked::Lanes linked::Forward::log10() const {
  Lanes log10{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    double sum = 0;
    for (const Lanes& state : states) sum += state[i];
    log10[i] = std::log10(sum) + std::log10(2.) * static_cast<double>(exponents[i]);
  }
  return log10;
}

void linked::pass_forward(std::span<Forward> chains, const Stretch& stretch) {
  HWY_DYNAMIC_DISPATCH(pass_all_forward)(chains, stretch);
}

void linked::pass_back(const Forward& forward, const Stretch& stretch, const Lanes& weights,
                       Backward& backward, std::span<Shared> shared) {
  HWY_DYNAMIC_DISPATCH(pass_one_back)(forward, stretch, weights, backward, shared);
}

}  // namespace fastid
#endif
