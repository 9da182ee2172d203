/// \file
/// The people of a database that is being built: ids in order, and what happens where two have one id.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace fastid::ingest {

/// What to do with a profile whose id an earlier profile has.
enum class DuplicateRule {
  kRefuse,
  kRename,  ///< the later one becomes ID.2, ID.3 ...
  kMerge,   ///< they are one person, typed more than once
  kReplace  ///< the later one takes the place of the earlier one
};

class Roster {
 public:
  struct Person {
    std::string id;
    std::vector<std::uint64_t> rows;  ///< of the spool, in order; more than one only where merged
  };

  explicit Roster(DuplicateRule rule) : rule_(rule) {}

  /// \throws InputError where the rule is kRefuse and the id is taken
  void add(const std::string& id, std::uint64_t row, const std::string& file);

  const std::vector<Person>& people() const { return people_; }
  /// The person who has this id; null where nobody has.
  const Person* find(const std::string& id) const;
  std::size_t longest_id() const { return longest_id_; }
  std::uint64_t renamed() const { return renamed_; }
  std::uint64_t merged() const { return merged_; }
  std::uint64_t replaced() const { return replaced_; }

 private:
  struct Holder {
    std::size_t person;
    std::string file;
  };

  void insert(const std::string& id, std::uint64_t row, const std::string& file);

  DuplicateRule rule_;
  std::vector<Person> people_;
  std::unordered_map<std::string, Holder> holder_;
  std::unordered_map<std::string, std::uint64_t> last_number_;  ///< last number appended to an id
  std::size_t longest_id_ = 1;
  std::uint64_t renamed_ = 0, merged_ = 0, replaced_ = 0;
};

/// Says how many profiles were renamed, merged or replaced.
void say_duplicates(const Roster& roster);

}  // namespace fastid::ingest
