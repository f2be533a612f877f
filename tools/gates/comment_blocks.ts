/**
 * Divides the text of a comment into blocks, and fills paragraphs, list items and tags to a given
 * width. Code, tables, headings, examples and directives keep their lines.
 *
 * @module
 */

/** Lines that keep their text. */
interface FixedBlock {
  readonly kind: "fixed";
  readonly lines: readonly string[];
}

/** A line of a {@linkcode TextBlock}. */
interface TextLine {
  /** Indentation, and the marker of a list item. */
  readonly indent: string;
  readonly text: string;
}

/** A paragraph, a list item or a tag, whose words may move between its lines. */
interface TextBlock {
  readonly kind: "text";
  readonly lines: readonly TextLine[];
  /** Indentation of the lines after the first line. */
  readonly rest: string;
}

/** A part of a comment. */
export type CommentBlock = FixedBlock | TextBlock;

/** Fault of a line: wider than the limit, or torn, that is, ended although the next word fits. */
export interface BlockFault {
  readonly kind: "wide" | "torn";
  /** Index of the line in the block. */
  readonly index: number;
}

/** Options for {@linkcode readBlocks}. */
export interface BlockOptions {
  /** Whether the comment consists of line comments, which may contain directives. */
  readonly isLineComment: boolean;
}

/** A line is torn if its next word would leave at least this number of columns. */
export const TORN_SHORTFALL = 20;

/** Maximum indentation of the lines of a tag. */
const MAX_TAG_INDENT = 4;

/** Maximum length of a code span that is kept on one line. */
const MAX_SPAN = 60;

const FENCE = /^\s*(```+|~~~+)/;
const LIST_ITEM = /^(\s*(?:[-*+]|\d{1,3}[.)])\s+)(\S.*)$/;
const TAG = /^@(\w+)/;
const FIXED_LINE =
  /^(?:(?:[-*+]|\d{1,3}[.)])$|\||#{1,6}(?:\s|$)|>|<!--|\[[^\]\s]+\]:)|\S\s{2,}\S|\s$/;
const DIRECTIVE = /^(?:deno-(?:lint|fmt|coverage)|@ts-|@jsx|eslint|prettier|#(?:end)?region)/;
const SPAN = new RegExp(`\\{@[^{}]*\\}|\`[^\`]{1,${MAX_SPAN}}\``, "g");

/** Words that would give a line another meaning if it started with them. */
const NO_LINE_START =
  /^(?:[-*+]|\d{1,3}[.)]|#+|@\w.*|\|.*|>.*|<!--.*|```.*|~~~.*|\[[^\]\s]+\]:.*|deno-(?:lint|fmt|coverage).*|eslint.*|prettier.*|#(?:end)?region.*)$/;
