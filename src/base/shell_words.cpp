#include "base/shell_words.hpp"

namespace fastid {

std::string shell_word(std::string_view argument) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(argument);
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::optional<std::vector<std::string>> shell_arguments(std::string_view text) {
  std::vector<std::string> arguments(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'')
      quoted = !quoted;
    else if (quoted)
      arguments.back() += text[i];
    else if (text[i] == ' ')
      arguments.emplace_back();
    else if (text[i] != '\\')
      arguments.back() += text[i];
    else if (++i < text.size())
      arguments.back() += text[i];
  }
  if (quoted) return std::nullopt;
  return arguments;
}

}  // namespace fastid
