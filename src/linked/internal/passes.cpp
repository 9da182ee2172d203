// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linked/internal/passes.cpp"
#include "linked/internal/passes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/cpu_target.hpp"
#include "linked/internal/chains.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::linked::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using linked::Backward;
using linked::Chain;
using linked::Emission;
using linked::Forward;
using linked::kChain;
using linked::kLanes;
using linked::kRelations;
using linked::Lanes;
using linked::Relation;
using linked::Shared;
using linked::Stretch;

using Tag = hn::CappedTag<double, kLanes>;
using Bits = hn::RebindToSigned<Tag>;
using V = hn::Vec<Tag>;
constexpr std::size_t kStep = hn::MaxLanes(Tag());

/// Every state becomes (1 - p) times itself plus p times its counterpart.
HWY_INLINE void exchange(V share, V& first, V& second) {
  const V moved = hn::Mul(share, hn::Sub(second, first));
  first = hn::Add(first, moved);
  second = hn::Sub(second, moved);
}

template <const Chain& kOf, std::size_t kMove, std::size_t... kPair>
HWY_INLINE void take_move(std::index_sequence<kPair...>, [[maybe_unused]] V share,
                          [[maybe_unused]] V* states) {
  (exchange(share, states[kOf.moves[kMove].exchanged[kPair][0]],
            states[kOf.moves[kMove].exchanged[kPair][1]]),
   ...);
}

template <const Chain& kOf, std::size_t... kMove>
HWY_INLINE void take_moves(std::index_sequence<kMove...>, [[maybe_unused]] V of_one,
                           [[maybe_unused]] V of_two, [[maybe_unused]] V* states) {
  (take_move<kOf, kMove>(std::make_index_sequence<kOf.moves[kMove].pairs>(),
                         kOf.moves[kMove].of_two ? of_two : of_one, states),
   ...);
}

template <const Chain& kOf, std::size_t... kState>
HWY_INLINE void take_emission(std::index_sequence<kState...>, [[maybe_unused]] V one, [[maybe_unused]] V two,
                              V* states) {
  ((kOf.ibd[kState] == 0 ? void()
                         : void(states[kState] = hn::Mul(states[kState], kOf.ibd[kState] == 1 ? one : two))),
   ...);
}

/// Divides all states by a power of 2 that is near their sum. \return its exponent
template <std::size_t kStates>
HWY_INLINE hn::Vec<Bits> rescale_states(V* states) {
  V sum = states[0];
  for (std::size_t s = 1; s < kStates; ++s) sum = hn::Add(sum, states[s]);
  const auto bias = hn::Set(Bits(), 1023);
  const auto exponent = hn::Sub(hn::ShiftRight<52>(hn::BitCast(Bits(), sum)), bias);
  const V scale = hn::BitCast(Tag(), hn::ShiftLeft<52>(hn::Sub(bias, exponent)));
  for (std::size_t s = 0; s < kStates; ++s) states[s] = hn::Mul(states[s], scale);
  return exponent;
}

/// One chain of some lanes side by side.
template <Relation kRelation>
struct Kernel {
  static constexpr const Chain& kOf = kChain<kRelation>;
  static constexpr std::size_t kStates = kOf.states;
  static constexpr auto kAllMoves = std::make_index_sequence<kOf.n_moves>();
  static constexpr auto kAllStates = std::make_index_sequence<kStates>();

  static HWY_INLINE void load(const Lanes* from, std::size_t lane, V* states) {
    for (std::size_t s = 0; s < kStates; ++s) states[s] = hn::LoadU(Tag(), from[s].data() + lane);
  }
  static HWY_INLINE void store(const V* states, std::size_t lane, Lanes* to) {
    for (std::size_t s = 0; s < kStates; ++s) hn::StoreU(states[s], Tag(), to[s].data() + lane);
  }

  static HWY_INLINE void move(double r, V* states) {
    take_moves<kOf>(kAllMoves, hn::Set(Tag(), r), hn::Set(Tag(), 2 * r * (1 - r)), states);
  }
  static HWY_INLINE void emit(const Emission& emission, std::size_t lane, V* states) {
    take_emission<kOf>(kAllStates, hn::LoadU(Tag(), emission.one.data() + lane),
                       hn::LoadU(Tag(), emission.two.data() + lane), states);
  }

  static HWY_INLINE hn::Vec<Bits> rescale(V* states) { return rescale_states<kStates>(states); }

