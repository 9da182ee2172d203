#include "import/match/row_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18;

}  // namespace

RowStream::RowStream(const Source& source, std::size_t header_bytes, std::size_t row_bytes,
                     std::uint64_t n_rows, std::string_view needed_by)
    : name_(source.name()),
      needed_by_(needed_by),
      stream_(open_stream(source)),
      header_(header_bytes),
      row_bytes_(row_bytes),
      n_rows_(n_rows) {
  const FileDescriptor file = source.open();
  char magic[6] = {};
  const std::size_t got = read_some(file.get(), magic, sizeof magic, name_);
  const std::uint64_t expected =
      checked_add<std::uint64_t>(header_bytes, checked_mul<std::uint64_t>(n_rows, row_bytes));
  const bool plain = packing_of({magic, got}) == Packing::kNone;
  if (plain && file_size(file.get(), name_) != expected) refuse_size(file_size(file.get(), name_));
  if (read_fully(*stream_, header_.data(), header_bytes) != header_bytes) refuse_size(header_bytes);
}

void RowStream::refuse_size(std::uint64_t actual) const {
  const std::uint64_t expected = header_.size() + n_rows_ * row_bytes_;
  throw InputError(name_, "",
                   fmt::format("is {}: {} bytes, but {} need {}",
                               actual < expected ? "truncated" : "too long", actual, needed_by_, expected),
                   "restore it and the files beside it from one copy");
}

void RowStream::refill() {
  const std::uint64_t most = std::max<std::uint64_t>(1, kChunkBytes / row_bytes_);
  first_ = end_;
  const std::uint64_t rows = std::min(most, n_rows_ - first_);
  chunk_.resize(static_cast<std::size_t>(rows) * row_bytes_);
  const std::size_t got = read_fully(*stream_, chunk_.data(), chunk_.size());
  if (got != chunk_.size()) refuse_size(header_.size() + first_ * row_bytes_ + got);
  end_ = first_ + rows;
}

std::span<const std::uint8_t> RowStream::row(std::uint64_t row) {
  if (row < first_ || row >= n_rows_) throw Failure("rows of a file are read in order");
  while (row >= end_) refill();
  return {reinterpret_cast<const std::uint8_t*>(chunk_.data()) +
              static_cast<std::size_t>(row - first_) * row_bytes_,
          row_bytes_};
}

void RowStream::finish() {
  while (end_ < n_rows_) refill();
  char more = 0;
  if (stream_->read(&more, 1) != 0) refuse_size(header_.size() + n_rows_ * row_bytes_ + 1);
}

}  // namespace fastid::imports
