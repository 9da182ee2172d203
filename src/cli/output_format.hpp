/// \file
/// The format that an output's suffix asks for: the same words for every command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace fastid::cli {

/// The word of --format that the suffix of a file stands for, compressed or not: "jsonl" of Rows.jsonl.gz; ""
/// where it stands for none.
std::string_view word_of_suffix(const std::string& output);

/// Says that an option's file is not written in the format that its suffix asks for. \throws UsageError
[[noreturn]] void refuse_suffix(const std::string& option, const std::string& path,
                                const std::vector<std::string>& words);

/// The format that the suffix of `output` asks for, of those that the command has; none where it asks for no
/// format. To be called where --format was not given. \throws UsageError where the command does not write it
template <class T>
std::optional<T> format_by_suffix(const std::string& output, const Choices<T>& choices) {
  const std::string_view word = word_of_suffix(output);
  if (word.empty()) return std::nullopt;
  for (const auto& [known, format] : choices)
    if (known == word) return format;
  refuse_suffix("-o", output, words_of(choices));
}

/// Adds -o of a command that writes text (import/text_output.hpp), else to standard output.
Option add_output_file(Command command, std::string& output);

/// What -h says of --format, given its words.
std::string brief_of_formats(const std::vector<std::string>& words);

/// An option that some formats heed.
struct FormatOption {
  std::string_view name;
  std::vector<std::string_view> formats;
};

/// Refuses options that were named on the command line and that no format in question heeds. \param formats
/// the format that is printed, or those that it may be \throws UsageError
void refuse_idle_options(Command command, const std::vector<std::string_view>& formats,
                         const std::vector<FormatOption>& options);

/// Adds --format.
template <class T>
Option add_format(Command command, std::optional<T>& format, const std::string& help,
                  const Choices<T>& choices) {
  const auto take = [&format, choices](const std::string& word) { format = choice_of(word, choices); };
  return command.take<std::string>("--format", take, help)
      .check(one_of(words_of(choices)))
      .value_name("FORMAT")
      .brief(brief_of_formats(words_of(choices)));
}

/// For a file of one format, whose word is `word`. \throws UsageError where its suffix asks for another one
void check_suffix(const std::string& option, const std::string& path, const std::string& word);

}  // namespace fastid::cli
