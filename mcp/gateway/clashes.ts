/**
 * Items that the gateway omits because a different server owns them.
 *
 * @module
 */

import type { RegisteredItem } from "../server/registry.ts";
import { escapeText } from "@parley/internal/escape-text";
import { quote } from "@parley/internal/format-value";
import { REGISTERED_KINDS } from "./owner_store.ts";
import type { Clash } from "./owners.ts";

/** An item that the gateway omits because a different server owns it or an overlapping item. */
export interface GatewayClash extends RegisteredItem {
  /** Key of the server that lists the omitted item. */
  readonly server: string;
  /** Key of the server that owns the other item, or `""` for the gateway's own server. */
  readonly owner: string;
  /**
   * The other item: an item with the same name, a resource template that covers the URI, or an item
   * that the omitted resource template may cover.
   */
  readonly ownerItem: RegisteredItem;
  /** Description of the clash, as reported to `onError`. */
  readonly message: string;
}

/** Maximum number of clashes that are reported only once. */
const MAX_REPORTED = 10_000;

/** Describes clashes and reports each clash once. */
export class ClashReporter {
  readonly #keys: readonly string[];
  readonly #onError: (error: unknown) => void;
  /** Descriptions of the reported clashes, oldest first. */
  readonly #reported = new Set<string>();

  /**
   * Creates a reporter.
   *
   * @param keys Keys of the servers, in order.
   * @param onError Called with an error for each clash.
   */
  constructor(keys: readonly string[], onError: (error: unknown) => void) {
    this.#keys = keys;
    this.#onError = onError;
  }

  /** Reports the clashes that have not been reported yet. */
  report(clashes: readonly Clash[]): void {
    for (const clash of clashes) {
      const text = this.#format(clash);
      if (this.#reported.has(text)) continue;
      this.#reported.add(text);
      for (const oldest of this.#reported) {
        if (this.#reported.size <= MAX_REPORTED) break;
        this.#reported.delete(oldest);
      }
      this.#onError(new Error(text));
    }
  }

  /** Returns descriptions of clashes, each once. */
  describe(clashes: readonly Clash[]): readonly GatewayClash[] {
    const all = new Map(clashes.map((clash) => [this.#format(clash), clash]));
    return Array.from(all, ([message, { kind, name, server, owner, ownerKind, ownerName }]) => ({
      kind: REGISTERED_KINDS[kind],
      name,
      server,
      owner,
      ownerItem: { kind: REGISTERED_KINDS[ownerKind], name: ownerName },
      message,
    }));
  }

  #format({ kind, name, server, owner, ownerKind, ownerName }: Clash): string {
    const other = owner === "" ? "the gateway's own server" : `the server "${owner}"`;
    const item = `the ${REGISTERED_KINDS[ownerKind]} ${quote(ownerName, 200)}`;
    const reason = name === ownerName && kind === ownerKind
      ? `${other} offers it`
      : ownerKind === "templates" && kind === "resources"
      ? `${item} of ${other} covers it`
      : `${item} of ${other} overlaps with it`;
    // A later server owns an item only if it has listed the item first.
    const isLate = this.#keys.indexOf(owner) > this.#keys.indexOf(server);
    const late = isLate ? ` and was loaded before "${server}"` : "";
    return escapeText(
      `Cannot offer the ${REGISTERED_KINDS[kind]} ${quote(name, 200)} of the server "${server}": ` +
        `${reason}${late}; change a prefix, or the order of "upstreams"`,
    );
  }
}
