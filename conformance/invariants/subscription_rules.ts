/**
 * Rules on the subscriptions of modern protocol versions.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { type Asked, type Dialogue, metaOf, paramsOf, type Seen } from "./dialogue.ts";

const MODERN = "2026-07-28";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** Member of the filter that each change notification needs. */
const FILTERS: ReadonlyMap<unknown, string> = new Map([
  ["notifications/tools/list_changed", "toolsListChanged"],
  ["notifications/prompts/list_changed", "promptsListChanged"],
  ["notifications/resources/list_changed", "resourcesListChanged"],
  ["notifications/resources/updated", "resourceSubscriptions"],
]);

/** Finds violations of the rules on the notifications of subscriptions. */
export class SubscriptionRules {
  /** Requests whose subscription has been acknowledged. */
  readonly #acknowledged: WeakSet<Asked> = new WeakSet();

  /**
   * Finds notifications that belong to no subscription, come before its acknowledgment or were not
   * asked for. Returns `undefined` for other messages.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
   */
  find({ message, version }: Seen, dialogue: Dialogue): readonly string[] | undefined {
    const { method } = message;
    const filter = FILTERS.get(method);
    if (version !== MODERN || (filter === undefined && method !== ACKNOWLEDGED)) return undefined;
    const id = metaOf(message)[SUBSCRIPTION];
    const asked = dialogue.askedWithId("kit", id);
    if (asked?.method !== "subscriptions/listen") {
      return [`"${String(method)}" with the subscription ${show(id)}, which does not exist`];
    }
    if (method === ACKNOWLEDGED) {
      const isSecond = this.#acknowledged.has(asked);
      this.#acknowledged.add(asked);
      return isSecond ? [`a second acknowledgment of the subscription ${show(id)}`] : [];
    }
    if (!this.#acknowledged.has(asked)) {
      return [`"${String(method)}" before the acknowledgment of the subscription ${show(id)}`];
    }
    return isWanted(asked, filter) ? [] : [`"${String(method)}", which was not requested`];
  }
}

function isWanted({ message }: Asked, filter: string | undefined): boolean {
  const { notifications } = paramsOf(message);
  const value = isObject(notifications) && filter !== undefined ? notifications[filter] : undefined;
  return value === true || (Array.isArray(value) && value.length > 0);
}
