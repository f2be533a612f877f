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
import { canonicalUri } from "../server/uri_resemblance.ts";

/** Key of the gateway's own server in clashes. */
export const OWN_SERVER = "";

/** The resources and resource templates of the gateway's own server, at one revision. */
interface OwnUris {
  readonly revision: number;
  /** URIs of the resources, keyed by their canonical form. */
  readonly resources: ReadonlyMap<string, string>;
  /** Coverage of the resource templates, keyed by URI template. */
  readonly templates: ReadonlyMap<string, TemplateCoverage>;
}

/** The items of the gateway's own server. */
export class OwnItems {
  #server: ServerRegistration | undefined;
  #uris: OwnUris | undefined;

  /** Sets the server. */
  attach(server: ServerRegistration): void {
    this.#server = server;
  }

  /**
   * Returns the item of the gateway's own server that prevents another server from offering an
   * item. URIs that a server may treat as equal count as the same URI.
   */
  clash(kind: ItemKind, name: string): Holder | undefined {
    if (this.#names(kind)?.has(name)) return toHolder(kind, name);
    const { resources, templates } = this.#ownUris();
    if (resources.size + templates.size === 0) return undefined;
    if (kind === "resources") return resourceOver(name, { resources, templates });
    return kind === "templates" ? overlapWith(name, { resources, templates }) : undefined;
  }

  #ownUris(): OwnUris {
    const resources = this.#names("resources");
    const templates = this.#names("templates");
    const revision = (resources?.revision ?? 0) + (templates?.revision ?? 0);
    if (this.#uris?.revision === revision) return this.#uris;
    return this.#uris = {
      revision,
      resources: new Map(Array.from(resources?.names() ?? [], (uri) => [canonicalUri(uri), uri])),
      templates: new Map(Array.from(templates?.names() ?? [], (name) => [name, coverageOf(name)])),
    };
  }

  #names(kind: ItemKind): ReturnType<ServerRegistration["registered"]> | undefined {
    return this.#server?.registered(REGISTERED_KINDS[kind]);
  }
}

function resourceOver(
  uri: string,
  { resources, templates }: Pick<OwnUris, "resources" | "templates">,
): Holder | undefined {
  const canonical = canonicalUri(uri);
  const same = resources.get(canonical);
  if (same !== undefined) return toHolder("resources", same);
  for (const [template, coverage] of templates) {
    if (coverage.resembles({ uri, canonical })) return toHolder("templates", template);
  }
  return undefined;
}

function overlapWith(
  uriTemplate: string,
  { resources, templates }: Pick<OwnUris, "resources" | "templates">,
): Holder | undefined {
  const coverage = coverageOf(uriTemplate);
  for (const [template, own] of templates) {
    if (mayOverlap(coverage, own)) return toHolder("templates", template);
  }
  for (const [canonical, uri] of resources) {
    if (coverage.resembles({ uri, canonical })) return toHolder("resources", uri);
  }
  return undefined;
}

function toHolder(ownerKind: ItemKind, ownerName: string): Holder {
  return { owner: OWN_SERVER, ownerKind, ownerName };
}
