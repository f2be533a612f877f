/**
 * Syntax of regular expressions, as far as it determines the time of a match.
 *
 * @module
 */

/** A part of a regular expression. Assertions such as `$` and `\b` are empty sequences. */
export type PatternTerm =
  | { readonly kind: "set"; readonly set: bigint }
  | { readonly kind: "sequence"; readonly terms: readonly PatternTerm[] }
  | { readonly kind: "choice"; readonly options: readonly PatternTerm[] }
  | {
    readonly kind: "repeat";
    readonly term: PatternTerm;
    readonly min: number;
    readonly max: number;
  }
  | { readonly kind: "lookaround"; readonly term: PatternTerm };

/** A parsed regular expression. */
export interface ParsedPattern {
  readonly term: PatternTerm;
  /** Whether a match can only start at the start of the text. */
  readonly isAnchored: boolean;
}

/**
 * Parses a valid regular expression with the flag `u`. A reference to a group counts as a
 * repetition of any characters.
 */
export function parsePattern(source: string): ParsedPattern {
  const term = new PatternParser(source).parse();
  const isAnchored = source.startsWith("^") && term.kind !== "choice";
  return { term, isAnchored };
}

/** The bit for all characters that are not ASCII characters. */
const OTHER = 1n << 128n;
const ANY = (1n << 129n) - 1n;
const NOTHING: PatternTerm = { kind: "sequence", terms: [] };
const ANYTHING: PatternTerm = {
  kind: "repeat",
  term: { kind: "set", set: ANY },
  min: 0,
  max: Infinity,
};

/** The start of a group, which can be capturing, named, a lookaround, or have modifiers. */
const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;
const ASSERTION = /\^|\$|\\[bB]/uy;
const REFERENCE = /\\(?:[1-9]\d*|k<[^>]*>)/uy;
/** A character, an escape sequence or a character class. */
const ATOM =
  /\[(?:\\[^]|[^\]\\])*\]|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u.{4}|\\x..|\\[pP]\{[^}]*\}|\\c.|\\[^]|[^]/uy;

/** An atom that can match ASCII characters only. */
const ONLY_ASCII = /^(?!\.$)(?:\[(?!\^))?(?:\\[dwntrfv0^$\\.*+?()[\]{}|/-]|[\0-Z\]-\x7f])*$/u;

class PatternParser {
  readonly #source: string;
  readonly #sets = new Map<string, bigint>();
  #index = 0;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): PatternTerm {
    return this.#choice();
  }

  #choice(): PatternTerm {
    const options = [this.#sequence()];
    while (this.#source[this.#index] === "|") {
      this.#index++;
      options.push(this.#sequence());
    }
    const [only] = options;
    return only !== undefined && options.length === 1 ? only : { kind: "choice", options };
  }

  #sequence(): PatternTerm {
    const terms: PatternTerm[] = [];
    while (this.#index < this.#source.length && !/[|)]/.test(this.#source[this.#index] ?? "")) {
      terms.push(this.#quantified());
    }
    return { kind: "sequence", terms };
  }

  #quantified(): PatternTerm {
    const term = this.#term();
    const match = this.#take(QUANTIFIER);
    if (match === undefined) return term;
    const [, symbol, from, comma, to] = match;
    const min = symbol === undefined ? Number(from) : symbol === "+" ? 1 : 0;
    const isEndless = symbol === undefined ? comma === "," && to === "" : symbol !== "?";
    const max = isEndless ? Infinity : symbol === "?" ? 1 : comma === "" ? min : Number(to);
    return { kind: "repeat", term, min, max };
  }

  #term(): PatternTerm {
    const group = this.#take(GROUP);
    if (group !== undefined) {
      const term = this.#choice();
      this.#index++;
      return /[=!]$/.test(group[0]) ? { kind: "lookaround", term } : term;
    }
    if (this.#take(ASSERTION) !== undefined) return NOTHING;
    if (this.#take(REFERENCE) !== undefined) return ANYTHING;
    const [atom = ""] = this.#take(ATOM) ?? [];
    return { kind: "set", set: this.#setOf(atom) };
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    const sticky = new RegExp(expression);
    sticky.lastIndex = this.#index;
    const match = sticky.exec(this.#source) ?? undefined;
    if (match !== undefined) this.#index += match[0].length;
    return match;
  }

  /**
   * Returns the characters that an atom matches: a bit for each ASCII character, and a last one.
   */
  #setOf(atom: string): bigint {
    const known = this.#sets.get(atom);
    if (known !== undefined) return known;
    const expression = new RegExp(`^(?:${atom})$`, "u");
    let set = ONLY_ASCII.test(atom) ? 0n : OTHER;
    for (let code = 0; code < 128; code++) {
      if (expression.test(String.fromCharCode(code))) set |= 1n << BigInt(code);
    }
    this.#sets.set(atom, set);
    return set;
  }
}
