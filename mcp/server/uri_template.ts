/**
 * URI template matching (RFC 6570).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6570 RFC 6570}
 * @module
 */

import { comparableUri, hasMalformedEncoding } from "./comparable_uri.ts";

/** Decoded values of template variables, keyed by name. */
export type TemplateVariables = Readonly<Record<string, string>>;

/** A parsed URI template. */
export interface UriTemplate {
  /** Variable names: path variables in template order, then query variables. */
  readonly variables: readonly string[];
  /**
   * Returns the values of the variables in a URI, or `undefined` if the URI does not match. Query
   * variables are optional. The literal text of the template matches any percent-encoding of its
   * characters that does not change their meaning; see {@linkcode comparableUri}. A URI with a
   * percent sign that does not begin an encoded octet does not match.
   */
  match(uri: string): TemplateVariables | undefined;
  /**
   * Returns `true` if a URI matches, or if the steps do not suffice to decide. Takes the steps of
   * the search from the budget. Unlike in {@linkcode UriTemplate.match}, a percent sign without
   * digits stands for itself.
   */
  mayMatch(uri: string, budget: StepBudget): boolean;
}

/** The remaining steps of searches for the values of template variables. */
export interface StepBudget {
  /** Number of steps. Negative if a search needed more steps. */
  left: number;
}

/** Maximum length of a URI. URIs longer than `MAX_URI_LENGTH` match no template. */
const MAX_URI_LENGTH = 8192;

/**
 * A `..` path segment or a NUL character. Variable values that contain a `..` segment or a NUL
 * character are rejected, because handlers may use the values in file paths. Normalized URIs do not
 * contain `..` segments (RFC 3986, section 6.2.2.3).
 */
const CLIMBS = /(?:^|[/\\])\.\.(?:[/\\]|$)|\0/;

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;
const VARIABLE = /^([A-Za-z0-9_.%]+)(\*|:\d+)?$/;

/**
 * Syntax of a template operator: prefix before the first variable, separator before each further
 * variable, and characters that end a value.
 */
interface Operator {
  readonly first: string;
  readonly next: string;
  /**
   * Characters that end a value. If the end characters are omitted, a value can contain any
   * character, and the shortest possible value is matched.
   */
  readonly ends?: string;
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  "": { first: "", next: ",", ends: "/?#," },
  "+": { first: "", next: "," },
  "#": { first: "#", next: "," },
  ".": { first: ".", next: ".", ends: "/?#." },
  "/": { first: "/", next: "/", ends: "/?#" },
};

/**
 * A part of a template: either literal text or a variable. A variable with a separator matches a
 * list of values.
 */
type Piece =
  | { readonly text: string }
  | { readonly name: string; readonly ends?: string; readonly separator?: string };

/**
 * Parses a URI template (RFC 6570). An exploded variable (`{list*}`) matches all its values as one
 * string.
 *
 * @throws {TypeError} If the template is invalid or contains an unsupported operator, such as
 * `{;name}`.
 */
export function parseUriTemplate(template: string): UriTemplate {
  const pieces: Piece[] = [];
  const inQuery: string[] = [];
  let end = 0;
  for (const { 0: whole, 1: operator = "", 2: list = "", index } of template.matchAll(EXPRESSION)) {
    pieces.push({ text: literal(template.slice(end, index), template) });
    end = index + whole.length;
    const variables = list.split(",").map((text) => readVariable(text, template));
    if (operator === "?" || operator === "&") inQuery.push(...variables.map(({ name }) => name));
    else pieces.push(...piecesOf(operator, variables, template));
  }
  pieces.push({ text: literal(template.slice(end), template) });
  const inPath = pieces.flatMap((piece) => "name" in piece ? [piece.name] : []);
  const match = (uri: string, budget: StepBudget): TemplateVariables | undefined => {
    if (uri.length > MAX_URI_LENGTH) return undefined;
    const found = find(pieces, comparableUri(uri), { hasQuery: inQuery.length > 0, budget });
    return found && collect(found, inQuery);
  };
  return {
    variables: [...inPath, ...inQuery],
    match: (uri) => hasMalformedEncoding(uri) ? undefined : match(uri, { left: Infinity }),
    mayMatch: (uri, budget) => match(uri, budget) !== undefined || budget.left < 0,
  };
}

/** Encoded values of the path variables, in order, and the URI's query. */
interface Found {
  readonly values: readonly (readonly [name: string, value: string])[];
  readonly query: string;
}

/** Options for {@linkcode find}. */
interface FindOptions {
  /** Whether the template has query variables. */
  readonly hasQuery: boolean;
  readonly budget: StepBudget;
}

/**
 * Finds the values of the variables with a depth-first search. Each state is visited at most once,
 * so the time is linear in the length of the URI. Stops if no steps are left.
 */
