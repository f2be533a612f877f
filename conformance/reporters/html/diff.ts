/**
 * Differences between two strings.
 *
 * @module
 */

/** A part of a string. */
export interface Segment {
  /** Text of the part.  */
  readonly text: string;
  /** Whether the part is missing from the other string. */
  readonly isDifferent: boolean;
}

/** Two strings, each divided into parts that are equal and parts that differ. */
export interface TextDiff {
  /** Parts of the expected string. */
  readonly expected: readonly Segment[];
  /** Parts of the actual string. */
  readonly got: readonly Segment[];
}

const TOKEN = /[\p{L}\p{N}_]+|\s+|./gsu;

/**
 * Maximum size of the table for the comparison. In longer strings, everything from the first to the
 * last difference is marked.
 */
const MAX_CELLS = 160_000;

/**
 * Compares two strings: first by character from both ends, then by word, space and punctuation mark
 * in between.
 */
export function diffTexts(expected: string, got: string): TextDiff {
  const [one, other] = [[...expected], [...got]];
  const head = commonLength(one, other);
  const tail = commonLength(one.slice(head).reverse(), other.slice(head).reverse());
  const middleOf = (all: readonly string[]): readonly string[] =>
    all.slice(head, all.length - tail).join("").match(TOKEN) ?? [];
  const [oneMiddle, otherMiddle] = [middleOf(one), middleOf(other)];
  const [oneShared, otherShared] = sharedPositions(oneMiddle, otherMiddle);
  const start = one.slice(0, head).join("");
  const end = one.slice(one.length - tail).join("");
  return {
    expected: toSegments(start, oneMiddle, end, oneShared),
    got: toSegments(start, otherMiddle, end, otherShared),
  };
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((token, index) => token !== other[index]);
  return end < 0 ? one.length : end;
}

/** Returns the positions of a longest common subsequence in both lists. */
function sharedPositions(
  one: readonly string[],
  other: readonly string[],
): readonly [ReadonlySet<number>, ReadonlySet<number>] {
  const [oneShared, otherShared] = [new Set<number>(), new Set<number>()];
  if (one.length * other.length > MAX_CELLS) return [oneShared, otherShared];
  const lengths = subsequenceLengths(one, other);
  const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = 0, column = 0; row < one.length && column < other.length;) {
    if (one[row] === other[column]) {
      oneShared.add(row++);
      otherShared.add(column++);
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row++;
    else column++;
  }
  return [oneShared, otherShared];
}

/** Returns the length of a longest common subsequence for all pairs of suffixes. */
function subsequenceLengths(
  one: readonly string[],
  other: readonly string[],
): readonly Uint16Array[] {
  const rows = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let row = one.length - 1; row >= 0; row--) {
    const [current, next] = [rows[row], rows[row + 1]];
    if (current === undefined || next === undefined) continue;
    for (let column = other.length - 1; column >= 0; column--) {
      current[column] = one[row] === other[column]
        ? (next[column + 1] ?? 0) + 1
        : Math.max(next[column] ?? 0, current[column + 1] ?? 0);
    }
  }
  return rows;
}

function toSegments(
  start: string,
  middle: readonly string[],
  end: string,
  shared: ReadonlySet<number>,
): readonly Segment[] {
  const parts = [
    { text: start, isDifferent: false },
    ...middle.map((text, index) => ({ text, isDifferent: !shared.has(index) })),
    { text: end, isDifferent: false },
  ];
  const found: { text: string; isDifferent: boolean }[] = [];
  for (const part of parts.filter(({ text }) => text !== "")) {
    const last = found.at(-1);
    if (last?.isDifferent === part.isDifferent) last.text += part.text;
    else found.push(part);
  }
  return found;
}
