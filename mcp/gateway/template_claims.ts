/**
 * The resource templates that servers have claimed, indexed by the literal text before their first
 * variable.
 *
 * @module
 */

import { coverageOf, mayOverlap, type TemplateCoverage } from "../server/template_coverage.ts";
import { comparableUri } from "../server/comparable_uri.ts";
import { canonicalUri, type ComparedUri } from "../server/uri_resemblance.ts";
import type { StepBudget } from "../server/uri_template.ts";

/** A claimed resource template. */
export interface TemplateClaim extends TemplateCoverage {
  /** URI template. */
  readonly name: string;
  /** Key of the server that has claimed the template. */
  readonly server: string;
}

/** Maximum number of characters of a prefix in an index. */
const MAX_INDEXED_CHARS = 64;

/**
 * Maximum number of steps for the comparison of one URI with the templates of one server. Further
 * templates of the server cover the URI if it starts with their prefix.
 */
const MAX_STEPS = 10_000;

/** Maximum length of a URI whose templates are stored, in characters. */
const MAX_STORED_CHARS = 1024;

/** Maximum number of URIs whose templates are stored. */
const MAX_STORED = 20_000;

/** Claimed resource templates. A URI is compared only with templates that share its beginning. */
export class TemplateClaims {
  readonly #byName = new Map<string, TemplateClaim>();
  readonly #byPrefix = new PrefixIndex(({ prefix }) => prefix);
  readonly #byCanonicalPrefix = new PrefixIndex(({ canonicalPrefix }) => canonicalPrefix);
  readonly #byBasePrefix = new PrefixIndex(({ basePrefix }) => basePrefix);
  /** Templates that cover a URI. */
  readonly #covering = new Map<string, readonly TemplateClaim[]>();
  /** Templates that cover a URI that resembles a URI. */
  readonly #resembling = new Map<string, readonly TemplateClaim[]>();
  /** Templates with which a server that ignores parts of a URI may read the URI. */
  readonly #reading = new Map<string, readonly TemplateClaim[]>();
  #steps = 0;

  /** Number of steps of all comparisons so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Adds a template. */
  add(name: string, server: string): void {
    const claim: TemplateClaim = { name, server, ...coverageOf(name) };
    this.#steps += name.length;
    this.#byName.set(name, claim);
    this.#byPrefix.add(claim);
    this.#byCanonicalPrefix.add(claim);
    this.#byBasePrefix.add(claim);
    this.#forget();
  }

  /** Removes a template. */
  delete(name: string): void {
    const claim = this.#byName.get(name);
    if (claim === undefined) return;
    this.#byName.delete(name);
    this.#byPrefix.delete(claim);
    this.#byCanonicalPrefix.delete(claim);
    this.#byBasePrefix.delete(claim);
    this.#forget();
  }

