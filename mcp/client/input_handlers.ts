/**
 * The client's side of questions: handlers that ask its user, its model, its roots.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import type { ClientCapabilities } from "../protocol/capabilities.ts";
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitForm,
  ElicitResult,
  ElicitUrl,
  Root,
} from "../protocol/input_request.ts";
import type { ClientExtension } from "./extension.ts";

/** Answers what servers ask. What has a handler is offered to servers; the rest they are not allowed to ask. */
export interface InputHandlers {
  /**
   * Asks the user: shows a form, or a page to go to. What an accepted form leaves out gets the default of its schema.
   */
  readonly elicit?: (
    params: ElicitForm | ElicitUrl,
    signal: AbortSignal,
  ) => Promise<ElicitResult> | ElicitResult;
  /** Asks the model. Let a person look at it before and after. */
  readonly createMessage?: (
    params: CreateMessageParams,
    signal: AbortSignal,
  ) => Promise<CreateMessageResult> | CreateMessageResult;
  /** Tells the folders that the client works in. */
  readonly listRoots?: (signal: AbortSignal) => Promise<readonly Root[]> | readonly Root[];
}

/** What a client with these handlers offers, and what else it says it does. */
export function capabilitiesOf(
  handlers: InputHandlers,
  more: ClientCapabilities = {},
  extensions: readonly ClientExtension[] = [],
): ClientCapabilities {
  const { elicit, createMessage, listRoots } = handlers;
  return {
    ...(elicit && { elicitation: { form: {}, url: {} } }),
    ...(createMessage && { sampling: {} }),
    ...(listRoots && { roots: {} }),
    ...more,
    ...(extensions.length > 0 && { extensions: { ...more.extensions, ...settingsOf(extensions) } }),
  };
}

function settingsOf(extensions: readonly ClientExtension[]): Record<string, JsonObject> {
  return Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
}
