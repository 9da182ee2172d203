// The page of `fastid dvi`.
#include "report/page/page.hpp"
#include "report/victims.hpp"

namespace fastid::report {

std::string victims_html(const victims::Table& found) {
  return page("Remains and missing members", facts_html({{"Families", found.family_file.path}}));
}

}  // namespace fastid::report