  /** Returns the templates that cover a URI. */
  covering(uri: string): readonly TemplateClaim[] {
    return this.#stored(this.#covering, uri, () => {
      const candidates = this.#byPrefix.startsOf(comparableUri(uri));
      return this.#compare(candidates, (claim, budget) => claim.covers(uri, budget));
    });
  }

  /** Returns the templates that cover a URI, or a URI that a server may treat as equal. */
  resembling(uri: string): readonly TemplateClaim[] {
    return this.#stored(this.#resembling, uri, () => {
      const canonical = canonicalUri(uri);
      const candidates = new Set([
        ...this.#byPrefix.startsOf(comparableUri(uri)),
        ...this.#byCanonicalPrefix.startsOf(canonical),
      ]);
      const compared = { uri, canonical };
      return this.#compare(candidates, (claim, budget) => claim.resembles(compared, budget));
    });
  }

  /** Returns the templates with which a server that ignores parts of a URI may read the URI. */
  reading(compared: ComparedUri): readonly TemplateClaim[] {
    return this.#stored(
      this.#reading,
      compared.uri,
      () =>
        this.#compare(this.#startsOf(compared), (claim, budget) => claim.mayRead(compared, budget)),
    );
  }

  /** Yields the templates whose prefix a URI, or one of its compared forms, starts with. */
  *before(compared: ComparedUri): Generator<TemplateClaim, void> {
    const { canonical, base } = compared;
    const uri = comparableUri(compared.uri);
    for (const claim of this.#startsOf(compared)) {
      const isBefore = uri.startsWith(claim.prefix) ||
        canonical.startsWith(claim.canonicalPrefix) || base.startsWith(claim.basePrefix);
      if (isBefore) yield claim;
    }
  }

  #startsOf({ uri, canonical, base }: ComparedUri): ReadonlySet<TemplateClaim> {
    return new Set([
      ...this.#byPrefix.startsOf(comparableUri(uri)),
      ...this.#byCanonicalPrefix.startsOf(canonical),
      ...this.#byBasePrefix.startsOf(base),
    ]);
  }

  /**
   * Returns a template of a different server that may cover the same URIs as a template, or URIs
   * that a server may treat as equal; see {@linkcode mayOverlap}.
   */
  findOverlap(coverage: TemplateCoverage, server: string): TemplateClaim | undefined {
    for (const claim of this.#byName.values()) {
      if (claim.server !== server && mayOverlap(claim, coverage)) return claim;
    }
    return undefined;
  }

  /** Yields all templates. */
  values(): Iterable<TemplateClaim> {
    return this.#byName.values();
  }

  /** Each server has its own steps, so the templates of one server do not affect another server. */
  #compare(
    candidates: Iterable<TemplateClaim>,
    matches: (claim: TemplateClaim, budget: StepBudget) => boolean,
  ): readonly TemplateClaim[] {
    const budgets = new Map<string, StepBudget>();
    const found: TemplateClaim[] = [];
    for (const claim of candidates) {
      const budget = budgets.get(claim.server) ?? { left: MAX_STEPS };
      budgets.set(claim.server, budget);
      const before = budget.left;
      if (matches(claim, budget)) found.push(claim);
      this.#steps += 1 + before - budget.left;
    }
    return found;
  }

  #stored(
    store: Map<string, readonly TemplateClaim[]>,
    uri: string,
    compute: () => readonly TemplateClaim[],
  ): readonly TemplateClaim[] {
    const known = store.get(uri);
    if (known !== undefined) return known;
    const claims = compute();
    if (uri.length > MAX_STORED_CHARS) return claims;
    if (store.size >= MAX_STORED) store.clear();
    store.set(uri, claims);
    return claims;
  }

  #forget(): void {
    this.#covering.clear();
    this.#resembling.clear();
    this.#reading.clear();
  }
}

/** Templates by the first characters of a prefix. */
class PrefixIndex {
  readonly #prefixOf: (claim: TemplateClaim) => string;
  readonly #byPrefix = new Map<string, Set<TemplateClaim>>();
  /** Number of templates, keyed by the length of their key in `#byPrefix`. */
  readonly #lengths = new Map<number, number>();

  constructor(prefixOf: (claim: TemplateClaim) => string) {
    this.#prefixOf = prefixOf;
  }

  add(claim: TemplateClaim): void {
    const key = this.#keyOf(claim);
    const same = this.#byPrefix.get(key) ?? new Set();
    this.#byPrefix.set(key, same.add(claim));
    this.#lengths.set(key.length, (this.#lengths.get(key.length) ?? 0) + 1);
  }

  delete(claim: TemplateClaim): void {
    const key = this.#keyOf(claim);
    const same = this.#byPrefix.get(key);
    same?.delete(claim);
    if (same?.size === 0) this.#byPrefix.delete(key);
    const left = (this.#lengths.get(key.length) ?? 1) - 1;
    if (left === 0) this.#lengths.delete(key.length);
    else this.#lengths.set(key.length, left);
  }

  /** Yields the templates whose indexed characters a text starts with. */
  *startsOf(text: string): Generator<TemplateClaim, void> {
    for (const length of this.#lengths.keys()) {
      if (text.length >= length) yield* this.#byPrefix.get(text.slice(0, length)) ?? [];
    }
  }

  #keyOf(claim: TemplateClaim): string {
    return this.#prefixOf(claim).slice(0, MAX_INDEXED_CHARS);
  }
}
