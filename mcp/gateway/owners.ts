/**
 * Owners of the names, URIs and URI templates that servers offer. The first server that lists an
 * item owns it, even while the server is down or no longer lists the item.
 *
 * @module
 */

import type { Item, ItemKind, Items } from "./items.ts";
import { coverageOf } from "../server/template_coverage.ts";
import { canonicalUri, type ComparedUri, mayRead, toListed } from "../server/uri_resemblance.ts";
import { type TemplateClaim, TemplateClaims } from "./template_claims.ts";

/** The right of a server to offer an item. */
export interface Claim {
  readonly kind: ItemKind;
  /**
   * Name of the tool or prompt at the gateway, URI of the resource, or URI template of the resource
   * template.
   */
  readonly name: string;
  /** Key of the server. */
  readonly server: string;
  /** The server's own name for the item. */
  readonly ownName: string;
}

/** An item that is omitted because a different server owns it or an item that overlaps with it. */
export interface Clash {
  readonly kind: ItemKind;
  /** Name of the omitted item. */
  readonly name: string;
  /** Key of the server that lists the omitted item. */
  readonly server: string;
  /** Key of the server that owns the other item. */
  readonly owner: string;
  /** Kind of the other item. */
  readonly ownerKind: ItemKind;
  /** Name of the other item, which differs from `name` if a URI template covers a URI. */
  readonly ownerName: string;
}

/** The other item of a clash. */
export type Holder = Pick<Clash, "owner" | "ownerKind" | "ownerName">;

/** Result of {@linkcode Owners.update}. */
export interface OwnersUpdate {
  /** The items that the server offers. */
  readonly offered: Items;
  /** The items that the server lists and must not offer. */
  readonly clashes: readonly Clash[];
  /** Whether the server has claimed items that it did not own before. */
  readonly hasNewClaims: boolean;
}

/**
 * Maximum number of steps for the comparison of one template with the resources of other servers.
 * Beyond it, the template covers each URI that starts with its prefix.
 */
const MAX_STEPS = 100_000;

/** Steps for each character of a URI that is converted to its canonical form. */
const STEPS_PER_CHAR = 0.1;

/**
 * Maximum number of characters of the names and URIs of one server's claims, twice the number of
 * characters that a server can list.
 */
const MAX_CLAIMED_CHARS = 16_777_216;

const KINDS = ["tools", "prompts", "templates", "resources"] as const;

/**
 * The claims of several servers. With a parent, the claims of the parent's servers precede: a
 * server cannot claim an item that a server of the parent owns.
 */
