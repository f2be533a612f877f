/**
 * The URIs that a resource template covers, or that a server may treat as covered.
 *
 * @module
 */

import { parseUriTemplate, type StepBudget, type UriTemplate } from "./uri_template.ts";
import { canonicalUri, hasNeedlessEncoding } from "./uri_resemblance.ts";

/** The URIs that a resource template covers. */
export interface TemplateCoverage {
  /** Literal text before the first variable. */
  readonly prefix: string;
  /** The prefix of the canonical forms of the URIs that resemble a covered URI. */
  readonly canonicalPrefix: string;
  /**
   * Returns `true` if the template covers a URI. A URI that starts with the prefix is covered if
   * the steps do not suffice to compare it.
   */
  readonly covers: (uri: string, budget?: StepBudget) => boolean;
  /** Returns `true` if the template covers a URI, or a URI that a server may treat as equal. */
  readonly resembles: (uri: ComparedUri, budget?: StepBudget) => boolean;
}

/** A URI and its canonical form. */
export interface ComparedUri {
  readonly uri: string;
  /** See {@linkcode canonicalUri}. */
  readonly canonical: string;
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

/** Stands for an expression in a canonical URI. */
const PLACEHOLDER = "zvarz";

const EXPRESSION = /\{[^{}]*\}/g;

/**
 * Returns the URIs that a resource template covers. A template that is not valid or has many
 * variables covers the URIs that start with its prefix, because the server may accept a different
 * syntax, and a comparison would take long.
 */
export function coverageOf(uriTemplate: string): TemplateCoverage {
  const prefix = prefixOf(uriTemplate);
  const template = parse(uriTemplate);
  const covers: TemplateCoverage["covers"] = (uri, budget = { left: MAX_STEPS }) =>
    uri.startsWith(prefix) && (UNUSUAL.test(uri) || mayMatch(template, uri, budget));
  const { whole, canonicalPrefix } = canonicalTemplate(uriTemplate);
  const exact = whole === undefined ? undefined : parse(whole);
  // A server may split a URI before or after it decodes the URI, so a variable can contain any
  // character.
  const wide = whole === undefined
    ? undefined
    : parse(whole.replaceAll(EXPRESSION, (text) => /^\{[?&]/.test(text) ? text : "{+x}"));
  return {
    prefix,
    canonicalPrefix,
    covers,
    resembles: ({ uri, canonical }, budget = { left: MAX_STEPS }) =>
      covers(uri, budget) ||
      canonical.startsWith(canonicalPrefix) && (
          mayMatch(exact, canonical, budget) ||
          hasNeedlessEncoding(uri) && mayMatch(wide, canonical, budget)
        ),
  };
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
  try {
    const template = parseUriTemplate(uriTemplate);
    return template.variables.length > MAX_VARIABLES ? undefined : template;
  } catch {
    // The URIs of a template without a known syntax cannot be compared.
    return undefined;
  }
}

function mayMatch(template: UriTemplate | undefined, uri: string, budget: StepBudget): boolean {
  return template === undefined || uri.length > MAX_COMPARED_CHARS || budget.left < 0 ||
    template.mayMatch(uri, budget);
}

/** Returns the template of the canonical forms of the URIs of a template, if there is one. */
function canonicalTemplate(
  uriTemplate: string,
): { readonly whole?: string; readonly canonicalPrefix: string } {
  const expressions: string[] = [];
  const text = uriTemplate.replaceAll(EXPRESSION, (expression) => {
    // A canonical URI has no fragment.
    if (expression.startsWith("{#")) return "";
    expressions.push(expression);
    return PLACEHOLDER;
  });
  const canonical = canonicalUri(text);
  const literals = canonical.split(PLACEHOLDER);
  const [canonicalPrefix = ""] = literals;
  if (literals.length !== expressions.length + 1 || /[{}]/.test(canonical)) {
    return { canonicalPrefix: prefixOf(canonicalPrefix) };
  }
  const whole = literals.map((literal, index) => literal + (expressions[index] ?? "")).join("");
  return { whole, canonicalPrefix };
}
