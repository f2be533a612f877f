/**
 * The messages that an AG-UI client displays.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { AgUiMessage } from "./ag_ui_events.ts";

/**
 * Tracks the messages that a client displays: the messages that the client has sent, and the
 * messages of the current run. The client's messages are used only to send them back to the same
 * client, and to avoid sending a message twice.
 */
export class ShownMessages {
  /**
   * Whether all messages that the client displays are known. If some messages are unknown, a
   * snapshot could remove them by mistake.
   */
  readonly isComplete: boolean;
  /** Messages, keyed by id, in order. */
  readonly #messages = new Map<string, AgUiMessage>();
  /** Ids of the messages that contain the tool calls, keyed by tool call id. */
  readonly #calls = new Map<string, string>();
  /** Ids of the tool calls that have a result. */
  readonly #results = new Set<string>();
  /** Ids of the messages that the client has sent. */
  readonly #ofClient: ReadonlySet<string>;

  constructor(clientMessages: readonly JsonObject[] | undefined) {
    this.isComplete = clientMessages !== undefined;
    for (const message of clientMessages ?? []) this.add(message);
    this.#ofClient = new Set(this.#messages.keys());
  }

  /** Returns true if the client displays a message with this id. */
  has(messageId: string): boolean {
    return this.#messages.has(messageId);
  }

  /** Returns true if the client displays the tool call. */
  hasCall(toolCallId: string): boolean {
    return this.#calls.has(toolCallId);
  }

  /** Returns true if the client displays the result of the tool call. */
  hasResult(toolCallId: string): boolean {
    return this.#results.has(toolCallId);
  }

  /** Adds a complete message. A message without an id is ignored. */
  add(message: AgUiMessage): void {
    const { id, role, toolCallId, toolCalls } = message;
    if (typeof id !== "string") return;
    this.#messages.set(id, message);
    if (role === "tool" && typeof toolCallId === "string") this.#results.add(toolCallId);
    if (!Array.isArray(toolCalls)) return;
    for (const call of toolCalls) {
      if (isRecord(call) && typeof call.id === "string") this.#calls.set(call.id, id);
    }
  }

  /** Adds a tool call from a message that is not complete yet. */
  addCall(toolCallId: string, messageId: string): void {
    this.#calls.set(toolCallId, messageId);
  }

  /** Removes the tool calls of a message. */
  removeCallsOf(messageId: string): void {
    for (const [id, parent] of this.#calls) if (parent === messageId) this.#calls.delete(id);
  }

  /**
   * Removes a message that the client has sent. Returns false if the client has not sent a message
   * with this id.
   */
  removeOfClient(messageId: string): boolean {
    if (!this.#ofClient.has(messageId) || !this.#messages.delete(messageId)) return false;
    this.removeCallsOf(messageId);
    return true;
  }

  /** Removes a message. */
  remove(messageId: string): void {
    this.#messages.delete(messageId);
  }

  /** Returns the complete messages. */
  toArray(): AgUiMessage[] {
    return [...this.#messages.values()];
  }
}
