#include "naja/support/diagnostic.h"

#include <algorithm>
#include <cstddef>

namespace naja {
namespace {

/// Columns are UTF-8 byte offsets; a caret is placed by code points, and tabs of the source are kept so that it lines up
/// in any terminal.
std::string caretPadding(const std::string &line, size_t begin) {
  std::string padding;
  for (size_t i = 0; i < begin && i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U)
      padding += line[i] == '\t' ? '\t' : ' ';
  }
  return padding;
}

size_t codePoints(const std::string &text, size_t begin, size_t end) {
  size_t count = 0;
  for (size_t i = begin; i < end && i < text.size(); ++i)
    count += (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
  return count;
}

std::string position(const SourceRange &where) {
  std::string text = where.file.empty() ? "<unknown>" : where.file;
  if (where.loc.known())
    text += ":" + std::to_string(where.loc.line);
  if (where.loc.known() && where.loc.col >= 0)
    text += ":" + std::to_string(where.loc.col + 1);
  if (!where.function.empty())
    text += " in " + where.function;
  return text;
}

// A line longer than this is shown as a window around the carets.
constexpr size_t kLineWidth = 100;
constexpr size_t kContext = 20; // of what stands before the carets

bool startsCodePoint(const std::string &text, size_t i) {
  return i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
}

/// Cuts the line to a window that shows [begin, end), or its start where that is wide itself, and moves both into it.
void cutToWindow(std::string &line, size_t &begin, size_t &end) {
  if (codePoints(line, 0, line.size()) <= kLineWidth)
    return;
  end = std::min(end, line.size());
  size_t width = std::min(end - std::min(begin, end), kLineWidth - kContext);
  size_t room = kLineWidth - std::max<size_t>(width, 1);
  size_t first = begin > std::max(kContext, room / 2) ? begin - std::max(kContext, room / 2) : 0;
  if (begin < room && end <= kLineWidth)
    first = 0;
  first = std::min(first, line.size() - kLineWidth);
  while (!startsCodePoint(line, first))
    --first;
  size_t last = std::min(line.size(), first + kLineWidth);
  while (!startsCodePoint(line, last))
    ++last;
  std::string before = first > 0 ? "..." : "", after = last < line.size() ? "..." : "";
  begin = begin - first + before.size();
  end = std::min(end, last) - first + before.size();
  line = before + line.substr(first, last - first) + after;
}

/// The source line and the line of carets under it.
void renderSource(const Diagnostic &diagnostic, const std::string &line, std::vector<std::string> &out) {
  size_t first = line.find_first_not_of(" \t");
  if (first == std::string::npos)
    return;
  std::string trimmed = line.substr(first);
  while (!trimmed.empty() && (trimmed.back() == '\n' || trimmed.back() == '\r' || trimmed.back() == ' '))
    trimmed.pop_back();
  const Loc &loc = diagnostic.where.loc;
  if (loc.col < 0) {
    size_t start = 0, stop = 0;
    cutToWindow(trimmed, start, stop);
    out.push_back("    " + trimmed);
    return;
  }
  size_t begin = static_cast<size_t>(loc.col) > first ? static_cast<size_t>(loc.col) - first : 0;
  begin = std::min(begin, trimmed.size());
  bool one_line = (loc.end_line == 0 || loc.end_line == loc.line) && loc.end_col > loc.col;
  size_t end = one_line ? static_cast<size_t>(loc.end_col) - std::min(static_cast<size_t>(loc.end_col), first)
                        : trimmed.size();
  cutToWindow(trimmed, begin, end);
  out.push_back("    " + trimmed);
  size_t width = std::max<size_t>(1, codePoints(trimmed, begin, std::min(end, trimmed.size())));
  std::string carets = "    " + caretPadding(trimmed, begin) + std::string(width, '^');
  if (!diagnostic.label.empty() && diagnostic.label.find('\n') == std::string::npos)
    carets += " " + diagnostic.label;
  out.push_back(carets);
}

void pushLines(const std::string &text, const std::string &prefix, std::vector<std::string> &out) {
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back((begin == 0 ? prefix : std::string(prefix.size(), ' ')) + text.substr(begin, end - begin));
    begin = end + 1;
  }
}

} // namespace

std::string renderDiagnostic(const Diagnostic &diagnostic, std::string (*source_line)(void *, const std::string &, int),
                             void *context, int max_lines) {
  std::vector<std::string> head, notes, tail;
  pushLines(diagnostic.message, "", head);
  if (diagnostic.where.loc.known() || !diagnostic.where.file.empty()) {
    head.push_back("  at " + position(diagnostic.where));
    size_t before = head.size();
    if (source_line != nullptr && diagnostic.where.loc.known())
      renderSource(diagnostic, source_line(context, diagnostic.where.file, diagnostic.where.loc.line), head);
    if (head.size() == before && !diagnostic.label.empty())
      pushLines(diagnostic.label, "    ", head);
    else if (diagnostic.label.find('\n') != std::string::npos)
      pushLines(diagnostic.label, "    ", head);
  } else if (!diagnostic.label.empty()) {
    pushLines(diagnostic.label, "    ", head);
  }
  for (const DiagnosticNote &note : diagnostic.notes) {
    bool placed = note.where.loc.known() || !note.where.file.empty();
    pushLines(note.message + (placed ? " (" + position(note.where) + ")" : ""), "  ", notes);
  }
  if (!diagnostic.hint.empty())
    pushLines(diagnostic.hint, "  hint: ", tail);

  // What goes first when space is short: the middle of the chain of calls. The message and the hint always stay.
  if (max_lines > 0) {
    size_t limit = static_cast<size_t>(max_lines);
    size_t fixed = head.size() + tail.size();
    size_t room = limit > fixed ? limit - fixed : 0;
    if (notes.size() > room) {
      size_t shown = room > 0 ? room - 1 : 0, last = shown / 2, first = shown - last;
      std::vector<std::string> kept(notes.begin(), notes.begin() + static_cast<ptrdiff_t>(first));
      if (room > 0)
        kept.push_back("  ... " + std::to_string(notes.size() - shown) + " more ...");
      kept.insert(kept.end(), notes.end() - static_cast<ptrdiff_t>(last), notes.end());
      notes = std::move(kept);
    }
    if (fixed > limit && head.size() > 1)
      head.resize(std::max<size_t>(1, limit > tail.size() ? limit - tail.size() : 1));
  }
  std::string text;
  for (const auto *part : {&head, &notes, &tail}) {
    for (const std::string &line : *part)
      text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

} // namespace naja
