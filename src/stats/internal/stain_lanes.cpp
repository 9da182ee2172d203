// Google Highway compiles the first part of this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stats/internal/stain_lanes.cpp"
#include "stats/internal/stain_lanes.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <tuple>

#include "base/cpu_target.hpp"
#include "stats/internal/stain_fit.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::stats::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using stats::DropOutGroup;
using stats::FitSites;
using stats::FitSums;
using stats::JointTerms;
using stats::kFitLanes;
using stats::kGenotypes;
using stats::kJointRow;
using stats::RatiosOfSite;
using stats::SiteOfStain;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The natural logarithm, as in FreeBSD's e_log.c: x is 2^k (1 + f) with 1 + f between the square roots of
/// 1/2 and 2, and log(1 + f) an odd series of s = f / (2 + f).
template <class D>
HWY_INLINE hn::Vec<D> log_of(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> words;
  const auto set = [&](double value) HWY_ATTR { return hn::Set(d, value); };
  const auto is_tiny = hn::Lt(x, set(std::numeric_limits<double>::min()));
  const auto scaled = hn::IfThenElse(is_tiny, hn::Mul(x, set(0x1p54)), x);
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd, kOne = 0x3ff0000000000000,
                          kFraction = 0x000fffffffffffff, kTwoTo52 = 0x4330000000000000;
  const auto moved = hn::Add(hn::BitCast(words, scaled), hn::Set(words, kOne - kRootOfHalf));
  const auto f =
      hn::Sub(hn::BitCast(d, hn::Add(hn::And(moved, hn::Set(words, kFraction)), hn::Set(words, kRootOfHalf))),
              set(1));
  const auto whole = hn::BitCast(d, hn::Or(hn::ShiftRight<52>(moved), hn::Set(words, kTwoTo52)));
  const auto k = hn::Sub(whole, hn::IfThenElse(is_tiny, set(0x1p52 + 1023 + 54), set(0x1p52 + 1023)));
  const auto s = hn::Div(f, hn::Add(set(2), f)), z = hn::Mul(s, s), w = hn::Mul(z, z);
  const auto up = [&](auto high, double low) HWY_ATTR { return hn::Add(hn::Mul(high, w), set(low)); };
  const auto even =
      hn::Mul(w, up(up(set(1.531383769920937332e-01), 2.222219843214978396e-01), 3.999999999940941908e-01));
  const auto odd =
      hn::Mul(z, up(up(up(set(1.479819860511658591e-01), 1.818357216161805012e-01), 2.857142874366239149e-01),
                    6.666666666666735130e-01));
  const auto half = hn::Mul(set(.5), hn::Mul(f, f));
  const auto low =
      hn::Add(hn::Mul(s, hn::Add(half, hn::Add(even, odd))), hn::Mul(k, set(1.90821492927058770002e-10)));
  const auto log = hn::Add(hn::Add(hn::Sub(low, half), f), hn::Mul(k, set(6.93147180369123816490e-01)));
  // 0, and what has no finite logarithm.
  return hn::IfThenElse(hn::Eq(x, set(0)), set(-kInfinity),
                        hn::IfThenElse(hn::Lt(x, set(kInfinity)), log, x));
}

void log_all(std::span<double> values) {
  const hn::CappedTag<double, 1> d;
  for (double& value : values) hn::StoreU(log_of(d, hn::LoadU(d, &value)), d, &value);
}

/// Relations, padded with kUnrelated to fill vectors. DescentOfRelations::of is [identical by
/// descent][relation].
constexpr std::size_t kRatios = 8;
struct DescentOfRelations {
  alignas(64) std::array<std::array<double, kRatios>, 3> of{};

  DescentOfRelations() {
    of[0].fill(1);
    for (std::size_t r = 0; r < stats::kRelations; ++r) {
      const stats::Ibd ibd = stats::ibd_of(static_cast<stats::Relation>(r));
      of[0][r] = ibd.none, of[1][r] = ibd.one, of[2][r] = ibd.two;
    }
  }
};

