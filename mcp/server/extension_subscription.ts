/**
 * Client subscriptions to notifications from server extensions.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { MethodContext } from "./request_context.ts";

/** An extension's subscription on one subscription stream. */
export interface ExtensionSubscription {
  /**
   * Accepted part of the subscription filter. The acknowledgment that the client receives contains
   * only the accepted part of the filter.
   */
  readonly accepted: JsonObject;
  /** Called when the subscription stream ends. */
  stop(): void;
}

/**
 * Reads the parameters of a notification when it is sent, so that a stream which the client does
 * not read holds no parameters. Resolves to `undefined` if there is nothing to send. If it rejects,
 * the subscription stream fails.
 */
export type NotificationReader = () => Promise<JsonObject | undefined>;

/**
 * Sends a notification. If the client reads slowly, only the latest unsent notification per method
 * and subject is kept. Pass a function instead of large parameters.
 */
export type SendExtensionNotification = (
  method: string,
  subject: string,
  params: JsonObject | NotificationReader,
) => void;

/** Client that a subscription belongs to. */
export type Subscriber = Pick<MethodContext, "client" | "principal" | "signal">;

/** Returns `false` if an extension does not accept the subscription to a resource. */
export function acceptsResource({ accepted }: ExtensionSubscription, uri: string): boolean {
  const { resourceSubscriptions: uris } = accepted;
  return !Array.isArray(uris) || uris.includes(uri);
}
