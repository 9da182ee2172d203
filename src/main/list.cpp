#include "bank/commands.hpp"
#include "main/commands.hpp"
#include "questions/call/command.hpp"
#include "questions/dvi/command.hpp"
#include "questions/epistasis/command.hpp"
#include "questions/kin/command.hpp"
#include "questions/ld/command.hpp"
#include "questions/pairhmm/command.hpp"
#include "questions/pairs/command.hpp"
#include "questions/search/command.hpp"
#include "questions/similarity/command.hpp"

namespace fastid::cli {
namespace {

constexpr ListedCommand kCommands[] = {{"search", nullptr, search::add_search},
                                       {"mixture", nullptr, search::add_mixture},
                                       {"kin", nullptr, kin::add_kin},
                                       {"dvi", nullptr, dvi::add_dvi},
                                       {"pairs", nullptr, pairs::add_pairs},
                                       {"similarity", nullptr, similarity::add_similarity},
                                       {"merge", add_merge_parts},
                                       {"ld", nullptr, ld::add_ld},
                                       {"epistasis", nullptr, epistasis::add_epistasis},
                                       {"call", call::add_call},
                                       {"pairhmm", pairhmm::add_pairhmm},
                                       {"db", bank::add_db},
                                       {"panel", bank::add_panel},
                                       {"tune", add_tune},
                                       {"devices", add_devices},
                                       {"bench", add_bench},
                                       {"validate", add_validate},
                                       {"audit-log", add_audit_log}};

}  // namespace

std::span<const ListedCommand> listed_commands() {
  return kCommands;
}

}  // namespace fastid::cli
