/// \file
/// All remains and all families of an event: which remains are one person's, how probable each person is as
/// each missing member, and which assignments of people to missing members are probable.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "bits/shard.hpp"
#include "questions/dvi/event/findings.hpp"
#include "questions/dvi/event/first_figures.hpp"
#include "stats/family_likelihood.hpp"

namespace fastid::dvi {

class Event {
 public:
  /// All must outlive this object. \throws InputError where a family is impossible (stats::FamilyLikelihood)
  Event(const stats::AlleleModel& model, const std::vector<Family>& families,
        const std::vector<Remains>& remains, const Rules& rules, const std::string& source);

  const std::vector<Family>& families() const { return *input_.families; }
  std::size_t n_remains() const { return input_.remains->size(); }
  /// \param groups  the remains of each person
  EventPeople people(const std::vector<std::vector<std::size_t>>& groups) const { return {input_, groups}; }

  /// The remains of each person, as the rules pool them. \throws Interrupted
  std::vector<std::vector<std::size_t>> pooled(std::size_t threads) const;
  /// The figures of some neighbouring families; machines share this work. \param groups  pooled()
  /// \param threads  0: one for each CPU \param power  whether FirstFigures::power is computed \throws
  /// Interrupted
  FirstFigures first(const std::vector<std::vector<std::size_t>>& groups, const Range& some,
                     std::size_t threads, bool power, ProgressMode progress) const;

  /// \param first  of all families \throws Interrupted
  Findings findings(FirstFigures first, std::size_t threads) const;

 private:
  EventInput input_;
  std::vector<stats::FamilyLikelihood> likelihoods_;
};

}  // namespace fastid::dvi
