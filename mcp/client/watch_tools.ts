/**
 * Watches the list of tools for changes.
 *
 * @module
 */

import { Queue } from "../shared/bounded_queue.ts";
import type { McpToolDescriptor } from "../protocol/tool.ts";
import { listTools } from "./methods.ts";
import type { RequestSettings } from "./request_options.ts";
import type { Session } from "./session.ts";
import type { Subscription } from "./subscription.ts";

/**
 * Yields the list of tools, and the new list after each change. The iteration ends when the
 * subscription stream ends.
 */
export async function* watchTools(
  session: Session,
  options: RequestSettings,
): AsyncGenerator<readonly McpToolDescriptor[], void> {
  if (session.server.capabilities.tools?.listChanged !== true) {
    yield await listTools(session, options);
    return;
  }
  const subscription = await session.listen({ toolsListChanged: true }, options);
  try {
    const changes = coalesce(subscription);
    yield await listTools(session, options);
    for await (const _change of changes) yield await listTools(session, options);
  } finally {
    await subscription.close();
  }
}

/** Returns a queue that combines all unread notifications into one item. */
function coalesce(subscription: Subscription): AsyncIterable<true> {
  const changes = new Queue<true>({ capacity: 1 });
  const read = async (): Promise<void> => {
    for await (const _notification of subscription) changes.tryPush(true);
  };
  read().then(() => changes.end(), (error) => changes.end(error));
  return changes;
}
