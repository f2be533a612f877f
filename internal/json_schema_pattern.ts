/**
 * Regular expressions of JSON Schemas, with an upper bound of the time of a match.
 *
 * The expression is divided into parts that can match a text in at most one way from a given start,
 * because the next character decides how each part continues. A match tries at most every
 * combination of the ends of these parts. A repeated group that is no such part, such as `(a+)+`,
 * takes exponential time.
 *
 * @module
 */

import { parsePattern, type PatternTerm } from "./json_schema_pattern_syntax.ts";

/** A regular expression with the number of steps of a match. */
export interface Pattern {
  readonly expression: RegExp;
  /** Returns an upper bound of the steps for matching a text of the given length. */
  readonly cost: (length: number) => number;
}

/** A position in a regular expression at which a character of a set is matched. */
interface Place {
  readonly set: bigint;
  /** Places that can be next. A place that is reached in two ways is listed twice. */
  readonly next: Place[];
}

/** A part of a regular expression whose places are connected. */
interface Part {
  readonly isNullable: boolean;
  readonly first: readonly Place[];
  readonly last: readonly Place[];
  readonly minLength: number;
  readonly maxLength: number;
  /** Whether the part may match the same text in several ways. */
  readonly isAmbiguous: boolean;
}

/** Number of ways in which expressions that are matched one after the other can match. */
interface Ways {
  /** Constant factor. */
  factor: number;
  /** For each part, the number of its possible ends. */
  readonly ends: number[];
  isExponential: boolean;
  minLength: number;
}

/** An exact number of repetitions of a group is copied up to this number. */
const MAX_COPIES = 16;

/** Maximum number of places. More complex expressions count as exponential. */
const MAX_PLACES = 2000;

/**
 * Compiles a regular expression.
 *
 * @throws {SyntaxError} If the expression is invalid.
 */
export function compilePattern(source: string): Pattern {
  const expression = new RegExp(source, "u");
  const { isAnchored, term } = parsePattern(source);
  const all: Ways[] = [];
  try {
    all.push(new Ambiguity(all).waysOf(term));
  } catch (error) {
    if (!(error instanceof TooComplexError)) throw error;
    all.push({ factor: 1, ends: [], isExponential: true, minLength: 0 });
  }
  return {
    expression,
    cost: (length) => all.reduce((sum, ways) => sum + costOf(ways, isAnchored, length), 0),
  };
}

/** Returns the number of steps for a text. A step takes as long as 128 steps of a match. */
function costOf(
  { ends, factor, isExponential, minLength }: Ways,
  isAnchored: boolean,
  length: number,
): number {
  if (isExponential) return Math.ceil(2 ** length / 4);
  const fixed = ends.length > 0 ? 1 : Math.max(1, Math.min(minLength, length));
  const starts = isAnchored ? 1 : length * fixed;
  const ways = ends.reduce((product, count) => product * Math.min(count, length + 1), factor);
  return Math.max(length >> 4, Math.floor(ways * starts / 128));
}

class TooComplexError extends Error {}

/** Determines in how many ways a regular expression can match a text. */
class Ambiguity {
  /** Ways of the lookarounds at the start of the expression, which are matched once. */
  readonly #leading: Ways[];
  #places = 0;

  constructor(leading: Ways[]) {
    this.#leading = leading;
  }

  waysOf(term: PatternTerm, isTop = true): Ways {
    const ways: Ways = { factor: 1, ends: [], isExponential: false, minLength: 0 };
    let current: Part | undefined;
    const endPart = (): void => {
      if (current !== undefined) {
        ways.minLength += Math.min(current.minLength, 1000);
        const count = current.maxLength - current.minLength + 1;
        if (count > 1) ways.ends.push(count);
      }
      current = undefined;
    };
    for (const each of termsOf(term)) {
      const part = each.kind === "lookaround" ? undefined : this.#connect(each);
      if (part !== undefined && !part.isAmbiguous) {
        if (current === undefined || !canFollow(current, part)) endPart();
        current = current === undefined ? part : follow(current, part);
        continue;
      }
      const isLeading = isTop && current === undefined && ways.ends.length === 0;
      if (each.kind === "lookaround" && isLeading) {
        this.#leading.push(this.waysOf(each.term, false));
        continue;
      }
      endPart();
      this.#addAmbiguous(ways, each);
    }
    endPart();
    return ways;
  }