HWY_INLINE void ratios_of(const double* joint, const DescentOfRelations& relations,
                          std::array<double, kRatios>& ratios) {
  constexpr auto kUnrelated = static_cast<std::size_t>(stats::Relation::kUnrelated);
  const hn::CappedTag<double, kRatios> d;
  constexpr std::size_t kInVector = hn::MaxLanes(decltype(d)()), kVectors = kRatios / kInVector;
  const auto none = hn::Set(d, joint[0]), one = hn::Set(d, joint[kJointRow]),
             two = hn::Set(d, joint[2 * kJointRow]), zero = hn::Zero(d);
  hn::Vec<decltype(d)> of[kVectors];
  FASTID_UNROLL
  for (std::size_t v = 0; v < kVectors; ++v) {
    of[v] = hn::Add(hn::Add(hn::Mul(none, hn::LoadU(d, &relations.of[0][v * kInVector])),
                            hn::Mul(one, hn::LoadU(d, &relations.of[1][v * kInVector]))),
                    hn::Mul(two, hn::LoadU(d, &relations.of[2][v * kInVector])));
    hn::StoreU(log_of(d, of[v]), d, &ratios[v * kInVector]);
  }
  const auto log_none = hn::Set(d, ratios[kUnrelated]), log10_e = hn::Set(d, std::numbers::log10e);
  // An observation that no relation allows is no evidence.
  const auto impossible = hn::IfThenElse(hn::Eq(none, zero), zero, hn::Set(d, -kInfinity));
  FASTID_UNROLL
  for (std::size_t v = 0; v < kVectors; ++v) {
    const auto log = hn::LoadU(d, &ratios[v * kInVector]), ratio = hn::Mul(hn::Sub(log, log_none), log10_e);
    hn::StoreU(hn::IfThenElse(hn::Eq(of[v], zero), impossible, ratio), d, &ratios[v * kInVector]);
  }
}

void add_ratios(std::span<const SiteOfStain> sites, std::span<RatiosOfSite> ratios) {
  const DescentOfRelations relations;
  const hn::CappedTag<double, kJointRow> d;
  constexpr std::size_t kSums = std::tuple_size_v<JointTerms::array> / hn::MaxLanes(d);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    hn::Vec<decltype(d)> sums[kSums];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (std::size_t j = 0; j < sites[i].moments.size(); ++j) {
      const auto moment = hn::Set(d, sites[i].moments[j]);
      const double* const terms = sites[i].terms[j].data();
      FASTID_UNROLL
      for (std::size_t v = 0; v < kSums; ++v)
        sums[v] = hn::Add(sums[v], hn::Mul(moment, hn::LoadU(d, terms + v * hn::MaxLanes(d))));
    }
    JointTerms joint;
    FASTID_UNROLL
    for (std::size_t v = 0; v < kSums; ++v) hn::StoreU(sums[v], d, joint.data() + v * hn::MaxLanes(d));
    for (std::size_t y = 0; y < kGenotypes; ++y) {
      std::array<double, kRatios> of;
      ratios_of(joint.data() + y, relations, of);
      std::memcpy(ratios[i][y].log10.data(), of.data(), sizeof(ratios[i][y].log10));
    }
  }
}

using FitTag = hn::CappedTag<double, kFitLanes>;
using FitVec = hn::Vec<FitTag>;
using FitLanes = std::array<double, kFitLanes>;

HWY_INLINE void add_to(FitLanes& sums, std::size_t lane, FitVec value) {
  hn::StoreU(hn::Add(hn::LoadU(FitTag(), sums.data() + lane), value), FitTag(), sums.data() + lane);
}

double tree(const FitLanes& of) {
  return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
}

/// Probabilities that the minor allele, the major one, and both are hidden.
struct FitHidden {
  FitVec minor, major, both;
};

/// f'/f of a group's factor by its drop-out, and the derivative of that.
struct FitFactor {
  FitHidden first, bend;
};

constexpr std::size_t kMostGroups = stats::kMostContributors;

/// The sums of one fit, and what its groups have at the sites of a vector.
class FitPass {
 public:
  FitPass(const FitSites& sites, std::span<const DropOutGroup> groups, std::size_t fixed, double drop_in,
          bool slopes)
      : sites_(sites),
        groups_(groups),
        fixed_(fixed),
        n_(slopes ? groups.size() - fixed : 0),
        none_(1 - drop_in) {}

