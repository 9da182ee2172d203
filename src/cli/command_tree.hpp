/// \file
/// The commands and their options as plain text: what help, man pages and completions are made of. They come
/// from the definitions that parse the command line (Command::described()), so that they cannot differ from
/// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fastid::cli {

/// What a completion offers as the value of an option.
enum class ValueKind { kNone, kWords, kFiles, kDatabases, kFolders };

struct OptionText {
  std::vector<std::string> names;  ///< "-k", "--top"; none: an argument without a name
  std::string value;               ///< the name of its value, "N"; "": takes none
  std::string what;                ///< one paragraph
  std::string group;               ///< the heading that it stands under
  std::string variable;            ///< of the environment, that stands for it; "": none
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> words;  ///< of kWords
  bool is_list = false;            ///< its value may be several, separated by commas
  bool repeats = false;            ///< may be given several times
  bool required = false;
  bool is_brief = false;  ///< -h lists it
  std::string brief;      ///< in place of `what` there; "": as `what`
};

struct CommandText {
  std::string name;  ///< with those above it: "fastid db build"
  std::string what, footer;
  std::vector<OptionText> options, arguments;
  std::vector<CommandText> commands;
};

/// What completions offer for a value of this name: "DB", "FILE", "DIR".
ValueKind kind_of(std::string_view value);

/// "fastid search [OPTIONS] QUERY... DB".
std::string usage_of(const CommandText& command);

/// A command and all below it, each before those below it.
std::vector<const CommandText*> flattened(const CommandText& top);

/// "build" of "fastid db build".
std::string last_name(const CommandText& command);

/// `text` with each character of `special` after a backslash, for shells.
std::string escaped(std::string_view text, std::string_view special);

}  // namespace fastid::cli
