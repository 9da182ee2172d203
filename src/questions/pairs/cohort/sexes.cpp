#include "questions/pairs/cohort/sexes.hpp"

#include <map>
#include <optional>

namespace fastid::pairs {

CheckedSexes check_sexes(const Statements& statements, const Roster& roster, const SexesOfRows& sexes) {
  std::map<Node, Sex> stated;
  for (const Statements::Name& name : statements.names)
    for (const Node node : name.nodes)
      if (name.sex) stated.emplace(node, *name.sex);
  CheckedSexes checked;
  for (std::size_t database = 0; database < 2; ++database) {
    std::vector<Node> nodes;
    std::vector<std::uint64_t> rows;
    for (const auto& [node, sex] : stated)
      if (roster.database_of(node) == database) {
        nodes.push_back(node);
        rows.push_back(roster.row_of(node));
      }
    if (rows.empty()) continue;
    const std::vector<std::optional<Sex>> found = sexes(database, rows);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!found[i] || *found[i] == Sex::kUndecided) continue;
      ++checked.n_checked;
      if (*found[i] != stated.at(nodes[i]))
        checked.contradicted.push_back({nodes[i], stated.at(nodes[i]), *found[i]});
    }
  }
  return checked;
}

}  // namespace fastid::pairs