export class Owners {
  readonly #maxClaims: number;
  readonly #parent: Owners | undefined;
  readonly #claims: Readonly<Record<ItemKind, Map<string, Claim>>> = {
    tools: new Map(),
    prompts: new Map(),
    resources: new Map(),
    templates: new Map(),
  };
  readonly #templates = new TemplateClaims();
  /** Claimed resources, keyed by the canonical form of their URI. */
  readonly #byCanonicalUri = new Map<string, Set<Claim>>();
  /** Claimed resources, keyed by the base of their URI. */
  readonly #byBase = new Map<string, Set<Claim>>();
  /** Compared forms of the URIs of the claimed resources. */
  readonly #compared = new Map<string, ComparedUri>();
  #steps = 0;
  /** Claims of each server. The claims that the server has not listed the longest come first. */
  readonly #byServer = new Map<string, Set<Claim>>();
  /** Number of characters of each server's claims. */
  readonly #chars = new Map<string, number>();
  readonly #clashes = new Map<string, readonly Clash[]>();

  /**
   * Creates a collection without claims.
   *
   * @param maxClaims Maximum number of claims of one server, at least the number of items that a
   * server can list. Beyond it, claims of items that the server no longer lists are dropped.
   * @param parent Owners whose claims precede.
   */
  constructor(maxClaims: number, parent?: Owners) {
    this.#maxClaims = maxClaims;
    this.#parent = parent;
  }

  /** Items that servers list and must not offer. */
  get clashes(): readonly Clash[] {
    return Array.from(this.#clashes.values()).flat();
  }

  /** All claims, without those of the parent. */
  get claims(): readonly Claim[] {
    return Array.from(this.#byServer.values()).flatMap((claims) => [...claims]);
  }

  /** Adds stored claims. A claim of an item that already has an owner is ignored. */
  restore(claims: readonly Claim[]): void {
    for (const claim of claims) {
      const { kind, name, server } = claim;
      if (this.get(kind, name) === undefined && !this.clash(kind, name, server)) this.#add(claim);
    }
  }

  /** Number of steps of all comparisons of URIs so far. */
  get steps(): number {
    return this.#steps + this.#templates.steps + (this.#parent?.steps ?? 0);
  }

  /** Claims the items that a server lists, except those that other servers own. */
  update(server: string, items: Items): OwnersUpdate {
    const update = this.updating(server, items);
    let step = update.next();
    while (step.done !== true) step = update.next();
    return step.value;
  }

  /** Like {@linkcode Owners.update}, but yields after each item, so that the caller can pause. */
  *updating(server: string, items: Items): Generator<void, OwnersUpdate> {
    this.#touch(server, items);
    const clashes: Clash[] = [];
    let hasNewClaims = false;
    const claims = this.#claims;
    const holderOf = (kind: ItemKind, name: string): Holder | undefined =>
      this.#holderOf(kind, name, server);
    const add = (claim: Claim): void => this.#add(claim);
    function* claimAll(kind: ItemKind): Generator<void, ReadonlyMap<string, Item>> {
      const offered = new Map<string, Item>();
      for (const [name, item] of items[kind]) {
        yield;
        if (claims[kind].get(name)?.server !== server) {
          const holder = holderOf(kind, name);
          if (holder !== undefined) {
            clashes.push({ kind, name, server, ...holder });
            continue;
          }
          add({ kind, name, server, ownName: item.name });
          hasNewClaims = true;
        }
        offered.set(name, item);
      }
      return offered;
    }
    const [tools, prompts] = [yield* claimAll("tools"), yield* claimAll("prompts")];
    // A server's own templates are claimed before its resources, which the templates may cover.
    const templates = yield* claimAll("templates");
    const resources = yield* claimAll("resources");
    this.#clashes.set(server, clashes);
    return { offered: { tools, prompts, templates, resources }, clashes, hasNewClaims };
  }

  /** Returns the claim of an item. */
  get(kind: ItemKind, name: string): Claim | undefined {
    return this.#claims[kind].get(name) ?? this.#parent?.get(kind, name);
  }

  /**
   * Returns the claims of the only server that may read a URI: the claim of the resource, if any,
   * then the claims of the templates that cover the URI.
   */
  readers(uri: string): readonly Claim[] {
    const templates = Array.from(this.#templates.covering(uri), ({ name }) => name);
    const own = [
      this.#claims.resources.get(uri) ?? [],
      ...templates.map((name) => this.#claims.templates.get(name) ?? []),
    ].flat();
    return own.length > 0 ? own : this.#parent?.readers(uri) ?? [];
  }

  /**
   * Yields the claims, of all servers, of the templates that cover a URI and of the resources with
   * this URI. URIs that a server may treat as equal count as the same URI.
   */
  *resembling(uri: string): Generator<Claim, void> {
    for (const { name } of this.#templates.resembling(uri)) {
      const claim = this.#claims.templates.get(name);
      if (claim !== undefined) yield claim;
    }
    yield* this.#byCanonicalUri.get(this.#canonicalOf(uri)) ?? [];
    if (this.#parent !== undefined) yield* this.#parent.resembling(uri);
  }

  /**
   * Yields the claims, of all servers, of the resources and templates that a server may read for a
   * URI that is not listed, because it treats URIs as equal or ignores parts of them.
   */
  *readFor(uri: ComparedUri): Generator<Claim, void> {
    for (const { name } of this.#templates.reading(uri)) {
      const claim = this.#claims.templates.get(name);
      if (claim !== undefined) yield claim;
    }
    yield* this.#byCanonicalUri.get(uri.canonical) ?? [];
    for (const claim of this.#byBase.get(uri.base) ?? []) {
      this.#steps += 0.1;
      const listed = this.#compared.get(claim.name);
      if (listed === undefined || mayRead(uri, listed)) yield claim;
    }
    if (this.#parent !== undefined) yield* this.#parent.readFor(uri);
  }

  /** Yields the claims, of all servers, of the templates whose prefix a URI starts with. */
  *templatesBefore(uri: ComparedUri): Generator<Claim, void> {
    for (const { name } of this.#templates.before(uri)) {
      const claim = this.#claims.templates.get(name);
      if (claim !== undefined) yield claim;
    }
    if (this.#parent !== undefined) yield* this.#parent.templatesBefore(uri);
  }

  /** Yields the claims of one kind, of all servers. */
  *all(kind: ItemKind): Generator<Claim, void> {
    yield* this.#claims[kind].values();
    if (this.#parent !== undefined) yield* this.#parent.all(kind);
  }

  /**
   * Returns the item that prevents a server from offering an item, without the claims of the
   * parent. An item of the parent's servers clashes if it was claimed after the other item.
   */
  clash(kind: ItemKind, name: string, server: string): Holder | undefined {
    const claim = this.#claims[kind].get(name);
    if (claim !== undefined) return claim.server === server ? undefined : toHolder(claim);
    if (kind === "resources") return this.#resourceOver(name, server);
    return kind === "templates" ? this.#overlapWith(name, server) : undefined;
  }

  #holderOf(kind: ItemKind, name: string, server: string): Holder | undefined {
    return this.#parent?.clash(kind, name, server) ?? this.clash(kind, name, server);
  }

  /**
   * Returns the template of a different server that covers a URI, or the resource of a different
   * server with the URI. URIs that a server may treat as equal count as the same URI.
   */
  #resourceOver(uri: string, server: string): Holder | undefined {
    for (const claim of this.#templates.resembling(uri)) {
      if (claim.server !== server) return toTemplateHolder(claim);
    }
    for (const claim of this.#byCanonicalUri.get(this.#canonicalOf(uri)) ?? []) {
      if (claim.server !== server) return toHolder(claim);
    }
    return undefined;
  }

  /** Returns a template or resource of a different server that a template may cover. */
  #overlapWith(uriTemplate: string, server: string): Holder | undefined {
    const coverage = coverageOf(uriTemplate);
    const other = this.#templates.findOverlap(coverage, server);
    if (other !== undefined) return toTemplateHolder(other);
    const budget = { left: MAX_STEPS };
    let covered: Claim | undefined;
    for (const claim of this.#claims.resources.values()) {
      const { server: owner, name: uri } = claim;
      const canonical = this.#canonicalOf(uri);
      if (owner === server || !coverage.resembles({ uri, canonical }, budget)) continue;
      covered = claim;
      break;
    }
    this.#steps += MAX_STEPS - budget.left + this.#claims.resources.size / 10;
    return covered && toHolder(covered);
  }

  /**
   * Moves the claims of the items that a server lists behind its other claims, and updates the
   * server's own names of the items.
   */
  #touch(server: string, items: Items): void {
    const own = this.#byServer.get(server);
    if (own === undefined) return;
    for (const kind of KINDS) {
      for (const [name, { name: ownName }] of items[kind]) {
        const claim = this.#claims[kind].get(name);
        if (claim?.server !== server) continue;
        if (claim.ownName === ownName) {
          if (own.delete(claim)) own.add(claim);
        } else {
          this.#delete(claim, own);
          this.#add({ ...claim, ownName });
        }
      }
    }
  }

  #add(claim: Claim): void {
    const { kind, name, server } = claim;
    const own = this.#byServer.get(server) ?? new Set();
    this.#byServer.set(server, own.add(claim));
    this.#claims[kind].set(name, claim);
    if (kind === "templates") this.#templates.add(name, server);
    if (kind === "resources") {
      const compared = toListed(name);
      this.#steps += name.length * STEPS_PER_CHAR;
      this.#compared.set(name, compared);
      addTo(this.#byCanonicalUri, compared.canonical, claim);
      addTo(this.#byBase, compared.base, claim);
    }
    let chars = (this.#chars.get(server) ?? 0) + charsOf(claim);
    this.#chars.set(server, chars);
    for (const oldest of own) {
      if (own.size <= this.#maxClaims && chars <= MAX_CLAIMED_CHARS) break;
      this.#delete(oldest, own);
      chars -= charsOf(oldest);
    }
  }

  #delete(claim: Claim, own: Set<Claim>): void {
    const { kind, name, server } = claim;
    own.delete(claim);
    this.#chars.set(server, (this.#chars.get(server) ?? 0) - charsOf(claim));
    this.#claims[kind].delete(name);
    if (kind === "templates") this.#templates.delete(name);
    const compared = this.#compared.get(name);
    if (kind !== "resources" || compared === undefined) return;
    this.#compared.delete(name);
    deleteFrom(this.#byCanonicalUri, compared.canonical, claim);
    deleteFrom(this.#byBase, compared.base, claim);
  }

  #canonicalOf(uri: string): string {
    const known = this.#compared.get(uri);
    if (known !== undefined) return known.canonical;
    this.#steps += uri.length * STEPS_PER_CHAR;
    return canonicalUri(uri);
  }
}

function addTo(index: Map<string, Set<Claim>>, key: string, claim: Claim): void {
  const same = index.get(key) ?? new Set();
  index.set(key, same.add(claim));
}

function deleteFrom(index: Map<string, Set<Claim>>, key: string, claim: Claim): void {
  const same = index.get(key);
  same?.delete(claim);
  if (same?.size === 0) index.delete(key);
}

function charsOf({ name, ownName }: Claim): number {
  return name.length + (ownName === name ? 0 : ownName.length);
}

function toHolder({ server, kind, name }: Claim): Holder {
  return { owner: server, ownerKind: kind, ownerName: name };
}

function toTemplateHolder({ server, name }: TemplateClaim): Holder {
  return { owner: server, ownerKind: "templates", ownerName: name };
}
