/**
 * Messages that are neither requests nor replies.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { abortable } from "@parley/internal/abortable";
import { Quota } from "@parley/internal/quota";
import type { MessageVerifier } from "../signing/verifier.ts";
import { ownerOf } from "../shared/party.ts";
import { tooManyMessages } from "./peer_error.ts";

/** Options for {@linkcode OtherMessages}. */
export interface OtherMessagesInit {
  readonly verifier: MessageVerifier;
  readonly onMessage: (message: AgentCommMessage) => void | Promise<void>;
  /** Maximum number of concurrent calls to `onMessage`. */
  readonly maxServing: number;
  /** Maximum number of concurrent calls to `onMessage` with messages from one sender. */
  readonly maxServingPerSender: number;
  /** Called with each message after `onMessage` has returned. */
  readonly onEnd: (message: AgentCommMessage) => void;
  /** Called with errors that `onMessage` throws. */
  readonly report: (error: unknown) => void;
}

/** Calls `onMessage` with verified messages. */
export class OtherMessages {
  readonly #init: OtherMessagesInit;
  readonly #calls: Quota;

  constructor(init: OtherMessagesInit) {
    const { maxServing, maxServingPerSender } = init;
    this.#init = init;
    this.#calls = new Quota(maxServing, (maxServingPerSender + 0.5) / maxServing);
  }

  /**
   * Verifies a message and calls `onMessage`, without waiting for its promise, because the peer
   * must continue to receive messages.
   *
   * A message above the limits is not added to the replay store, so the sender can send it again.
   * Only verified messages count toward the limits.
   */
  async process(message: AgentCommMessage, signal: AbortSignal): Promise<void> {
    this.#assertCapacity(message);
    const result = await this.#init.verifier.begin(message, { signal });
    if (result.ok !== true) throw result.error;
    try {
      // Other messages can have been verified in the meantime.
      this.#assertCapacity(message);
    } catch (error) {
      await abortable(result.abort(), signal);
      throw error;
    }
    const owner = ownerOf(message.sender);
    this.#calls.take(1, owner);
    try {
      await abortable(result.commit(), signal);
    } catch (error) {
      this.#calls.take(-1, owner);
      throw error;
    }
    this.#call(message);
  }

  #assertCapacity({ sender }: AgentCommMessage): void {
    if (!this.#calls.has(1, ownerOf(sender))) throw tooManyMessages(this.#init.maxServing);
  }

  async #call(message: AgentCommMessage): Promise<void> {
    const { onMessage, onEnd, report } = this.#init;
    try {
      await onMessage(message);
    } catch (error) {
      report(error);
    } finally {
      this.#calls.take(-1, ownerOf(message.sender));
      onEnd(message);
    }
  }
}
