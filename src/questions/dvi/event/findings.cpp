#include "questions/dvi/event/findings.hpp"

#include <array>
#include <cstddef>

namespace fastid::dvi {

const char* name_of(Conclusion conclusion) {
  constexpr std::array kNames{"undisputed", "joint", "symmetric",    "disputed",
                              "open",       "none",  "uninformative"};
  return kNames[static_cast<std::size_t>(conclusion)];
}

}  // namespace fastid::dvi
