/**
 * Keyword retrieval for the built-in model.
 *
 * Words are compared by their stems, and rare words have more weight than frequent words. An answer
 * consists of complete sentences from the documents, each with its source.
 *
 * @module
 */

/** A document that was read. */
export interface Document {
  /** Path of the document. */
  readonly path: string;
  /** Text of the document. */
  readonly text: string;
}

/** A sentence or paragraph of a document, with its relevance to a question. */
export interface Passage {
  readonly path: string;
  readonly heading: string;
  readonly text: string;
  readonly score: number;
  /** Stems of the question that the passage contains. */
  readonly stems: ReadonlySet<string>;
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a about above after all also an and any are as at be because been before being below between both but by can could " +
    "did do does doing down during each every few find for from further give had has have having he her here how i if in " +
    "into is it its itself just let me more most my no nor not of off on once only or other our out over own please same " +
    "say says she should so some such tell than that the their them then there these they this those through to too under " +
    "until up use used uses using very was we were what when where which while who whom why will with would you your")
    .split(" "),
);

const PROSE = /\.(md|markdown|txt|rst|adoc)$/i;
const MAX_PASSAGE = 420;

/** Returns the distinct stems of the significant words in a question, in order. */
export function questionStems(question: string): readonly string[] {
  const words = wordsOf(question).filter((word) => !STOP_WORDS.has(word));
  return [...new Set(words.map(stem))];
}

/**
 * Returns how well a path matches the stems. Matches in the file name count double, and prose files
 * score higher than code.
 */
export function scorePath(path: string, stems: readonly string[]): number {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const inPath = new Set(wordsOf(path).map(stem));
  const inName = new Set(wordsOf(name).map(stem));
  const matches = stems.reduce(
    (sum, word) => sum + (inPath.has(word) ? 2 : 0) + (inName.has(word) ? 2 : 0),
    0,
  );
  const depth = path.split("/").length;
  return matches + (PROSE.test(name) ? 3 : 0) +
    (/^readme\b/i.test(name) ? 1 : 0) - depth * 0.1;
}

/** Returns the passages that contain stems of the question, the most relevant first. */
export function rankPassages(
  documents: readonly Document[],
  stems: readonly string[],
): readonly Passage[] {
  const passages = documents.flatMap((document) => splitPassages(document));
  const stemsOf = passages.map(({ heading, text }) =>
    new Set(wordsOf(`${heading} ${text}`).map(stem))
  );
  const weight = new Map(stems.map((word) => {
    const holders = stemsOf.filter((set) => set.has(word)).length;
    return [word, Math.log(1 + passages.length / (1 + holders))];
  }));
  return passages
    .map((passage, index) => {
      const found = stems.filter((word) => stemsOf[index]?.has(word));
      const sum = found.reduce((total, word) => total + (weight.get(word) ?? 0), 0);
      const length = Math.log(8 + passage.text.length / 6);
      const prose = PROSE.test(passage.path) ? 1 : 0.5;
      return { ...passage, score: prose * sum * found.length / length, stems: new Set(found) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.text.length - b.text.length);
}

/** Returns the share of the stems that the passages contain together, from 0 to 1. */
export function coverage(passages: readonly Passage[], stems: readonly string[]): number {
  if (stems.length === 0) return 1;
  const found = new Set(passages.flatMap((passage) => [...passage.stems]));
  return found.size / stems.length;
}

type Block = Pick<Passage, "path" | "heading" | "text">;

function splitPassages({ path, text }: Document): readonly Block[] {
  const blocks: Block[] = [];
  let heading = "";
  for (const block of withoutCodeFences(text).split(/\n\s*\n/)) {
    for (const part of tableRows(block) ?? block.split(/\n(?=\s*(?:[-*] |\d+\. |#))/)) {
      const title = /^\s*#+\s+(.+)/.exec(part);
      if (title !== null) heading = plain(title[1] ?? "");
      const body = plain(title === null ? part : part.slice(part.indexOf("\n") + 1 || part.length));
      if (body.length >= 20) blocks.push({ path, heading, text: clip(body) });
    }
  }
  return blocks;
}

/**
 * Returns the rows of a Markdown table, with the column name before each cell, or `undefined` if
 * the text is not a table.
 */
function tableRows(block: string): readonly string[] | undefined {
  const [head, rule, ...rows] = block.trim().split("\n");
  if (head === undefined || rule === undefined || !/^\s*\|[\s:|-]+\|\s*$/.test(rule)) {
    return undefined;
  }
  const names = cellsOf(head);
  return rows.map((row) => {
    const cells = cellsOf(row).map((cell, column) => {
      const name = names[column] ?? "";
      return name === "" || cell === "" ? cell : `${name}: ${cell}`;
    });
    return cells.filter((cell) => cell !== "").join("; ");
  });
}

function cellsOf(row: string): readonly string[] {
  return row.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
}

function withoutCodeFences(text: string): string {
  return text.replace(/^(```|~~~)[\s\S]*?^\1\s*$/gm, "");
}

/** Removes markup, rules and comment markers, and collapses whitespace. */
function plain(text: string): string {
  return text
    .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/|[-*]|\d+\.|>)\s?/gm, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*_]{1,3}(?=\S)|(?<=\S)[`*_]{1,3}/g, "")
    .replace(/-{3,}/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function clip(text: string): string {
  if (text.length <= MAX_PASSAGE) return text;
  const end = text.lastIndexOf(". ", MAX_PASSAGE);
  return end > MAX_PASSAGE / 3 ? text.slice(0, end + 1) : `${text.slice(0, MAX_PASSAGE)}…`;
}

function wordsOf(text: string): readonly string[] {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns a word without its most common English endings, so that "verifies" matches "verify". */
function stem(word: string): string {
  if (word.length <= 3) return word;
  const bare = word
    .replace(/(?:ies|ied|ying|ier)$/, "y")
    .replace(/(?:ations?|ators?|ating|ated|ates?)$/, "at")
    .replace(/(?:ings?|ed|es|s|ers?|ly)$/, "")
    .replace(/([^aeiou])\1$/, "$1");
  return bare.length <= 3 ? bare : bare.replace(/(?:e|y)$/, "");
}
