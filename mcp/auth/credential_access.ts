/**
 * Access of one client to a credential store.
 *
 * @module
 */

import { resolveWithin } from "@parley/internal/timers";
import { abortable } from "@parley/internal/abortable";
import { McpError } from "../shared/error.ts";
import { type CallContext, callWithin } from "@parley/internal/call-within";
import { type CredentialStore, KeyedLock } from "./credential_store.ts";

/** Limits of {@linkcode CredentialAccess}. */
export interface CredentialLimits {
  /** Timeout for loading or saving a value, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Timeout for acquiring a lock, in milliseconds. */
  readonly loginTimeoutMs: number;
  /** Reports an error that no caller receives. */
  readonly report: (error: unknown) => void;
}

/**
 * The locks of each store in this process. Clients share a lock if they share a store object, which
 * only a table outside of the clients can express. The table does not keep a store alive.
 */
const LOCKS = new WeakMap<CredentialStore, KeyedLock>();

/**
 * A credential store with time limits and locks. All functions reject with an {@linkcode McpError}
 * with code `auth_error` if the store fails or does not respond in time.
 */
export class CredentialAccess {
  readonly #store: CredentialStore;
  readonly #limits: CredentialLimits;
  /** Saves that have started and have not ended. */
  readonly #saving = new Set<Promise<unknown>>();

  constructor(store: CredentialStore, limits: CredentialLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** Whether the store has locks that other processes respect. */
  get hasSharedLocks(): boolean {
    return this.#store.lock !== undefined;
  }

  /** Returns functions whose calls end when the signal aborts. */
  bind(signal: AbortSignal): Pick<CredentialStore, "load" | "save"> {
    return {
      load: (key) => this.load(key, signal),
      save: (key, value) => this.save(key, value, signal),
    };
  }

  /** Loads a value. Returns `undefined` if the key does not exist. */
  async load(key: string, signal?: AbortSignal): Promise<string | undefined> {
    const value: unknown = await this.#call("reading from", signal, () => this.#store.load(key));
    // Some stores return `null` for an absent key.
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    // The value is not quoted, because it may be secret.
    throw failure("reading from", { cause: new TypeError(`"load" returned a ${typeof value}`) });
  }

  /**
   * Saves a value. The value is saved even if the signal aborts, because it may be the only copy of
   * a new refresh token. A lock that is held is not released before the save has ended.
   */
  async save(key: string, value: string | undefined, signal?: AbortSignal): Promise<void> {
    const saving = Promise.resolve().then(() => this.#store.save(key, value));
    this.#saving.add(saving);
    const forget = (): void => void this.#saving.delete(saving);
    saving.then(forget, forget);
    await this.#call("writing to", signal, () => saving);
  }

  /**
   * Executes a task while holding the lock of a key, within this process and, if the store has
   * locks, among processes. If the signal aborts, the call rejects immediately, and the lock is
   * released when the task and its saves have ended.
   *
   * @throws The signal's reason if the signal is aborted.
   */
  async withLock<T>(key: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const locked = this.#runInProcess(key, signal, () => this.#runShared(key, signal, task));
    return await abortable(locked, signal);
  }

  /**
   * Executes a task while holding the lock of a key within this process, also while the lock of
   * another key is held.
   *
   * @throws The signal's reason if the signal is aborted.
   */
  async withProcessLock<T>(key: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    return await abortable(this.#runInProcess(key, signal, task), signal);
  }

  async #runInProcess<T>(key: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const locks = LOCKS.get(this.#store) ?? new KeyedLock();
    LOCKS.set(this.#store, locks);
    const own = await this.#acquire(signal, (signal) => locks.acquire(key, signal));
    try {
      return await this.#finish(task);
    } finally {
      await this.#release(own);
    }
  }

  async #runShared<T>(key: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    if (this.#store.lock === undefined) return await task();
    const shared = await this.#acquire(signal, async (signal) => {
      const lock: unknown = await this.#store.lock?.(key, signal);
      if (!isDisposable(lock)) throw new TypeError('"lock" must return an AsyncDisposable');
      return lock;
    });
    try {
      return await this.#finish(task);
    } finally {
      await this.#release(shared);
    }
  }

  async #acquire(
    signal: AbortSignal,
    acquire: (signal: AbortSignal) => Promise<AsyncDisposable>,
  ): Promise<AsyncDisposable> {
    const { loginTimeoutMs: timeoutMs } = this.#limits;
    const late = (): McpError =>
      McpError.authError(
        `waiting for another client that uses the credential store timed out after ${timeoutMs} ms`,
      );
    const acquireOrRelease = async ({ signal }: CallContext): Promise<AsyncDisposable> => {
      const lock = await acquire(signal);
      // A lock that arrives after the wait has ended would otherwise be held forever.
      if (signal.aborted) await this.#release(lock);
      return lock;
    };
    try {
      return await callWithin(acquireOrRelease, { signal, timeoutMs, late });
    } catch (cause) {
      throw wrap("locking", cause, signal);
    }
  }

  /**
   * Executes a task, and waits for its saves, so that the next holder of the lock loads the saved
   * values.
   */
  async #finish<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } finally {
      await resolveWithin(Promise.allSettled(this.#saving), this.#limits.requestTimeoutMs);
    }
  }

  /** Releases a lock. A failure is only reported, because the tokens are already saved. */
  async #release(lock: AsyncDisposable): Promise<void> {
    try {
      await this.#call("unlocking", undefined, () => lock[Symbol.asyncDispose]());
    } catch (error) {
      this.#limits.report(error);
    }
  }

  async #call<T>(
    action: string,
    signal: AbortSignal | undefined,
    act: () => PromiseLike<T> | T,
  ): Promise<T> {
    const { requestTimeoutMs: timeoutMs } = this.#limits;
    const late = (): McpError =>
      McpError.authError(`${action} the credential store timed out after ${timeoutMs} ms`);
    try {
      return await callWithin(act, { signal, timeoutMs, late });
    } catch (cause) {
      throw wrap(action, cause, signal);
    }
  }
}

function wrap(action: string, cause: unknown, signal: AbortSignal | undefined): unknown {
  return cause instanceof McpError || (signal?.aborted && cause === signal.reason)
    ? cause
    : failure(action, { cause });
}

function failure(action: string, options: { readonly cause: unknown }): McpError {
  return McpError.authError(`${action} the credential store failed`, options);
}

function isDisposable(value: unknown): value is AsyncDisposable {
  return typeof value === "object" && value !== null && Symbol.asyncDispose in value &&
    typeof value[Symbol.asyncDispose] === "function";
}