  /** Adds the ways of a term that can match the same text in several ways. */
  #addAmbiguous(ways: Ways, term: PatternTerm): void {
    switch (term.kind) {
      case "lookaround":
      case "sequence":
        return add(ways, [this.waysOf(asSequence(term), false)]);
      case "choice":
        ways.factor *= term.options.length;
        return add(ways, term.options.map((option) => this.waysOf(option, false)));
      case "repeat":
        ways.factor *= 2;
        if (term.max > 1) ways.isExponential = true;
        return add(ways, [this.waysOf(term.term, false)]);
      case "set":
        return;
      default:
        term satisfies never;
    }
  }

  /** Connects the places of a term. */
  #connect(term: PatternTerm): Part {
    switch (term.kind) {
      case "set": {
        if (++this.#places > MAX_PLACES) throw new TooComplexError();
        const place: Place = { set: term.set, next: [] };
        const length = { minLength: 1, maxLength: 1 };
        const ends = { first: [place], last: [place] };
        return { isNullable: false, isAmbiguous: false, ...ends, ...length };
      }
      case "sequence": {
        let part = EMPTY;
        for (const each of termsOf(term)) {
          const next = this.#connect(each);
          const isAmbiguous = !canFollow(part, next);
          part = follow(part, next);
          if (isAmbiguous) part = { ...part, isAmbiguous };
        }
        return part;
      }
      case "choice":
        return this.#connectOptions(term.options);
      case "repeat":
        return this.#connectRepeat(term);
      case "lookaround":
        return { ...EMPTY, isAmbiguous: true };
      default:
        return term satisfies never;
    }
  }

  #connectOptions(options: readonly PatternTerm[]): Part {
    const parts = options.map((option) => this.#connect(option));
    const first = parts.flatMap((part) => part.first);
    return {
      isNullable: parts.some((part) => part.isNullable),
      first,
      last: parts.flatMap((part) => part.last),
      minLength: Math.min(...parts.map((part) => part.minLength)),
      maxLength: Math.max(...parts.map((part) => part.maxLength)),
      isAmbiguous: parts.some((part) => part.isAmbiguous) || hasOverlap(first) ||
        parts.filter((part) => part.isNullable).length > 1,
    };
  }

  #connectRepeat({ max, min, term }: PatternTerm & { readonly kind: "repeat" }): Part {
    const part = this.#connect(term);
    let { isAmbiguous } = part;
    if (max > 1) {
      isAmbiguous ||= part.isNullable || !canFollow(part, part);
      for (const place of part.last) place.next.push(...part.first);
    }
    return {
      ...part,
      isAmbiguous,
      isNullable: part.isNullable || min === 0,
      minLength: part.minLength * min,
      maxLength: part.maxLength === 0 || max === 0 ? 0 : part.maxLength * max,
    };
  }
}

const EMPTY: Part = {
  isNullable: true,
  first: [],
  last: [],
  minLength: 0,
  maxLength: 0,
  isAmbiguous: false,
};

/** Adds the ways of alternatives, of which the one with the most ways counts. */
function add(ways: Ways, options: readonly Ways[]): void {
  const size = ({ ends, factor }: Ways) =>
    ends.reduce((product, count) => product * Math.min(count, 1000), factor);
  const [most] = [...options].sort((a, b) => size(b) - size(a));
  if (options.some(({ isExponential }) => isExponential)) ways.isExponential = true;
  if (most === undefined) return;
  ways.factor *= most.factor;
  ways.ends.push(...most.ends);
  ways.minLength += most.minLength;
}

/**
 * Returns the terms that are matched one after the other, without groups around them.
 *
 * @throws {TooComplexError} If there are too many terms.
 */
function termsOf(term: PatternTerm): readonly PatternTerm[] {
  if (term.kind === "sequence") return limited(term.terms.flatMap(termsOf));
  const isCopied = term.kind === "repeat" && term.min === term.max && term.max <= MAX_COPIES;
  if (!isCopied) return [term];
  const terms = termsOf(term.term);
  return limited(Array.from({ length: term.max }, () => terms).flat());
}

function limited(terms: readonly PatternTerm[]): readonly PatternTerm[] {
  if (terms.length > MAX_PLACES) throw new TooComplexError();
  return terms;
}

function asSequence(term: PatternTerm): PatternTerm {
  return term.kind === "lookaround" ? term.term : term;
}

/** Returns true if the next character decides whether a part ends and the next part starts. */
function canFollow(part: Part, next: Part): boolean {
  const isDecided = part.last.every((place) => isDisjoint(place.next, next.first));
  return isDecided && (!part.isNullable || isDisjoint(part.first, next.first));
}

/** Connects two parts that are matched one after the other. */
function follow(part: Part, next: Part): Part {
  for (const place of part.last) place.next.push(...next.first);
  return {
    isNullable: part.isNullable && next.isNullable,
    first: part.isNullable ? [...part.first, ...next.first] : part.first,
    last: next.isNullable ? [...part.last, ...next.last] : next.last,
    minLength: part.minLength + next.minLength,
    maxLength: part.maxLength + next.maxLength,
    isAmbiguous: part.isAmbiguous || next.isAmbiguous,
  };
}

function isDisjoint(places: readonly Place[], others: readonly Place[]): boolean {
  const set = others.reduce((union, other) => union | other.set, 0n);
  return places.every((place) => (place.set & set) === 0n);
}

function hasOverlap(places: readonly Place[]): boolean {
  let union = 0n;
  return places.some(({ set }) => {
    const overlaps = (union & set) !== 0n;
    union |= set;
    return overlaps;
  });
}
