/**
 * Conversations that are validated once, although many runs continue them.
 *
 * @module
 */

import { escapeText } from "@parley/internal/escape-text";
import type { MessageInput, ModelMessage } from "../shared/model.ts";
import { findViolationFrom } from "../shared/transcript.ts";
import { readSingleMessages } from "./conversation.ts";
import type { CallIds } from "./response.ts";

/** The digest of the first messages of a conversation. */
export interface Digested {
  readonly count: number;
  readonly digest: string;
}

/**
 * A valid conversation. Validation takes time for each message, which the runs of a session would
 * spend again and again for the same messages: at 10,000 messages, it takes longer than the rest of
 * a short run.
 */
export class Conversation {
  /** The messages. No message of a conversation that is extended can change. */
  readonly messages: readonly ModelMessage[];
  /**
   * The index of the message of each tool call, keyed by its id. Shared with the conversations that
   * extend this one, so it also contains calls of later messages.
   */
  readonly #calls: Map<string, number>;
  readonly #callCount: number;
  /** The digest of the first messages, set by `digestOfConversation`. */
  digested: Digested;

  /**
   * Creates a conversation from messages that form a valid conversation.
   *
   * @param extended Conversation that consists of the first messages.
   */
  constructor(
    messages: readonly ModelMessage[],
    calls: Map<string, number>,
    extended?: Conversation,
  ) {
    this.messages = messages;
    this.#calls = calls;
    this.#callCount = calls.size;
    this.digested = extended?.digested ?? { count: 0, digest: "" };
  }

  /** Returns true if the conversation contains a tool call with this id. */
  hasCall(id: string): boolean {
    if (this.#calls.size === 0) return false;
    return (this.#calls.get(id) ?? Infinity) < this.messages.length;
  }

  /** Copies the tool calls, unless no later conversation has added others. */
  callsToExtend(): Map<string, number> {
    if (this.#calls.size === this.#callCount) return this.#calls;
    return new Map([...this.#calls].filter(([id]) => this.hasCall(id)));
  }
}

/** An empty conversation. */
export function emptyConversation(): Conversation {
  return new Conversation([], new Map());
}

/** The conversations of sessions, keyed by their messages, which the session passes to runs. */
const KNOWN: WeakMap<readonly MessageInput[], Conversation> = new WeakMap();

/**
 * Validates the conversation that a run continues, unless it was validated before. Replaces string
 * content with a text part.
 *
 * @throws {TypeError} If the value is not an array of messages, a part has no valid content, or a
 * tool call has no result.
 */
export function readConversation(messages: readonly MessageInput[]): Conversation {
  return KNOWN.get(messages) ??
    validate(readSingleMessages("messages", messages), new Map());
}

/**
 * Adds messages to a conversation, validates them and freezes them. A run that continues the
 * resulting messages does not validate them again.
 *
 * @throws {TypeError} As {@linkcode readConversation}.
 */
export function extendConversation(
  conversation: Conversation,
  added: readonly MessageInput[],
): Conversation {
  const { messages: earlier } = conversation;
  if (added.length === 0 && KNOWN.has(earlier)) return conversation;
  const messages = earlier.concat(readSingleMessages("messages", added));
  const extended = validate(messages, conversation.callsToExtend(), conversation);
  for (let index = earlier.length; index < messages.length; index++) freezeAll(messages[index]);
  KNOWN.set(messages, extended);
  return extended;
}

function validate(
  messages: readonly ModelMessage[],
  calls: Map<string, number>,
  extended?: Conversation,
): Conversation {
  const violation = findViolationFrom(messages, extended?.messages.length ?? 0, calls);
  if (violation === undefined) return new Conversation(messages, calls, extended);
  throw new TypeError(escapeText(`"messages" must be a valid conversation: ${violation}`));
}

/** Freezes a value and all values in it, except bytes and URLs, which cannot be frozen. */
function freezeAll(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (ArrayBuffer.isView(value) || value instanceof URL) return;
  for (const member of Object.values(value)) freezeAll(member);
  Object.freeze(value);
}

/** The ids of the tool calls in a run: those of the conversation that it continues, and its own. */
export class RunCallIds implements CallIds {
  readonly #conversation: Conversation;
  readonly #own = new Map<string, number>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  has(id: string): boolean {
    return this.#own.has(id) || this.#conversation.hasCall(id);
  }

  get(id: string): number | undefined {
    return this.#own.get(id) ?? (this.#conversation.hasCall(id) ? 1 : undefined);
  }

  set(id: string, copy: number): void {
    this.#own.set(id, copy);
  }

  delete(id: string): void {
    this.#own.delete(id);
  }
}