  static void pass_forward(Forward& forward, const Stretch& stretch) {
    const std::size_t sites = stretch.emissions.size();
    for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
      V states[kStates];
      load(forward.states.data(), lane, states);
      auto exponents = hn::LoadU(Bits(), forward.exponents.data() + lane);
      for (std::size_t s = 0, since = 1; s < sites; ++s, ++since) {
        move(stretch.recombination[s], states);
        emit(stretch.emissions[s], lane, states);
        if (since < stretch.rescaled_after && s + 1 < sites) continue;
        exponents = hn::Add(exponents, rescale(states));
        since = 0;
      }
      store(states, lane, forward.states.data());
      hn::StoreU(exponents, Bits(), forward.exponents.data() + lane);
    }
  }

  /// [site * kStates + state]: a multiple of the forward state after each site.
  static std::vector<Lanes> after_each(const Forward& before, const Stretch& stretch) {
    const std::size_t sites = stretch.emissions.size();
    std::vector<Lanes> after(sites * kStates);
    for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
      V states[kStates];
      load(before.states.data(), lane, states);
      for (std::size_t s = 0; s < sites; ++s) {
        move(stretch.recombination[s], states);
        emit(stretch.emissions[s], lane, states);
        rescale(states);
        store(states, lane, after.data() + s * kStates);
      }
    }
    return after;
  }

  /// Adds weight * (the share of `of` in `all`), lane by lane; 0 of 0 is 0.
  static HWY_INLINE void add_share(V weight, V of, V all, double* to) {
    const V share = hn::IfThenElseZero(hn::Gt(all, hn::Zero(Tag())), hn::Div(of, all));
    hn::StoreU(hn::Add(hn::LoadU(Tag(), to), hn::Mul(weight, share)), Tag(), to);
  }

  static void pass_back(const Forward& before, const Stretch& stretch, const Lanes& weights,
                        Backward& backward, std::span<Shared> shared) {
    const std::vector<Lanes> after = after_each(before, stretch);
    for (std::size_t lane = 0; lane < kLanes; lane += kStep) {
      const V weight = hn::LoadU(Tag(), weights.data() + lane);
      V states[kStates];
      load(backward.data(), lane, states);
      for (std::size_t s = stretch.emissions.size(); s-- > 0;) {
        V by_ibd[3] = {hn::Zero(Tag()), hn::Zero(Tag()), hn::Zero(Tag())};
        for (std::size_t state = 0; state < kStates; ++state) {
          V& sum = by_ibd[kOf.ibd[state]];
          sum = hn::Add(sum,
                        hn::Mul(hn::LoadU(Tag(), after[s * kStates + state].data() + lane), states[state]));
        }
        const V all = hn::Add(hn::Add(by_ibd[0], by_ibd[1]), by_ibd[2]);
        add_share(weight, by_ibd[1], all, shared[s].one.data() + lane);
        add_share(weight, by_ibd[2], all, shared[s].two.data() + lane);
        emit(stretch.emissions[s], lane, states);
        move(stretch.recombination[s], states);
        rescale(states);
      }
      store(states, lane, backward.data());
    }
  }
};

/// visit(kernel) of a relation.
template <class Visit, std::size_t... kOf>
HWY_INLINE void with_kernel(Relation relation, const Visit& visit, std::index_sequence<kOf...>) {
  ((static_cast<std::size_t>(relation) == kOf ? visit(Kernel<static_cast<Relation>(kOf)>()) : void()), ...);
}

void pass_all_forward(std::span<Forward> chains, const Stretch& stretch) {
  for (Forward& forward : chains)
    with_kernel(
        forward.relation, [&](auto kernel) HWY_ATTR { kernel.pass_forward(forward, stretch); },
        std::make_index_sequence<kRelations>());
}

void pass_one_back(const Forward& before, const Stretch& stretch, const Lanes& weights, Backward& backward,
                   std::span<Shared> shared) {
  with_kernel(
      before.relation,
      [&](auto kernel) HWY_ATTR { kernel.pass_back(before, stretch, weights, backward, shared); },
      std::make_index_sequence<kRelations>());
}

}  // namespace
}  // namespace fastid::linked::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::linked {
namespace {

HWY_EXPORT(pass_all_forward);
HWY_EXPORT(pass_one_back);

template <std::size_t... kOf>
constexpr std::array<std::size_t, sizeof...(kOf)> all_states(std::index_sequence<kOf...>) {
  return {linked::kChain<static_cast<linked::Relation>(kOf)>.states...};
}

/// [relation]
constexpr std::array kStatesOf = all_states(std::make_index_sequence<linked::kRelations>());

}  // namespace

linked::Forward::Forward(Relation of) : relation(of), states(kStatesOf[static_cast<std::size_t>(of)]) {
  for (Lanes& state : states) state.fill(1 / static_cast<double>(states.size()));
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

void pass_forward(std::span<Forward> chains, const Stretch& stretch) {
  HWY_DYNAMIC_DISPATCH(pass_all_forward)(chains, stretch);
}

void pass_back(const Forward& before, const Stretch& stretch, const Lanes& weights, Backward& backward,
               std::span<Shared> shared) {
  HWY_DYNAMIC_DISPATCH(pass_one_back)(before, stretch, weights, backward, shared);
}

}  // namespace fastid::linked
#endif
