/**
 * The items that are registered with the gateway's own server. These items precede the items of all
 * other servers.
 *
 * @module
 */

import type { ServerRegistration } from "../server/registration.ts";
import type { ItemKind } from "./items.ts";
import { REGISTERED_KINDS } from "./owner_store.ts";
import type { Holder } from "./owners.ts";
import { coverageOf, mayOverlap, type TemplateCoverage } from "../server/template_coverage.ts";

/** Key of the gateway's own server in clashes. */
export const OWN_SERVER = "";

/** The items of the gateway's own server. */
export class OwnItems {
  #server: ServerRegistration | undefined;
  readonly #coverage = new Map<string, TemplateCoverage>();

  /** Sets the server. */
  attach(server: ServerRegistration): void {
    this.#server = server;
  }

  /**
   * Returns the item of the gateway's own server that prevents another server from offering an
   * item.
   */
  clash(kind: ItemKind, name: string): Holder | undefined {
    if (this.#names(kind)?.has(name)) return toHolder(kind, name);
    if (kind === "resources") return this.#templateOver(name);
    return kind === "templates" ? this.#overlapWith(name) : undefined;
  }

  #templateOver(uri: string): Holder | undefined {
    for (const template of this.#names("templates")?.names() ?? []) {
      if (this.#coverageOf(template).covers(uri)) return toHolder("templates", template);
    }
    return undefined;
  }

  #overlapWith(uriTemplate: string): Holder | undefined {
    const coverage = coverageOf(uriTemplate);
    for (const template of this.#names("templates")?.names() ?? []) {
      if (mayOverlap(coverage, this.#coverageOf(template))) return toHolder("templates", template);
    }
    for (const uri of this.#names("resources")?.names() ?? []) {
      if (coverage.covers(uri)) return toHolder("resources", uri);
    }
    return undefined;
  }

  #names(kind: ItemKind): ReturnType<ServerRegistration["registered"]> | undefined {
    return this.#server?.registered(REGISTERED_KINDS[kind]);
  }

  #coverageOf(uriTemplate: string): TemplateCoverage {
    const known = this.#coverage.get(uriTemplate);
    if (known !== undefined) return known;
    const coverage = coverageOf(uriTemplate);
    this.#coverage.set(uriTemplate, coverage);
    return coverage;
  }
}

function toHolder(ownerKind: ItemKind, ownerName: string): Holder {
  return { owner: OWN_SERVER, ownerKind, ownerName };
}
