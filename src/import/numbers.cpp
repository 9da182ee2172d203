#include "import/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"
#include "import/io/byte_stream.hpp"
#include "import/io/line_reader.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kLongestHead = std::size_t{1} << 20, kLongestLine = std::size_t{1} << 28;  // bytes

/// What the head of a .npy file says.
struct NpyHead {
  engine::RealType type = engine::RealType::kFloat;
  std::uint64_t rows = 0, columns = 0;
  std::size_t bytes = 0;  ///< of the head
};

[[noreturn]] void refuse_npy(const std::string& name, const std::string& problem) {
  throw InputError(name, "", problem,
                   "write a two-dimensional array of float32 or float64, in the order of rows: "
                   "numpy.save(FILE, numpy.ascontiguousarray(a, dtype='<f4'))");
}

[[noreturn]] void refuse_damaged_npy(const std::string& name, const std::string& problem) {
  throw InputError(name, "", problem, "restore it from a copy, or write it again");
}

/// The text after a key of the head, which is a Python dictionary.
std::string_view value_of(std::string_view head, std::string_view key, const std::string& name) {
  const std::size_t at = head.find(key);
  const std::size_t colon = at == std::string_view::npos ? at : head.find(':', at + key.size());
  if (colon == std::string_view::npos)
    refuse_damaged_npy(name, fmt::format("the head of the .npy file lacks {}", key));
  return trim(head.substr(colon + 1));
}

engine::RealType type_of(std::string_view head, const std::string& name) {
  const std::string_view descr = value_of(head, "'descr'", name);
  if (descr.starts_with("'<f4'")) return engine::RealType::kFloat;
  if (descr.starts_with("'<f8'")) return engine::RealType::kDouble;
  refuse_npy(name, fmt::format("holds numbers of type {}, neither '<f4' nor '<f8'",
                               printable(descr.substr(0, descr.find(',')))));
}

void read_shape(std::string_view head, const std::string& name, NpyHead& to) {
  const std::string_view shape = value_of(head, "'shape'", name);
  const std::string_view inner = shape.substr(0, shape.find(')'));
  std::vector<std::uint64_t> sizes;
  for (const std::string_view part : split(inner.substr(std::min<std::size_t>(1, inner.size())), ',')) {
    if (trim(part).empty()) continue;
    const auto size = parse_number<std::uint64_t>(trim(part));
    if (!size) refuse_damaged_npy(name, fmt::format("the shape of the array is '{}'", printable(inner)));
    sizes.push_back(*size);
  }
  if (!shape.starts_with('(') || sizes.size() != 2)
    refuse_npy(name, fmt::format("its array has {}, not 2", counted(sizes.size(), "dimension")));
  to.rows = sizes[0];
  to.columns = sizes[1];
}

NpyHead read_npy_head(ByteStream& stream, const std::string& name) {
  constexpr std::size_t kVersionBytes = 2;
  const std::string magic = first_bytes(stream, kNpyMagic.size() + kVersionBytes);
  const std::size_t length_bytes = magic.size() < 8 ? 0 : magic[6] == 1 ? 2 : magic[6] <= 3 ? 4 : 0;
  if (magic.size() == 8 && length_bytes == 0)
    refuse_npy(name,
               fmt::format("is of version {} of the .npy format", static_cast<unsigned char>(magic[6])));
  const std::string length = first_bytes(stream, length_bytes);
  std::size_t bytes = 0;
  for (std::size_t i = length.size(); i-- > 0;) bytes = bytes << 8U | static_cast<unsigned char>(length[i]);
  if (bytes > kLongestHead)
    refuse_damaged_npy(name, fmt::format("its head has {} bytes", with_commas(bytes)));
  const std::string head = first_bytes(stream, bytes);
  if (length.size() < length_bytes || length_bytes == 0 || head.size() < bytes)
    refuse_damaged_npy(name, "the file ends within its head: it is truncated");
  if (!value_of(head, "'fortran_order'", name).starts_with("False"))
    refuse_npy(name, "its array is in the order of columns (Fortran's)");
  NpyHead read{.type = type_of(head, name), .bytes = magic.size() + length_bytes + bytes};
  read_shape(head, name, read);
  return read;
}

