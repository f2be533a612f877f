/**
 * Extracts sentences from doc comments, comments, Markdown, strings, test names, and titles and
 * reasons in JSON data.
 *
 * @module
 */

import { type SourcePart, splitSource } from "./lexer.ts";
import { lineCounter } from "./places.ts";

/** Kind of text that a sentence comes from. */
export type ProseKind = "doc" | "comment" | "markdown" | "error" | "text" | "test" | "data";

/** A sentence and its location. */
export interface Sentence {
  readonly kind: ProseKind;
  readonly text: string;
  /** Line number, starting at 1. */
  readonly line: number;
  /** Whether the sentence is the first in a doc comment. */
  readonly isSummary: boolean;
}

interface Paragraph {
  /** Text with its line breaks. */
  readonly text: string;
  /** Line number of the text's first line, starting at 1. */
  readonly line: number;
}

/**
 * Minimum number of words in a sentence. Text with fewer words is a name, a value or a one-word
 * heading.
 */
const MIN_WORDS = 3;

const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf|approx)\.(?=\s)/g;
const SENTENCE_END = /(?<=[.?!]["')\]]?)\s+(?=["'(\[{`]?[A-Z`{])/;
const CODE_SPAN = /`[^`]*`/g;
const FENCE = /^([ \t>*]*)(```|~~~)[\s\S]*?^\1\2.*$/gm;
const LINK = /\{@link(?:code|plain)?\s+([^}|]*?)\s*(?:\|\s*([^}]*))?\}/g;
const NEW_PARAGRAPH = /^\s*(?:[-*+] |\d+\. |#+ |@\w+|>|\|)/;
const NO_PROSE_TAG = /^@(?:module|see|default|internal|template\s*$)/;
const TAG =
  /^@(?:(?:param|property|template|typeParam)\b(?:\s+\{[^}]*\})?\s+[\w.$[\]=]+(?:\s+-)?|\w+(?:\s+\{[^}]*\})?)\s*/;
const DIRECTIVE = /^\s*(?:deno-(?:lint|fmt|coverage)|@ts-|\/|!|#)/;
/** Patterns that indicate that a string contains code or a command rather than prose. */
const CODE_IN_STRING =
  /=>|;\s*$|[{}<>]|\n\s+at |^\s*(?:--?\w|\.{0,2}\/|https?:)|^(?:deno|node|npm|npx|git|curl|import|export|const|let|select|insert|create|update)\b/i;
const ERROR_BEFORE = /(?:Error|Exception|failure|reject|fail|invalid)\w*\(\s*(?:[^()]*,\s*)?$/i;
const TEST_BEFORE = /(?:Deno\.test|\bit|\btest|\.step)\(\s*(?:\{\s*name:\s*)?$/;
const DATA_MEMBER = /"(?:title|why|fault|description|note)":\s*"((?:[^"\\]|\\.)*)"/g;

/** Returns the sentences in a file. The extension of the path determines how the file is parsed. */
export function readProse(path: string, source: string): Sentence[] {
  if (path.endsWith(".md")) return fromParagraphs("markdown", markdownParagraphs(source));
  if (path.endsWith(".json")) return readData(source);
  if (/\.(?:ts|js|mjs)$/.test(path)) return readCode(path, source);
  return fromParagraphs("comment", hashComments(source));
}

function readData(source: string): Sentence[] {
  const lineOf = lineCounter(source);
  return [...source.matchAll(DATA_MEMBER)].flatMap(({ 0: whole, 1: text = "", index }) =>
    fromParagraphs("data", [{
      text: text.replaceAll('\\"', '"').replaceAll("\\n", " "),
      line: lineOf(index + whole.indexOf(text)),
    }])
  );
}

function readCode(path: string, source: string): Sentence[] {
  const lineOf = lineCounter(source);
  const parts = splitSource(source);
  const comments = joinLineComments(parts, source).flatMap(({ kind, text, start }) =>
    fromParagraphs(
      kind === "doc" ? "doc" : "comment",
      paragraphs(text.replace(/^[ \t]*\*[ \t]?/gm, ""), lineOf(start)),
    )
  );
  const isTest = path.endsWith("_test.ts") || path.includes("/testdata/");
  const strings = joinTemplates(parts, source).flatMap(({ text, start }) => {
    const kind = kindOfString(source.slice(Math.max(0, start - 200), start), text);
    // In a test, strings other than test names are data.
    if (isTest ? kind !== "test" : kind === "test") return [];
    if (!/\s/.test(text) || CODE_IN_STRING.test(text)) return [];
    return fromParagraphs(kind, [{ text: text.replaceAll("\\n", "\n"), line: lineOf(start) }]);
  });
  return [...comments, ...strings];
}

function kindOfString(before: string, text: string): ProseKind {
  if (TEST_BEFORE.test(before)) return "test";
  const isError = ERROR_BEFORE.test(before) ||
    /^(?:Cannot|Invalid|Unknown|Unsupported) /.test(text);
  return isError ? "error" : "text";
}

/** Joins line comments on successive lines and omits directives. */
function joinLineComments(parts: readonly SourcePart[], source: string): SourcePart[] {
  const joined: SourcePart[] = [];
  for (const part of parts) {
    if (part.kind !== "doc" && part.kind !== "comment") continue;
    if (part.kind === "comment" && DIRECTIVE.test(part.text)) continue;
    const last = joined.at(-1);
    if (last?.kind !== "comment" || !isNextLine(source, last, part)) joined.push(part);
    else joined.splice(-1, 1, { ...last, text: `${last.text}\n${part.text}`, end: part.end });
  }
  return joined;
}

function isNextLine(source: string, last: SourcePart, next: SourcePart): boolean {
  return source.startsWith("//", next.start) && source.startsWith("//", last.start) &&
    /^\n[ \t]*$/.test(source.slice(last.end, next.start));
}

/** Replaces the expressions in a template with an ellipsis: `a ${x} b` becomes `a … b`. */
function joinTemplates(parts: readonly SourcePart[], source: string): SourcePart[] {
  const joined: SourcePart[] = [];
  const open: SourcePart[] = [];
  for (const part of parts) {
    if (part.kind === "string") joined.push(part);
    if (part.kind !== "template") continue;
    const start = source[part.start] === "}" ? open.pop() : undefined;
    const whole = start === undefined ? part : { ...start, text: `${start.text}…${part.text}` };
    if (source.endsWith("${", part.end)) open.push(whole);
    else joined.push(whole);
  }
  return joined;
}

function markdownParagraphs(source: string): Paragraph[] {
  const text = source
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/^\[[^\]]+\]:.*$/gm, "");
  return paragraphs(text, 1).flatMap(({ text, line }) =>
    text.startsWith("|")
      ? text.split(/(?<!\\)\|/).map((cell) => ({ text: cell, line }))
      : [{ text, line }]
  );
}

