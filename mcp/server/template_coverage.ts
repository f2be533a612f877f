/**
 * The URIs that a resource template covers, or that a server may treat as covered.
 *
 * @module
 */

import { comparableUri } from "./comparable_uri.ts";
import { parseUriTemplate, type StepBudget, type UriTemplate } from "./uri_template.ts";
import { type ComparedUri, formsOf, hasNeedlessEncoding, splitUri } from "./uri_resemblance.ts";

/** The URIs that a resource template covers. */
export interface TemplateCoverage {
  /** Literal text before the first variable, as {@linkcode comparableUri} returns it. */
  readonly prefix: string;
  /** The prefix of the canonical forms of the URIs that resemble a covered URI. */
  readonly canonicalPrefix: string;
  /** The prefix of the bases of the URIs that a server may read with the template. */
  readonly basePrefix: string;
  /**
   * Returns `true` if the template covers a URI. A URI that starts with the prefix is covered if
   * the steps do not suffice to compare it.
   */
  readonly covers: (uri: string, budget?: StepBudget) => boolean;
  /** Returns `true` if the template covers a URI, or a URI that a server may treat as equal. */
  readonly resembles: (
    uri: Pick<ComparedUri, "uri" | "canonical">,
    budget?: StepBudget,
  ) => boolean;
  /**
   * Returns `true` if a server that ignores parts of a URI may read the URI with the template, like
   * {@linkcode mayRead}.
   */
  readonly mayRead: (uri: ComparedUri, budget?: StepBudget) => boolean;
}

/** Maximum number of variables of a template that is compared exactly. */
const MAX_VARIABLES = 16;

/** Maximum length of a URI that is compared exactly, in characters. */
const MAX_COMPARED_CHARS = 2048;

/** Default number of steps of a comparison. */
const MAX_STEPS = 10_000;

/**
 * A URI that a template never matches, although its server may treat the URI as matching: one that
 * contains a `..` segment, a NUL character or an invalid percent-encoding.
 */
const UNUSUAL = /\.\.|%2e|%00|\0|%(?![0-9a-f]{2})/i;

/** Stands for an expression in a canonical URI. A host can contain only letters and digits. */
const PLACEHOLDER = /zvar([a-j]+)z/g;

const EXPRESSION = /\{[^{}]*\}/g;

/** The beginning of an expression for query parameters, which are optional. */
const QUERY = /^\{[?&]/;

/**
 * Returns the URIs that a resource template covers. A template that is not valid or has many
 * variables covers the URIs that start with its prefix, because the server may accept a different
 * syntax, and a comparison would take long.
 */
export function coverageOf(uriTemplate: string): TemplateCoverage {
  const prefix = comparableUri(prefixOf(uriTemplate));
  const template = parse(uriTemplate);
  const covers: TemplateCoverage["covers"] = (uri, budget = { left: MAX_STEPS }) =>
    comparableUri(uri).startsWith(prefix) && (UNUSUAL.test(uri) || mayMatch(template, uri, budget));
  const { whole, base, canonicalPrefix, basePrefix, parameters } = canonicalTemplate(uriTemplate);
  const matchesWhole = matcherOf(whole);
  const matchesBase = matcherOf(base);
  const resembles: TemplateCoverage["resembles"] = (
    { uri, canonical },
    budget = { left: MAX_STEPS },
  ) =>
    covers(uri, budget) ||
    canonical.startsWith(canonicalPrefix) && matchesWhole(canonical, uri, budget);
  return {
    prefix,
    canonicalPrefix,
    basePrefix,
    covers,
    resembles,
    mayRead: (compared, budget = { left: MAX_STEPS }) =>
      resembles(compared, budget) ||
      compared.base.startsWith(basePrefix) && hasParameters(compared, parameters) &&
        matchesBase(compared.base, compared.uri, budget),
  };
}

/**
 * Returns a function that compares a canonical form of a URI with a template. Without a template,
 * the function returns `true`.
 */
function matcherOf(
  uriTemplate: string | undefined,
): (text: string, uri: string, budget: StepBudget) => boolean {
  const exact = uriTemplate === undefined ? undefined : parse(uriTemplate);
  // A server may split a URI before or after it decodes the URI, so a variable can contain any
  // character.
  const wide = uriTemplate === undefined
    ? undefined
    : parse(uriTemplate.replaceAll(EXPRESSION, (text) => QUERY.test(text) ? text : "{+x}"));
  return (text, uri, budget) =>
    mayMatch(exact, text, budget) || hasNeedlessEncoding(uri) && mayMatch(wide, text, budget);
}

/** Returns `true` if a URI has parameters that start with each of the given texts. */
function hasParameters({ parameters }: ComparedUri, starts: readonly string[]): boolean {
  const all = [...parameters];
  return starts.every((start) => all.some((parameter) => parameter.startsWith(start)));
}

/**
 * Returns `true` if two templates may cover the same URIs, or URIs that a server may treat as
 * equal: one of their prefixes starts with the other.
 */
export function mayOverlap(a: TemplateCoverage, b: TemplateCoverage): boolean {
  return a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix) ||
    a.canonicalPrefix.startsWith(b.canonicalPrefix) ||
    b.canonicalPrefix.startsWith(a.canonicalPrefix);
}