/// A file that is not compressed must be as long as its head says, before memory is taken for it.
void check_npy_size(const Source& source, const NpyHead& head) {
  const FileDescriptor file = source.open();
  const std::uint64_t have = file_size(file.get(), source.name());
  std::uint64_t need = 0;
  const bool overflows = __builtin_mul_overflow(head.rows, head.columns, &need) ||
                         __builtin_mul_overflow(need, engine::bytes_of(head.type), &need) ||
                         __builtin_add_overflow(need, head.bytes, &need);
  if (overflows || have < need)
    refuse_damaged_npy(source.name(),
                       fmt::format("an array of {} x {} numbers is longer than the file: it is "
                                   "truncated",
                                   with_commas(head.rows), with_commas(head.columns)));
}

/// A small file must not ask for much memory: rows are held in blocks of kLanes, and no numbers are
/// compressed so well.
void check_memory(const Source& source, std::uint64_t rows, std::uint64_t columns, std::size_t bytes) {
  constexpr std::uint64_t kMostOfAByte = 256, kAlways = std::uint64_t{1} << 24;
  const FileDescriptor file = source.open();
  const double have = static_cast<double>(file_size(file.get(), source.name()));
  const double blocks = static_cast<double>(rows / kLanes) + (rows % kLanes > 0 ? 1 : 0);
  const double need = blocks * kLanes * static_cast<double>(columns) * static_cast<double>(bytes);
  if (need > have * kMostOfAByte + kAlways)
    refuse_damaged_npy(source.name(), fmt::format("a file of {} bytes cannot hold {} x {} numbers",
                                                  with_commas(static_cast<std::uint64_t>(have)),
                                                  with_commas(rows), with_commas(columns)));
}

template <class T>
void read_rows(ByteStream& stream, const std::string& name, std::uint64_t rows, engine::RealMatrix& matrix) {
  const std::size_t columns = matrix.n_columns();
  WordBuffer buffer(checked_mul(checked_mul(columns, kLanes), sizeof(T) / sizeof(Word)));
  for (std::uint64_t row = 0; row < rows; row += kLanes) {
    check_interrupt();
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, rows - row)) * columns;
    if (read_fully(stream, reinterpret_cast<char*>(buffer.data()), n * sizeof(T)) < n * sizeof(T))
      refuse_damaged_npy(name,
                         fmt::format("the file ends before its array of {} x {} numbers: it is truncated",
                                     with_commas(rows), with_commas(columns)));
    matrix.append(std::span(reinterpret_cast<const T*>(buffer.data()), n));
  }
}

[[noreturn]] void refuse_longer(const std::string& name) {
  refuse_damaged_npy(name, "more follows the numbers of its array");
}

template <class T>
void append_rows(const Source& source, const NpyHead& head, const Range& rows, const Range& columns,
                 engine::RealMatrix& to) {
  const FileDescriptor file = source.open();
  const std::size_t width = to.n_columns(), of_row = head.columns * sizeof(T);
  const bool whole = columns.size() == head.columns && width == head.columns;
  WordBuffer buffer(checked_mul(width * sizeof(T), kLanes) / sizeof(Word));
  T* const numbers = reinterpret_cast<T*>(buffer.data());
  const auto read = [&](T* into, std::uint64_t row, std::size_t bytes) {
    read_at(file.get(), into, bytes, head.bytes + row * of_row + columns.first * sizeof(T), source.name());
  };
  for (std::uint64_t row = rows.first; row < rows.end; row += kLanes) {
    check_interrupt();
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, rows.end - row));
    if (whole)
      read(numbers, row, n * of_row);
    else
      for (std::size_t i = 0; i < n; ++i) read(numbers + i * width, row + i, columns.size() * sizeof(T));
    to.append(std::span<const T>(numbers, n * width));
  }
}