const SENTENCE_END = /[.:?!]["')\]`]*$/;

/**
 * Divides the lines of a comment into blocks. A line starts with the space that follows the
 * comment's marker.
 */
export function readBlocks(
  lines: readonly string[],
  { isLineComment }: BlockOptions,
): CommentBlock[] {
  const blocks: CommentBlock[] = [];
  let fence: string | undefined;
  let isExample = false;
  for (const line of lines) {
    const text = line.slice(1);
    const tag = fence === undefined ? TAG.exec(text)?.[1] : undefined;
    if (tag !== undefined) isExample = tag === "example";
    const opened = FENCE.exec(text)?.[1];
    const isFixed = fence !== undefined || opened !== undefined || isExample ||
      !line.startsWith(" ") || (isLineComment && DIRECTIVE.test(text));
    if (fence === undefined) fence = opened;
    else if (text.trim() === fence) fence = undefined;
    addLine(blocks, line, isFixed);
  }
  return blocks;
}

/** Adds a line to the last block if the line continues the block's text, or else as a new block. */
function addLine(blocks: CommentBlock[], line: string, isFixed: boolean): void {
  const text = line.slice(1);
  const [, marker, item = ""] = LIST_ITEM.exec(text) ?? [];
  const body = marker === undefined ? text.trimStart() : item;
  const indent = text.slice(0, text.length - body.length);
  const last = blocks.at(-1);
  if (isFixed || body === "" || FIXED_LINE.test(body)) {
    blocks.push({ kind: "fixed", lines: [line] });
  } else if (marker !== undefined) {
    const rest = " ".repeat(marker.length);
    blocks.push({ kind: "text", lines: [{ indent, text: body }], rest });
  } else if (last?.kind === "text" && !TAG.test(body) && continues(last, indent)) {
    const rest = isTag(last) && last.lines.length === 1 ? indent : last.rest;
    const lines = [...last.lines, { indent, text: body }];
    blocks.splice(-1, 1, { ...last, lines, rest });
  } else if (indent === "") {
    blocks.push({ kind: "text", lines: [{ indent, text: body }], rest: "" });
  } else blocks.push({ kind: "fixed", lines: [line] });
}

/** Returns true if a line with the given indentation continues a block. */
function continues(block: TextBlock, indent: string): boolean {
  return isTag(block) ? indent.length <= MAX_TAG_INDENT : indent === block.rest || indent === "";
}

function isTag({ lines: [first] }: TextBlock): boolean {
  return first !== undefined && TAG.test(first.text);
}

/** Returns the faults of a block. `width` is the number of columns for the text of a line. */
export function findBlockFaults(block: CommentBlock, width: number): BlockFault[] {
  if (block.kind === "fixed") return [];
  const starts = unitsByOffset(textOf(block));
  const faults: BlockFault[] = [];
  let start = 0;
  for (const [index, { indent, text }] of block.lines.entries()) {
    const columns = columnsOf(indent + text);
    const isOneUnit = starts.get(start)?.length === text.length;
    if (columns > width && !isOneUnit) faults.push({ kind: "wide", index });
    start += text.length + 1;
    const next = starts.get(start);
    const isTorn = next !== undefined && !SENTENCE_END.test(text) &&
      columns + 1 + columnsOf(next) <= width - TORN_SHORTFALL;
    if (isTorn) faults.push({ kind: "torn", index });
  }
  return faults;
}

/**
 * Fills the lines of a block up to `width` columns. A word that is wider than that has its own
 * line.
 */
export function fillBlock(block: CommentBlock, width: number): CommentBlock {
  if (block.kind === "fixed") return block;
  const [first = "", ...units] = toUnits(textOf(block));
  const lines: TextLine[] = [];
  let line = { indent: block.lines[0]?.indent ?? "", text: first };
  for (const unit of units) {
    const text = `${line.text} ${unit}`;
    if (columnsOf(line.indent + text) <= width) line = { ...line, text };
    else {
      lines.push(line);
      line = { indent: block.rest, text: unit };
    }
  }
  return { ...block, lines: [...lines, line] };
}

/** Returns the lines of a block, each with the space that follows the comment's marker. */
export function formatBlock(block: CommentBlock): readonly string[] {
  if (block.kind === "fixed") return block.lines;
  return block.lines.map(({ indent, text }) => ` ${indent}${text}`);
}

function textOf({ lines }: TextBlock): string {
  return lines.map(({ text }) => text).join(" ");
}

/** Returns the units of a text, keyed by the offset of their first character. */
function unitsByOffset(text: string): Map<number, string> {
  const units = new Map<number, string>();
  let at = 0;
  for (const unit of toUnits(text)) {
    units.set(at, unit);
    at += unit.length + 1;
  }
  return units;
}

/**
 * Divides text into the units that a line break must not divide: words, links and short code spans.
 * A word that must not start a line belongs to the unit before it.
 */
function toUnits(text: string): string[] {
  const words = text.replace(SPAN, (span) => span.replaceAll(" ", "\0")).split(" ");
  const units: string[] = [];
  for (const word of words) {
    const last = units.at(-1);
    if (last !== undefined && NO_LINE_START.test(word)) units.splice(-1, 1, `${last}\0${word}`);
    else units.push(word);
  }
  return units.map((unit) => unit.replaceAll("\0", " "));
}

/**
 * Returns the number of columns of a text, in which a character outside the basic plane has one
 * column.
 */
function columnsOf(text: string): number {
  return [...text].length;
}
