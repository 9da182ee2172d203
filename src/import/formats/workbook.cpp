#include "import/formats/workbook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/formats/workbook_rows.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kMostSheets = 1'000;
constexpr std::size_t kMostTexts = std::size_t{1} << 22;
constexpr std::size_t kMostTextBytes = std::size_t{128} << 20;  ///< of all shared texts
constexpr std::string_view kContentTypes = "[Content_Types].xml";
constexpr std::string_view kExportAgain = "export the report again, or save it again as .xlsx";

/// The targets of a part's relations.
class Relations final : public XmlHandler {
 public:
  struct Target {
    std::string kind, part;  ///< the last word of its type; a path from the archive's root
  };

  /// \param folder  of the part that has the relations, "xl/"
  explicit Relations(std::string folder) : folder_(std::move(folder)) {}

  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (name != "Relationship" || attribute(attributes, "TargetMode") == "External") return;
    const std::string_view type = attribute(attributes, "Type");
    by_id.emplace(attribute(attributes, "Id"), Target{std::string(type.substr(type.rfind('/') + 1)),
                                                      path_of(attribute(attributes, "Target"))});
  }
  void end(std::string_view) override {}
  void text(std::string_view) override {}

  std::string part_of_kind(std::string_view kind) const {
    for (const auto& [id, target] : by_id)
      if (target.kind == kind) return target.part;
    return {};
  }

  std::unordered_map<std::string, Target> by_id;

 private:
  std::string path_of(std::string_view target) const {
    if (target.starts_with('/')) return std::string(target.substr(1));
    return folder_ + std::string(target);
  }

  std::string folder_;
};

/// Names of the sheets, and the relations that lead to them.
class SheetList final : public XmlHandler {
 public:
  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (name == "sheet") sheets.emplace_back(attribute(attributes, "name"), relation_of(attributes));
  }
  void end(std::string_view) override {}
  void text(std::string_view) override {}

  std::vector<std::pair<std::string, std::string>> sheets;  ///< name, id of a relation

 private:
  /// The value of "r:id". An attribute "id" without a namespace never stands beside it.
  static std::string relation_of(const XmlAttributes& attributes) {
    return std::string(attribute(attributes, "id"));
  }
};

/// Texts that cells name by number. A text may be in runs of different looks; how it is pronounced is no part
/// of it.
class SharedTexts final : public XmlHandler {
 public:
  SharedTexts(const std::string& file, std::vector<std::string>& into) : file_(file), texts_(into) {}

  void start(std::string_view name, const XmlAttributes&) override {
    if (name == "si") {
      if (texts_.size() == kMostTexts) refuse();
      texts_.emplace_back();
    }
    if (name == "rPh") within_phonetic_ = true;
    within_text_ = name == "t" && !within_phonetic_ && !texts_.empty();
  }
  void end(std::string_view name) override {
    within_text_ = false;
    if (name == "rPh") within_phonetic_ = false;
  }
  void text(std::string_view part) override {
    if (!within_text_) return;
    if ((bytes_ += part.size()) > kMostTextBytes) refuse();
    texts_.back() += part;
  }

 private:
  [[noreturn]] void refuse() const {
    throw InputError(file_, "shared texts", "has more of them than a report of a kit can have",
                     "give its genotypes as text or VCF");
  }

  const std::string& file_;
  std::vector<std::string>& texts_;
  std::size_t bytes_ = 0;
  bool within_text_ = false, within_phonetic_ = false;
};

std::string folder_of(const std::string& part) {
  return part.substr(0, part.rfind('/') + 1);
}

}  // namespace

std::string_view SheetCell::text() const {
  return trim(shared != nullptr ? *shared : own);
}

const SheetCell* SheetRow::cell(std::uint32_t column) const {
  const auto at = std::ranges::lower_bound(cells, column, {}, &SheetCell::column);
  return at != cells.end() && at->column == column && !at->text().empty() ? &*at : nullptr;
}

std::string_view SheetRow::text(std::uint32_t column) const {
  const SheetCell* const found = cell(column);
  return found == nullptr ? std::string_view() : found->text();
}

std::string cell_name(std::uint32_t column, std::uint32_t row) {
  std::string letters;
  for (std::uint32_t rest = column + 1; rest > 0; rest = (rest - 1) / 26)
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  return letters + std::to_string(row);
}

bool Workbook::is_in(const ZipArchive& archive) {
  return archive.has(kContentTypes);
}

Workbook::Workbook(const Source& source) : name_(source.name()), archive_(source) {
  find_sheets(find_main_part());
}

void Workbook::read_part(const std::string& part, XmlHandler& handler) {
  XmlStream xml(name_, part, handler);
  archive_.read(part, [&](std::span<const char> bytes) { xml.feed(bytes); });
  xml.finish();
}

std::string Workbook::find_main_part() {
  Relations relations("");
  read_part("_rels/.rels", relations);
  std::string part = relations.part_of_kind("officeDocument");
  if (!part.starts_with("xl/"))
    throw InputError(name_, "", "is an office document, but no Excel workbook",
                     "give the report as .xlsx, or its genotypes as text");
  return part;
}

void Workbook::find_sheets(const std::string& main_part) {
  SheetList list;
  read_part(main_part, list);
  Relations relations(folder_of(main_part));
  read_part(folder_of(main_part) + "_rels/" + main_part.substr(main_part.rfind('/') + 1) + ".rels",
            relations);
  if (list.sheets.size() > kMostSheets)
    throw InputError(name_, main_part, "names more sheets than a report of a kit can have", kExportAgain);
  for (const auto& [name, relation] : list.sheets) {
    const auto target = relations.by_id.find(relation);
    if (target == relations.by_id.end())
      throw InputError(name_, fmt::format("sheet '{}'", printable(name)), "is missing", kExportAgain);
    if (target->second.kind != "worksheet") continue;  // a sheet of a chart
    names_.push_back(name);
    parts_.push_back(target->second.part);
  }
  if (names_.empty()) throw InputError(name_, "", "is a workbook without sheets", kExportAgain);
  SharedTexts texts(name_, texts_);
  if (const std::string part = relations.part_of_kind("sharedStrings"); !part.empty()) read_part(part, texts);
}

void Workbook::read_sheet(std::size_t sheet, const TakeRow& take) {
  SheetRows rows(name_, names_.at(sheet), texts_, take);
  read_part(parts_[sheet], rows);
}

}  // namespace fastid::imports