engine::RealMatrix read_npy(const Source& source, bool compressed) {
  const auto stream = open_stream(source);
  const NpyHead head = read_npy_head(*stream, source.name());
  if (!compressed) check_npy_size(source, head);
  check_memory(source, head.rows, head.columns, engine::bytes_of(head.type));
  engine::RealMatrix matrix(source.name(), head.type, head.columns);
  matrix.expect_rows(head.rows);
  engine::with_real(head.type,
                    [&](auto zero) { read_rows<decltype(zero)>(*stream, source.name(), head.rows, matrix); });
  if (!first_bytes(*stream, 1).empty()) refuse_longer(source.name());
  matrix.finish();
  return matrix;
}

void parse_line(std::string_view line, const std::string& name, const std::string& place,
                std::vector<double>& to) {
  to.clear();
  for (const std::string_view cell : split(line, '\t')) {
    const auto value = parse_number<double>(trim(cell));
    if (!value) {
      refuse_semicolons(line, name, place);
      throw InputError(name, fmt::format("{}, column {}", place, to.size() + 1),
                       fmt::format("'{}' is not a number", printable(cell)),
                       "a matrix has numbers alone, separated by tabs; take off the names of its columns and "
                       "rows (tail -n +2 FILE | cut -f 2-)");
    }
    to.push_back(*value);
  }
}

engine::RealMatrix read_text(const Source& source) {
  LineReader lines(source);
  lines.set_longest_line(kLongestLine);
  std::optional<engine::RealMatrix> matrix;
  std::vector<double> row;
  for (std::string_view line; lines.next(line);) {
    check_interrupt();
    parse_line(line, source.name(), lines.place(), row);
    if (!matrix) check_memory(source, 1, row.size(), sizeof(double));
    if (!matrix) matrix.emplace(source.name(), engine::RealType::kDouble, row.size());
    if (row.size() != matrix->n_columns())
      throw InputError(source.name(), lines.place(),
                       fmt::format("has {}, and the first line {}", counted(row.size(), "number"),
                                   with_commas(matrix->n_columns())),
                       "give each vector the same elements");
    matrix->append<double>(row);
  }
  if (!matrix) throw InputError(source.name(), "", "is empty", "give a line of numbers for each vector");
  return std::move(*matrix);
}

}  // namespace

std::optional<engine::RealRows> rows_of_numbers(const std::string& path) {
  const Source source(path);
  if (path == "-" || first_bytes(*open_bytes(source), kNpyMagic.size()) != kNpyMagic) return std::nullopt;
  const NpyHead head = read_npy_head(*open_bytes(source), source.name());
  check_npy_size(source, head);
  if (file_size(source.open().get(), source.name()) !=
      head.bytes + head.rows * head.columns * engine::bytes_of(head.type))
    refuse_longer(source.name());
  const engine::RealMatrix none(source.name(), head.type, head.columns);  // refuses rows without columns
  return engine::RealRows{source.name(), head.type, head.rows, head.columns,
                          [source, head](const Range& rows, const Range& columns, engine::RealMatrix& to) {
                            engine::with_real(head.type, [&](auto zero) {
                              append_rows<decltype(zero)>(source, head, rows, columns, to);
                            });
                          }};
}

engine::RealMatrix read_numbers(const std::string& path) {
  const Source source(path);
  const std::string packed = first_bytes(*open_bytes(source), kNpyMagic.size());
  const bool is_npy = first_bytes(*open_stream(source), kNpyMagic.size()) == kNpyMagic;
  return is_npy ? read_npy(source, packed != kNpyMagic) : read_text(source);
}

}  // namespace fastid::imports