  FitSums all() {
    for (std::size_t site = 0; site < sites_.size; site += kFitLanes)
      for (std::size_t lane = 0; lane < kFitLanes; lane += hn::MaxLanes(FitTag())) take(site + lane, lane);
    for (std::size_t lane = 0; lane < kFitLanes; lane += hn::MaxLanes(FitTag()))
      add_to(value_, lane, log_of(FitTag(), hn::LoadU(FitTag(), product_.data() + lane)));
    FitSums sums{tree(value_), std::vector<double>(n_), std::vector<double>(n_ * n_)};
    for (std::size_t i = 0; i < n_; ++i) {
      sums.first[i] = tree(first_[i]);
      for (std::size_t j = 0; j <= i; ++j) sums.second[i * n_ + j] = tree(second_[i][j]);
    }
    return sums;
  }

 private:
  HWY_INLINE FitVec set(double value) const { return hn::Set(FitTag(), value); }
  HWY_INLINE FitVec load(const std::vector<double>& of, std::size_t row, std::size_t site) const {
    return hn::LoadU(FitTag(), of.data() + row * sites_.size + site);
  }

  /// The HiddenAlleles of a group, and, if its drop-out is fitted, its factor.
  HWY_INLINE FitHidden hidden_of(const DropOutGroup& group, std::size_t site, FitFactor* factor) const {
    const FitVec d = set(group.drop_out), people = set(group.people), two = set(2);
    const FitVec of0 = load(sites_.copies, group.who * kGenotypes, site),
                 of1 = load(sites_.copies, group.who * kGenotypes + 1, site),
                 of2 = load(sites_.copies, group.who * kGenotypes + 2, site);
    const FitVec d_of0 = hn::Mul(d, of0), d_of2 = hn::Mul(d, of2);
    const FitHidden own{hn::Add(of0, hn::Mul(d, hn::Add(of1, d_of2))),
                        hn::Add(of2, hn::Mul(d, hn::Add(of1, d_of0))),
                        hn::Mul(hn::Mul(d, d), hn::Add(hn::Add(of0, of1), of2))};
    if (factor != nullptr) {
      const FitVec inverse = hn::Div(set(1), hn::Mul(own.minor, own.major));  // one division for both
      const auto of = [&](FitVec first, FitVec bend, FitVec other, FitVec& f, FitVec& b) HWY_ATTR {
        const FitVec by_own = hn::Mul(inverse, other), slope = hn::Mul(first, by_own);
        f = hn::Mul(people, slope);
        b = hn::Mul(people, hn::Sub(hn::Mul(hn::Mul(two, bend), by_own), hn::Mul(slope, slope)));
      };
      of(hn::Add(of1, hn::Mul(two, d_of2)), of2, own.major, factor->first.minor, factor->bend.minor);
      of(hn::Add(of1, hn::Mul(two, d_of0)), of0, own.minor, factor->first.major, factor->bend.major);
      const double both = 2 * group.people / group.drop_out;
      factor->first.both = set(both);
      factor->bend.both = set(-both / group.drop_out);
    }
    FitHidden all = own;
    for (unsigned k = 1; k < group.people; ++k) multiply(all, own);
    return all;
  }

  static HWY_INLINE void multiply(FitHidden& all, const FitHidden& by) {
    all.minor = hn::Mul(all.minor, by.minor);
    all.major = hn::Mul(all.major, by.major);
    all.both = hn::Mul(all.both, by.both);
  }