function prefixOf(uriTemplate: string): string {
  const start = uriTemplate.indexOf("{");
  return start === -1 ? uriTemplate : uriTemplate.slice(0, start);
}

function parse(uriTemplate: string): UriTemplate | undefined {
  if (hasManyVariables(uriTemplate)) return undefined;
  try {
    return parseUriTemplate(uriTemplate);
  } catch {
    // The URIs of a template without a known syntax cannot be compared.
    return undefined;
  }
}

function hasManyVariables(uriTemplate: string): boolean {
  let count = 0;
  for (const [expression] of uriTemplate.matchAll(EXPRESSION)) {
    count += expression.split(",", MAX_VARIABLES + 1).length;
    if (count > MAX_VARIABLES) return true;
  }
  return false;
}

function mayMatch(template: UriTemplate | undefined, uri: string, budget: StepBudget): boolean {
  return template === undefined || uri.length > MAX_COMPARED_CHARS || budget.left < 0 ||
    template.mayMatch(uri, budget);
}

/** The template of the canonical forms of the URIs of a template. */
interface CanonicalTemplate {
  /** The template, or `undefined` if there is none. */
  readonly whole?: string;
  readonly canonicalPrefix: string;
  /** The template of the bases, or `undefined` if there is none. */
  readonly base?: string;
  readonly basePrefix: string;
  /** Literal beginnings of the parameters that each URI has. */
  readonly parameters: readonly string[];
}

function canonicalTemplate(uriTemplate: string): CanonicalTemplate {
  if (hasManyVariables(uriTemplate)) {
    const { canonical, base } = formsOf(`${prefixOf(uriTemplate)}zvaraz`);
    const [canonicalPrefix, basePrefix] = [beforePlaceholder(canonical), beforePlaceholder(base)];
    return { canonicalPrefix, basePrefix, parameters: [] };
  }
  const expressions = new Map<string, string>();
  const text = uriTemplate.replaceAll(EXPRESSION, (expression) => {
    // A canonical URI has no fragment.
    if (expression.startsWith("{#")) return "";
    const number = Array.from(String(expressions.size), (digit) => "abcdefghij".charAt(+digit));
    const placeholder = `zvar${number.join("")}z`;
    expressions.set(placeholder, expression);
    return placeholder;
  });
  const { canonical, base, parameters } = formsOf(text);
  const canonicalPrefix = beforePlaceholder(canonical);
  const found = canonical.match(PLACEHOLDER) ?? [];
  if (found.join() !== [...expressions.keys()].join() || /[{}]/.test(canonical)) {
    const prefix = prefixOf(canonicalPrefix);
    return { canonicalPrefix: prefix, basePrefix: splitUri(prefix).base, parameters: [] };
  }
  const restore = (placeholder: string): string => expressions.get(placeholder) ?? "";
  // A base has no query.
  const restoreInPath = (placeholder: string): string => {
    const expression = restore(placeholder);
    return QUERY.test(expression) ? "" : expression;
  };
  const baseTemplate = base.replaceAll(PLACEHOLDER, restoreInPath);
  return {
    whole: canonical.replaceAll(PLACEHOLDER, restore),
    canonicalPrefix,
    base: baseTemplate,
    basePrefix: prefixOf(baseTemplate),
    parameters: Array.from(parameters, beforePlaceholder).filter((start) => start !== ""),
  };
}

function beforePlaceholder(text: string): string {
  return text.split(PLACEHOLDER, 1)[0] ?? "";
}
