/**
 * The resource templates that servers have claimed, indexed by the literal text before their first
 * variable.
 *
 * @module
 */

import { parseUriTemplate } from "../server/uri_template.ts";

/** The URIs that a resource template covers. */
export interface TemplateCoverage {
  /** Literal text before the first variable. */
  readonly prefix: string;
  /** Returns `true` if the template covers a URI. */
  readonly covers: (uri: string) => boolean;
}

/** A claimed resource template. */
export interface TemplateClaim extends TemplateCoverage {
  /** URI template. */
  readonly name: string;
  /** Key of the server that has claimed the template. */
  readonly server: string;
}

/** Maximum number of characters of a prefix in the index. */
const MAX_INDEXED_CHARS = 64;

/**
 * A URI that a template never matches, although its server may treat the URI as matching: one that
 * contains a `..` segment, a NUL character or an invalid percent-encoding.
 */
const UNUSUAL = /\.\.|%2e|%00|\0|%(?![0-9a-f]{2})/i;

/**
 * Returns the URIs that a resource template covers. A template that is not valid covers the URIs
 * that start with its prefix, because the server may accept a different syntax.
 */
export function coverageOf(uriTemplate: string): TemplateCoverage {
  const start = uriTemplate.indexOf("{");
  const prefix = start === -1 ? uriTemplate : uriTemplate.slice(0, start);
  const matches = matcherOf(uriTemplate) ?? (() => true);
  return {
    prefix,
    covers: (uri) => uri.startsWith(prefix) && (matches(uri) || UNUSUAL.test(uri)),
  };
}

function matcherOf(uriTemplate: string): ((uri: string) => boolean) | undefined {
  try {
    const template = parseUriTemplate(uriTemplate);
    return (uri) => template.match(uri) !== undefined;
  } catch {
    return undefined;
  }
}

/** Claimed resource templates. A URI is compared only with templates that share its beginning. */
export class TemplateClaims {
  readonly #byName = new Map<string, TemplateClaim>();
  /** Templates, keyed by the first characters of their prefix. */
  readonly #byPrefix = new Map<string, Set<TemplateClaim>>();
  /** Number of templates, keyed by the length of their key in `#byPrefix`. */
  readonly #lengths = new Map<number, number>();

  /** Adds a template. */
  add(name: string, server: string): void {
    const claim: TemplateClaim = { name, server, ...coverageOf(name) };
    const key = keyOf(claim.prefix);
    this.#byName.set(name, claim);
    const same = this.#byPrefix.get(key) ?? new Set();
    this.#byPrefix.set(key, same.add(claim));
    this.#lengths.set(key.length, (this.#lengths.get(key.length) ?? 0) + 1);
  }

  /** Removes a template. */
  delete(name: string): void {
    const claim = this.#byName.get(name);
    if (claim === undefined) return;
    const key = keyOf(claim.prefix);
    this.#byName.delete(name);
    const same = this.#byPrefix.get(key);
    same?.delete(claim);
    if (same?.size === 0) this.#byPrefix.delete(key);
    const left = (this.#lengths.get(key.length) ?? 1) - 1;
    if (left === 0) this.#lengths.delete(key.length);
    else this.#lengths.set(key.length, left);
  }

  /** Yields the templates that cover a URI. */
  *covering(uri: string): Generator<TemplateClaim, void> {
    for (const length of this.#lengths.keys()) {
      if (uri.length < length) continue;
      for (const claim of this.#byPrefix.get(uri.slice(0, length)) ?? []) {
        if (claim.covers(uri)) yield claim;
      }
    }
  }

  /**
   * Returns a template of a different server that may cover the same URIs as a template with the
   * given prefix: one of the two prefixes starts with the other.
   */
  findOverlap(prefix: string, server: string): TemplateClaim | undefined {
    for (const claim of this.#byName.values()) {
      if (claim.server === server) continue;
      if (prefix.startsWith(claim.prefix) || claim.prefix.startsWith(prefix)) return claim;
    }
    return undefined;
  }

  /** Yields all templates. */
  values(): Iterable<TemplateClaim> {
    return this.#byName.values();
  }
}

function keyOf(prefix: string): string {
  return prefix.slice(0, MAX_INDEXED_CHARS);
}
