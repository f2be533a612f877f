/**
 * Owners of the names, URIs and URI templates that servers offer. The first server that lists an
 * item owns it, even while the server is down or no longer lists the item.
 *
 * @module
 */

import type { Item, ItemKind, Items } from "./items.ts";
import { coverageOf, type TemplateClaim, TemplateClaims } from "./template_claims.ts";

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
  /** Claims of each server. The claims that the server has not listed the longest come first. */
  readonly #byServer = new Map<string, Set<Claim>>();
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

  /** Claims the items that a server lists, except those that other servers own. */
  update(server: string, items: Items): OwnersUpdate {
    this.#touch(server, items);
    const clashes: Clash[] = [];
    let hasNewClaims = false;
    const claimAll = (kind: ItemKind): ReadonlyMap<string, Item> => {
      const offered = new Map<string, Item>();
      for (const [name, item] of items[kind]) {
        if (this.#claims[kind].get(name)?.server !== server) {
          const holder = this.#holderOf(kind, name, server);
          if (holder !== undefined) {
            clashes.push({ kind, name, server, ...holder });
            continue;
          }
          this.#add({ kind, name, server, ownName: item.name });
          hasNewClaims = true;
        }
        offered.set(name, item);
      }
      return offered;
    };
    const [tools, prompts] = [claimAll("tools"), claimAll("prompts")];
    // A server's own templates are claimed before its resources, which the templates may cover.
    const templates = claimAll("templates");
    const resources = claimAll("resources");
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

  /** Yields the claims of all templates that cover a URI, of all servers. */
  *covering(uri: string): Generator<Claim, void> {
    for (const { name } of this.#templates.covering(uri)) {
      const claim = this.#claims.templates.get(name);
      if (claim !== undefined) yield claim;
    }
    if (this.#parent !== undefined) yield* this.#parent.covering(uri);
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
    if (kind === "resources") return this.#templateOver(name, server);
    return kind === "templates" ? this.#overlapWith(name, server) : undefined;
  }

  #holderOf(kind: ItemKind, name: string, server: string): Holder | undefined {
    return this.#parent?.clash(kind, name, server) ?? this.clash(kind, name, server);
  }

  /** Returns the template of a different server that covers a URI. */
  #templateOver(uri: string, server: string): Holder | undefined {
    for (const claim of this.#templates.covering(uri)) {
      if (claim.server !== server) return toTemplateHolder(claim);
    }
    return undefined;
  }

  /** Returns a template or resource of a different server that a template may cover. */
  #overlapWith(uriTemplate: string, server: string): Holder | undefined {
    const { prefix, covers } = coverageOf(uriTemplate);
    const other = this.#templates.findOverlap(prefix, server);
    if (other !== undefined) return toTemplateHolder(other);
    for (const claim of this.#claims.resources.values()) {
      if (claim.server !== server && covers(claim.name)) return toHolder(claim);
    }
    return undefined;
  }

  /** Moves the claims of the items that a server lists behind its other claims. */
  #touch(server: string, items: Items): void {
    const own = this.#byServer.get(server);
    if (own === undefined) return;
    for (const kind of KINDS) {
      for (const name of items[kind].keys()) {
        const claim = this.#claims[kind].get(name);
        if (claim?.server === server && own.delete(claim)) own.add(claim);
      }
    }
  }

  #add(claim: Claim): void {
    const { kind, name, server } = claim;
    const own = this.#byServer.get(server) ?? new Set();
    this.#byServer.set(server, own.add(claim));
    this.#claims[kind].set(name, claim);
    if (kind === "templates") this.#templates.add(name, server);
    if (own.size <= this.#maxClaims) return;
    const [oldest] = own;
    if (oldest === undefined) return;
    own.delete(oldest);
    this.#claims[oldest.kind].delete(oldest.name);
    if (oldest.kind === "templates") this.#templates.delete(oldest.name);
  }
}

function toHolder({ server, kind, name }: Claim): Holder {
  return { owner: server, ownerKind: kind, ownerName: name };
}

function toTemplateHolder({ server, name }: TemplateClaim): Holder {
  return { owner: server, ownerKind: "templates", ownerName: name };
}
