/**
 * Reads the records of a session.
 *
 * @module
 */

import { CallDeadline, DeadlineScheduler } from "../loop/deadlines.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import {
  encodeRunIdPrefix,
  loadRecords,
  noRecords,
  type ReadRecords,
  readRecords,
  type RecordRules,
  type SessionConversation,
} from "./record.ts";
import type { SessionStore } from "./store.ts";

/** Time that the store may take to load a session after an abort, in milliseconds. */
const LOAD_GRACE_MS = 250;

/** Reads a session before each run. Reads each record once. */
export class SessionReader {
  readonly #id: string;
  readonly #store: SessionStore;
  readonly #rules: RecordRules;
  /** The records that were read last. */
  known: ReadRecords = noRecords();

  constructor(id: string, store: SessionStore, limits: Omit<RecordRules, "runIdAt">) {
    this.#id = id;
    this.#store = store;
    const prefix = encodeRunIdPrefix(id);
    this.#rules = { ...limits, runIdAt: (index) => `${prefix}/${index}` };
  }

  /** @throws {AgentError} With code `core` if the session cannot be loaded. */
  async load(
    signal?: AbortSignal,
  ): Promise<SessionConversation & { readonly length: number }> {
    const deadlines = new DeadlineScheduler(signal);
    try {
      const loading = loadRecords(this.#store, this.#id, this.known);
      const { added, known } = await deadlines.wait(loading, new CallDeadline(0, LOAD_GRACE_MS));
      const { history, messages, values } = this.known = readRecords(known, added, this.#rules);
      return { length: values.length, messages, history };
    } catch (cause) {
      if (signal?.aborted && cause === signal.reason) throw cause;
      const reason = errorMessageOf(cause);
      throw AgentError.core(`Cannot load session "${this.#id}": ${reason}`, { cause });
    } finally {
      deadlines.close();
    }
  }
}