/** Returns the comments in YAML, Python and shell files. */
function hashComments(source: string): Paragraph[] {
  const lines = source.split("\n").map((line) => /^\s*#(?!!)\s?(.*)$/.exec(line)?.[1] ?? "");
  return paragraphs(lines.join("\n"), 1);
}

/** Splits text at blank lines, list items, tags, headings and table rows. Omits fenced code. */
function paragraphs(text: string, firstLine: number): Paragraph[] {
  const found: Paragraph[] = [];
  let lines: string[] = [];
  let start = firstLine;
  const flush = (next: number): void => {
    if (lines.length > 0) found.push({ text: lines.join("\n").trim(), line: start });
    lines = [];
    start = next;
  };
  for (const [index, line] of text.replace(FENCE, blank).split("\n").entries()) {
    const isBlank = line.trim() === "";
    if (isBlank || NEW_PARAGRAPH.test(line)) flush(firstLine + index);
    if (isBlank) start = firstLine + index + 1;
    else lines.push(line);
  }
  flush(0);
  return found.filter((paragraph) => !NO_PROSE_TAG.test(paragraph.text));
}

function fromParagraphs(kind: ProseKind, all: readonly Paragraph[]): Sentence[] {
  let isSummary = kind === "doc";
  return all.flatMap(({ text, line }) => {
    const isTag = text.startsWith("@");
    const body = text.replace(TAG, "").replace(/^\s*(?:[-*+>]|\d+\.|#+)\s+/, "");
    let at = line;
    return splitSentences(body).flatMap((sentence) => {
      const here = at;
      at += sentence.split("\n").length - 1;
      const plain = sentence.replace(/\s+/g, " ").trim();
      if (countWords(plain) < MIN_WORDS && kind !== "doc") return [];
      const first = isSummary && !isTag;
      isSummary = false;
      return [{ kind, text: plain, line: here, isSummary: first }];
    });
  });
}

/** Splits text at sentence ends. Each part keeps the whitespace that follows it. */
function splitSentences(text: string): string[] {
  const guarded = text
    .replace(LINK, (_, name: string, title?: string) => `\`${title ?? name}\``)
    .replace(ABBREVIATION, (word) => word.replaceAll(".", "\u0001"))
    .replace(CODE_SPAN, (code) => code.replaceAll(/[.?!]/g, "\u0001"));
  const pieces: string[] = [];
  let rest = guarded;
  for (let match = SENTENCE_END.exec(rest); match !== null; match = SENTENCE_END.exec(rest)) {
    const end = match.index + match[0].length;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest].map((piece) => piece.replaceAll("\u0001", ".")).filter((piece) =>
    piece.trim() !== ""
  );
}

function countWords(text: string): number {
  return text.replace(CODE_SPAN, "x").match(/\p{L}[\p{L}'-]*/gu)?.length ?? 0;
}

/**
 * Returns only the line breaks in text, so that the lines after the removed text keep their
 * numbers.
 */
function blank(text: string): string {
  return text.replace(/[^\n]/g, "");
}