function find(
  pieces: readonly Piece[],
  uri: string,
  { hasQuery, budget }: FindOptions,
): Found | undefined {
  if (!hasLiterals(pieces, uri, hasQuery)) return undefined;
  const width = uri.length + 1;
  // A search state combines a template piece, a flag for a started variable value, and a position
  // in the URI. `origins` maps each state to the number of the previous state plus one; 0 means not
  // visited.
  const origins = new Int32Array(2 * (pieces.length + 1) * width);
  const open: [state: number, origin: number][] = [[0, -1]];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const [state, origin] = top;
    if (origins[state] !== 0) continue;
    origins[state] = origin;
    if (--budget.left < 0) return undefined;
    const index = Math.floor(state / (2 * width));
    const at = state % width;
    const piece = pieces[index];
    if (piece === undefined) {
      if (!endsAt(uri, at, hasQuery)) continue;
      return { values: valuesOn(pieces, uri, origins, state), query: uri.slice(at + 1) };
    }
    const hasBegun = Math.floor(state / width) % 2 === 1;
    for (const [next, isInside, position] of stepsFrom(piece, index, hasBegun, uri, at)) {
      open.push([(2 * next + (isInside ? 1 : 0)) * width + position, state + 1]);
    }
  }
  return undefined;
}

/**
 * Returns `true` if a URI contains the literal texts of a template in order. Most URIs that match
 * no template are recognized without a search.
 */
function hasLiterals(pieces: readonly Piece[], uri: string, hasQuery: boolean): boolean {
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (!("text" in piece)) continue;
    const found = index === 0 ? (uri.startsWith(piece.text) ? 0 : -1) : uri.indexOf(piece.text, at);
    if (found === -1) return false;
    at = found + piece.text.length;
  }
  const last = pieces.at(-1);
  return hasQuery || last === undefined || !("text" in last) || uri.endsWith(last.text);
}

/**
 * Returns `true` if the URI's path can end at this position, which is the end of the URI or the
 * start of its query.
 */
function endsAt(uri: string, at: number, hasQuery: boolean): boolean {
  if (at === uri.length) return true;
  return hasQuery && "?&".includes(uri.charAt(at)) && !uri.includes("#", at);
}

type Step = readonly [piece: number, isInside: boolean, position: number];

/**
 * Returns the search states that can follow a search state. The search visits the last returned
 * state first, so the most likely match is returned last.
 */
function stepsFrom(
  piece: Piece,
  index: number,
  hasBegun: boolean,
  uri: string,
  at: number,
): readonly Step[] {
  if ("text" in piece) {
    return uri.startsWith(piece.text, at) ? [[index + 1, false, at + piece.text.length]] : [];
  }
  const { ends = "", separator = "" } = piece;
  const accepts = (position: number): boolean =>
    position < uri.length && !ends.includes(uri.charAt(position));
  const more: Step[] = accepts(at) ? [[index, true, at + 1]] : [];
  if (!hasBegun) return more;
  const behind = at + separator.length;
  if (separator !== "" && uri.startsWith(separator, at) && accepts(behind)) {
    more.push([index, true, behind + 1]);
  }
  const leave: Step = [index + 1, false, at];
  return ends === "" ? [...more, leave] : [leave, ...more];
}

/**
 * Returns the variable values on the path from the first search state to `last`, which is followed
 * backward through `origins`.
 */
function valuesOn(
  pieces: readonly Piece[],
  uri: string,
  origins: Int32Array,
  last: number,
): Found["values"] {
  const width = uri.length + 1;
  const starts: number[] = [];
  for (let state = last; state >= 0; state = (origins[state] ?? 0) - 1) {
    // The path is followed backward, so the last assignment for a piece is the position of its
    // start.
    starts[Math.floor(state / (2 * width))] = state % width;
  }
  return pieces.flatMap((piece, index) =>
    "name" in piece ? [[piece.name, uri.slice(starts[index], starts[index + 1])] as const] : []
  );
}

function collect(
  { values: encoded, query }: Found,
  inQuery: readonly string[],
): TemplateVariables | undefined {
  const values = new Map<string, string>();
  for (const [name, text] of encoded) {
    const value = decode(text);
    if (value === undefined || CLIMBS.test(value)) return undefined;
    // All occurrences of a variable must have the same value.
    if (values.has(name) && values.get(name) !== value) return undefined;
    values.set(name, value);
  }
  const parameters = new URLSearchParams(query);
  for (const name of inQuery) {
    const value = parameters.get(name);
    if (value === null) continue;
    if (CLIMBS.test(value)) return undefined;
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

interface Variable {
  readonly name: string;
  readonly isExploded: boolean;
}

function readVariable(text: string, template: string): Variable {
  const [, name, modifier] = VARIABLE.exec(text) ?? [];
  if (name === undefined) throw invalid(template, `"${text}" is not a valid variable`);
  return { name, isExploded: modifier === "*" };
}

function piecesOf(
  operator: string,
  variables: readonly Variable[],
  template: string,
): readonly Piece[] {
  const rules = OPERATORS[operator];
  if (rules === undefined) throw invalid(template, `operator "${operator}" is not supported`);
  const { first, next, ends } = rules;
  return variables.flatMap(({ name, isExploded }, index) => [
    { text: index === 0 ? first : next },
    { name, ...(ends !== undefined && { ends }), ...(isExploded && { separator: next }) },
  ]);
}

function literal(text: string, template: string): string {
  if (/[{}]/.test(text)) throw invalid(template, "unmatched brace");
  return comparableUri(text);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function invalid(template: string, fact: string): TypeError {
  return new TypeError(`Cannot parse URI template "${template}": ${fact}`);
}
