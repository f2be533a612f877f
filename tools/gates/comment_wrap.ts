/**
 * Finds comment lines that are too wide or torn, and wraps comments again. Only own-line comments
 * are wrapped: doc comments, and line comments without code before them.
 *
 * @module
 */

import {
  type CommentBlock,
  fillBlock,
  findBlockFaults,
  formatBlock,
  readBlocks,
} from "./comment_blocks.ts";
import { type SourcePart, splitSource } from "./lexer.ts";
import { lineCounter } from "./places.ts";

/** A comment line that is too wide, or that ends although the next word fits. */
export interface CommentFault {
  /** `after_code` if the line is too wide because of a comment that follows code. */
  readonly kind: "wide" | "torn" | "after_code";
  /** Line number, starting at 1. */
  readonly line: number;
}

/** A doc comment or successive line comments. */
interface Comment {
  readonly marker: "/**" | "//";
  /** Offset of the first line. */
  readonly start: number;
  readonly end: number;
  readonly indent: string;
  /** Whether a doc comment starts and ends in the same line. */
  readonly isOneLine: boolean;
  /** Text of the lines after ` *` or `//`. */
  readonly lines: readonly string[];
}

/** Maximum number of columns of a comment line. */
export const MAX_COLUMNS = 100;

/** Columns of ` * ` and of `// `. */
const MARKER_COLUMNS = 3;

/** Columns of a doc comment's delimiters if it has only one line. */
const DELIMITER_COLUMNS = "/**  */".length;

/** Returns the faults of the comments in a source text, in order. */
export function findCommentFaults(source: string): CommentFault[] {
  const lineOf = lineCounter(source);
  const parts = splitSource(source);
  const faults = readComments(source, parts).flatMap((comment) => {
    const first = lineOf(comment.start) + (comment.marker === "/**" && !comment.isOneLine ? 1 : 0);
    let at = first;
    return readBlocks(comment.lines, { isLineComment: comment.marker === "//" }).flatMap(
      (block) => {
        const line = at;
        at += block.lines.length;
        return findBlockFaults(block, widthOf(comment)).map(({ kind, index }) => ({
          kind,
          line: line + index,
        }));
      },
    );
  });
  return [...faults, ...findWideTrailing(source, parts, lineOf)]
    .toSorted((a, b) => a.line - b.line);
}

/**
 * Finds line comments after code that make their line too wide. The comment must move to a line of
 * its own.
 */
function findWideTrailing(
  source: string,
  parts: readonly SourcePart[],
  lineOf: (offset: number) => number,
): CommentFault[] {
  return parts.filter(({ kind, start, end }) =>
    kind === "comment" && source.startsWith("//", start) && !isOwnLine(source, start) &&
    /\s/.test(source.slice(start, end).trim()) &&
    [...source.slice(lineStart(source, start), end)].length > MAX_COLUMNS
  ).map(({ start }) => ({ kind: "after_code", line: lineOf(start) }));
}

/**
 * Wraps the paragraphs, list items and tags that have faults. The words and their order do not
 * change, and the result has no faults except those of comments after code.
 */
export function wrapComments(source: string): string {
  let wrapped = "";
  let at = 0;
  for (const comment of readComments(source, splitSource(source))) {
    const width = widthOf(comment);
    const blocks = readBlocks(comment.lines, { isLineComment: comment.marker === "//" });
    if (blocks.every((block) => findBlockFaults(block, width).length === 0)) continue;
    const filled = blocks.map((block) => {
      const hasFault = findBlockFaults(block, width).length > 0;
      return hasFault
        ? fillBlock(block, MAX_COLUMNS - comment.indent.length - MARKER_COLUMNS)
        : block;
    });
    wrapped += source.slice(at, comment.start) + formatComment(comment, filled);
    at = comment.end;
  }
  return wrapped + source.slice(at);
}

/** Returns the number of columns for the text in a line of a comment. */
function widthOf({ indent, isOneLine }: Comment): number {
  return MAX_COLUMNS - indent.length - (isOneLine ? DELIMITER_COLUMNS : MARKER_COLUMNS);
}

function formatComment({ marker, indent }: Comment, blocks: readonly CommentBlock[]): string {
  const lines = blocks.flatMap(formatBlock);
  if (marker === "//") return lines.map((line) => `${indent}//${line}`).join("\n");
  const [only = ""] = lines;
  const fits = [...indent + only.trim()].length + DELIMITER_COLUMNS <= MAX_COLUMNS;
  if (lines.length === 1 && fits) return `${indent}/**${only} */`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} *${line}`), `${indent} */`].join("\n");
}

/** Returns the comments that can be wrapped. */
function readComments(source: string, parts: readonly SourcePart[]): Comment[] {
  const comments: Comment[] = [];
  for (const { kind, start, end } of parts) {
    if ((kind !== "doc" && kind !== "comment") || !isOwnLine(source, start)) continue;
    const comment = kind === "doc"
      ? readDocComment(source, start, end)
      : readLineComment(source, start, end);
    const last = comments.at(-1);
    if (comment === undefined) continue;
    if (last !== undefined && isNextLine(source, last, comment)) {
      comments.splice(-1, 1, {
        ...last,
        end: comment.end,
        lines: [...last.lines, ...comment.lines],
      });
    } else comments.push(comment);
  }
  return comments;
}

function readLineComment(source: string, start: number, end: number): Comment | undefined {
  if (!source.startsWith("//", start)) return undefined;
  const first = lineStart(source, start);
  return {
    marker: "//",
    start: first,
    end,
    indent: source.slice(first, start),
    isOneLine: false,
    lines: [source.slice(start + 2, end)],
  };
}

/** Reads a doc comment in one of the two usual forms. Returns `undefined` for other forms. */
function readDocComment(source: string, start: number, end: number): Comment | undefined {
  if (!/^[^\S\n]*(?:\n|$)/.test(source.slice(end))) return undefined;
  const first = lineStart(source, start);
  const indent = source.slice(first, start);
  const common = { marker: "/**", start: first, end, indent } as const;
  const [opening = "", ...rest] = source.slice(start, end).split("\n");
  const one = /^\/\*\*( \S.*) \*\/$/.exec(opening)?.[1];
  if (rest.length === 0) {
    return one === undefined ? undefined : { ...common, isOneLine: true, lines: [one.trimEnd()] };
  }
  const bodies = rest.slice(0, -1).map((line) => /^\s*\*(|\s.*)$/.exec(line)?.[1]);
  const lines = bodies.filter((line) => line !== undefined);
  const isUsual = opening === "/**" && rest.at(-1)?.trim() === "*/" &&
    lines.length === bodies.length && rest.every((line) => line.startsWith(`${indent} *`));
  return isUsual ? { ...common, isOneLine: false, lines } : undefined;
}

function isNextLine(source: string, last: Comment, next: Comment): boolean {
  return last.marker === "//" && next.marker === "//" && last.indent === next.indent &&
    source.slice(last.end, next.start) === "\n";
}

function isOwnLine(source: string, start: number): boolean {
  return source.slice(lineStart(source, start), start).trim() === "";
}

function lineStart(source: string, offset: number): number {
  return source.lastIndexOf("\n", offset - 1) + 1;
}