  /// Multiplies the likelihood of a lane, with one logarithm for many sites; each lane's arithmetic is its
  /// own.
  HWY_INLINE void multiply_value(FitVec probability, FitVec weight, std::size_t lane) {
    const FitTag d;
    if (sites_.weighted) return add_to(value_, lane, hn::Mul(weight, log_of(d, probability)));
    constexpr double kSmall = 1e-100;  // a product above it times another one is far from the least double
    const auto is_small = hn::Lt(probability, set(kSmall));
    FitVec product =
        hn::Mul(hn::LoadU(d, product_.data() + lane), hn::IfThenElse(is_small, set(1), probability));
    const auto is_full = hn::Lt(product, set(kSmall));
    if (!hn::AllFalse(d, hn::Or(is_small, is_full))) {
      add_to(value_, lane, hn::IfThenElseZero(is_small, log_of(d, probability)));
      add_to(value_, lane, hn::IfThenElseZero(is_full, log_of(d, product)));
      product = hn::IfThenElse(is_full, set(1), product);
    }
    hn::StoreU(product, d, product_.data() + lane);
  }

  static HWY_INLINE FitVec sum(FitVec a, FitVec b, FitVec c) { return hn::Add(hn::Add(a, b), c); }

  HWY_INLINE void take(std::size_t site, std::size_t lane) {
    FitHidden part{set(none_), set(none_), set(none_ * none_)};
    FitFactor factors[kMostGroups];
    for (std::size_t i = 0; i < groups_.size(); ++i)
      multiply(part, hidden_of(groups_[i], site, i < fixed_ || n_ == 0 ? nullptr : &factors[i - fixed_]));
    part.minor = hn::Mul(part.minor, load(sites_.signs, 0, site));
    part.major = hn::Mul(part.major, load(sites_.signs, 1, site));
    part.both = hn::Mul(part.both, load(sites_.signs, 2, site));
    const FitVec shown = hn::Add(load(sites_.signs, 3, site), sum(part.minor, part.major, part.both)),
                 probability = hn::Max(shown, set(0)), weight = load(sites_.weights, 0, site);
    multiply_value(probability, weight, lane);
    if (n_ == 0) return;
    const FitVec inverse = hn::Div(set(1), probability);
    multiply(part, {inverse, inverse, inverse});
    FitVec slope[kMostGroups];
    for (std::size_t i = 0; i < n_; ++i) {
      FitHidden of = part;
      multiply(of, factors[i].first);
      slope[i] = sum(of.minor, of.major, of.both);
      add_to(first_[i], lane, hn::Mul(weight, slope[i]));
      for (std::size_t j = 0; j <= i; ++j) {
        FitHidden product = of;
        multiply(product, factors[j].first);
        FitVec second = hn::Sub(sum(product.minor, product.major, product.both), hn::Mul(slope[i], slope[j]));
        if (i == j) {
          FitHidden bend = part;
          multiply(bend, factors[i].bend);
          second = hn::Add(second, sum(bend.minor, bend.major, bend.both));
        }
        add_to(second_[i][j], lane, hn::Mul(weight, second));
      }
    }
  }

  const FitSites& sites_;
  std::span<const DropOutGroup> groups_;
  std::size_t fixed_, n_;  ///< n_: whose derivatives are asked for
  double none_;
  FitLanes value_{},
      product_{1, 1, 1, 1, 1, 1, 1, 1};  ///< log likelihood, and a factor that is still to be added
  std::array<FitLanes, kMostGroups> first_{};
  std::array<std::array<FitLanes, kMostGroups>, kMostGroups> second_{};
};

FitSums fit_all(const FitSites& sites, std::span<const DropOutGroup> groups, std::size_t fixed,
                double drop_in, bool slopes) {
  return FitPass(sites, groups, fixed, drop_in, slopes).all();
}

}  // namespace
}  // namespace fastid::stats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::stats {
namespace {

HWY_EXPORT(log_all);
HWY_EXPORT(add_ratios);
HWY_EXPORT(fit_all);

}  // namespace

void natural_logs(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(log_all)(values);
}

void ratios_of_sites(std::span<const SiteOfStain> sites, std::span<RatiosOfSite> ratios) {
  HWY_DYNAMIC_DISPATCH(add_ratios)(sites, ratios);
}

stats::FitSums sum_of_fit(const FitSites& sites, std::span<const DropOutGroup> groups, std::size_t fixed,
                          double drop_in, bool slopes) {
  return HWY_DYNAMIC_DISPATCH(fit_all)(sites, groups, fixed, drop_in, slopes);
}

}  // namespace fastid::stats
#endif
