/// \file
/// Long lists as text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/stage_time.hpp"
#include "base/thread_pool.hpp"
#include "import/text_output.hpp"

namespace fastid::cli {

/// Writes the lines of `rows` in their order; several threads make them, lines_of(some of the rows) at a
/// time. \throws Interrupted, what write() throws
template <class Row, class LinesOf>
void write_lines(imports::TextOutput& out, std::span<const Row> rows, std::size_t threads,
                 const LinesOf& lines_of) {
  constexpr std::size_t kPiece = 2048;
  std::vector<std::string> lines(ceil_div(rows.size(), kPiece));
  in_parallel(lines.size(), threads, [&](std::size_t i) {
    const InStage stage(AnswerStage::kPrint);
    lines[i] = lines_of(rows.subspan(i * kPiece, std::min(kPiece, rows.size() - i * kPiece)));
  });
  const InStage stage(AnswerStage::kPrint);
  for (const std::string& piece : lines) out.write(piece);
}

}  // namespace fastid::cli
