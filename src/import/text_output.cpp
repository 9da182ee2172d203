#include "import/text_output.hpp"

#include <htslib/bgzf.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/io/byte_stream.hpp"

namespace fastid::imports {

std::string name_of_text(const std::string& path) {
  std::string name = ascii_lower(path);
  for (const std::string_view suffix : {".gz", ".bgz"})
    if (name.ends_with(suffix)) name.erase(name.size() - suffix.size());
  return name;
}

TextOutput::TextOutput(const std::string& path)
    : out_(path), compresses_(name_of_text(path).size() < path.size()) {}

void TextOutput::write_head() {
  if (!head_.empty()) write(std::exchange(head_, {}));
}

void TextOutput::write(std::string_view text) {
  write_head();
  if (!compresses_) return out_.write(text);
  while (waiting_.size() + text.size() >= BGZF_BLOCK_SIZE) {
    const std::size_t taken = BGZF_BLOCK_SIZE - waiting_.size();
    write_block(waiting_.append(text.substr(0, taken)));
    waiting_.clear();
    text.remove_prefix(taken);
  }
  waiting_.append(text);
}

void TextOutput::commit() {
  write_head();
  if (compresses_ && !waiting_.empty()) write_block(waiting_);
  if (compresses_) write_block("");  // the end mark
  out_.commit();
}

void TextOutput::write_block(std::string_view text) {
  constexpr int kUsualLevel = -1;
  std::array<char, BGZF_MAX_BLOCK_SIZE> block{};
  std::size_t bytes = block.size();
  if (bgzf_compress(block.data(), &bytes, text.data(), text.size(), kUsualLevel) != 0)
    throw Failure("bgzip: a block of text could not be compressed");
  out_.write({block.data(), bytes});
}

std::string first_text_of(const std::string& path, std::size_t most) {
  const Source source(path);
  try {
    return first_bytes(*open_stream(source), most);
  } catch (const InputError&) {  // looks compressed, and is not
    return first_bytes(*open_bytes(source), most);
  }
}

}  // namespace fastid::imports
