/**
 * Splits TypeScript and JavaScript source into code, comments and strings, without parsing it.
 *
 * @module
 */

/** A comment or the text of a string; the source text between two parts is code. */
export interface SourcePart {
  readonly kind: "doc" | "comment" | "string" | "template";
  /** Content without delimiters. Escape sequences in strings are kept as written. */
  readonly text: string;
  /** Offset of the first character, including the delimiter. */
  readonly start: number;
  /** Offset after the last character, including the delimiter. */
  readonly end: number;
}

const SPACE = /\s+/y;
const LINE_COMMENT = /\/\/(.*)/y;
const BLOCK_COMMENT = /\/\*([\s\S]*?)(?:\*\/|$)/y;
const STRING = /"((?:[^"\\\n]|\\[\s\S])*)"?|'((?:[^'\\\n]|\\[\s\S])*)'?/y;
const TEMPLATE_TEXT = /((?:[^`\\$]|\\[\s\S]|\$(?!\{))*)(`|\$\{|$)/y;
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*/uy;

/** Words after which a slash starts a regular expression. */
const BEFORE_REGEXP: ReadonlySet<string> = new Set(
  "await case delete do else in instanceof new of return throw typeof void yield".split(" "),
);

/** Returns the comments and strings of a source text, in order. */
export function splitSource(source: string): SourcePart[] {
  return new Lexer(source).run();
}

/**
 * Returns only the code. Removes comments and empties strings, but keeps their line breaks, so that
 * the code is on the same lines as in the source. Expressions in templates count as code.
 */
export function codeOf(source: string): string {
  let code = "";
  let at = 0;
  for (const { kind, start, end } of splitSource(source)) {
    const breaks = source.slice(start, end).replace(/[^\n]/g, "");
    code += source.slice(at, start) + (kind === "string" || kind === "template" ? `""` : " ") +
      breaks;
    at = end;
  }
  return code + source.slice(at);
}

class Lexer {
  readonly #source: string;
  readonly #parts: SourcePart[] = [];
  /** Depth of braces at the start of each open template expression. */
  readonly #templates: number[] = [];
  #at = 0;
  #depth = 0;
  /** The last word or punctuation character. */
  #last = "";

  constructor(source: string) {
    this.#source = source;
  }

  run(): SourcePart[] {
    while (this.#at < this.#source.length) this.#step();
    return this.#parts;
  }

  #step(): void {
    if (this.#match(SPACE) !== undefined) return;
    switch (this.#source[this.#at]) {
      case "/":
        return this.#slash();
      case '"':
      case "'":
        return this.#string();
      case "`":
        return this.#template(this.#at++);
      case "}":
        return this.#closeBrace();
      default:
        this.#other();
    }
  }

  #slash(): void {
    const start = this.#at;
    const line = this.#match(LINE_COMMENT);
    if (line !== undefined) return this.#add("comment", line[1], start);
    const block = this.#match(BLOCK_COMMENT);
    if (block !== undefined) {
      const text = block[1] ?? "";
      return text.startsWith("*")
        ? this.#add("doc", text.slice(1), start)
        : this.#add("comment", text, start);
    }
    if (!this.#mayStartRegExp() || this.#match(REGEXP) === undefined) this.#at++;
    this.#last = "/";
  }

  /** A slash after a value is a division operator. */
  #mayStartRegExp(): boolean {
    return BEFORE_REGEXP.has(this.#last) || !/[\p{ID_Continue}$)\]"`]$/u.test(this.#last);
  }

  #string(): void {
    const start = this.#at;
    const match = this.#match(STRING);
    this.#add("string", match?.[1] ?? match?.[2], start);
    this.#last = '"';
  }

  /** Reads template text up to the end of the template or the next expression. */
  #template(start: number): void {
    const match = this.#match(TEMPLATE_TEXT);
    this.#add("template", match?.[1], start);
    this.#last = "`";
    if (match?.[2] !== "${") return;
    this.#templates.push(this.#depth++);
    this.#last = "{";
  }

  #closeBrace(): void {
    this.#depth--;
    const start = this.#at++;
    this.#last = "}";
    if (this.#templates.at(-1) !== this.#depth) return;
    this.#templates.pop();
    this.#template(start);
  }

  #other(): void {
    const word = this.#match(WORD)?.[0];
    this.#last = word ?? this.#source[this.#at++] ?? "";
    if (this.#last === "{") this.#depth++;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match;
  }

  #add(kind: SourcePart["kind"], text: string | undefined, start: number): void {
    this.#parts.push({ kind, text: text ?? "", start, end: this.#at });
  }
}
