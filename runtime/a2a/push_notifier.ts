/**
 * Sends the updates of tasks to the URLs that clients have configured.
 *
 * @see
 * {@link https://a2a-protocol.org/latest/specification/#43-push-notification-objects Push notifications}
 * @module
 */

import type { PushConfigJson } from "@parley/internal/a2a-request";
import { callWithin } from "@parley/internal/call-within";
import { InvalidMember } from "@parley/internal/proto-json";
import { Quota } from "@parley/internal/quota";
import { sleep } from "@parley/internal/timers";
import { partyOf } from "../serve/caller.ts";
import type { Caller, ServedRun } from "../serve/contracts.ts";
import { AgentError } from "../shared/error.ts";
import { A2aError } from "./errors.ts";
import { isPublicUrl, type PushConfig, pushKeyOf, toPushConfig } from "./push_config.ts";
import type { PushSettings } from "./push_options.ts";
import { toArtifact } from "./task.ts";
import { isEnded, toTaskState } from "./task_state.ts";
import { readUpdates } from "./task_updates.ts";
import type { StreamResponse } from "./types.ts";

/** A task of a caller. */
export interface PushTarget {
  readonly caller: Caller;
  readonly run: ServedRun;
  /** Reads the run again. */
  readonly refresh: () => Promise<ServedRun | undefined>;
}

/** A task with configurations. */
interface PushTask {
  readonly target: PushTarget;
  /** Ids of the configurations. */
  readonly ids: Set<string>;
  readonly stop: AbortController;
  /** Queue of each configuration, whose updates are sent in order. */
  readonly queues: Map<string, PushQueue>;
}

interface PushQueue {
  /** Resolves when all updates of the queue have been sent. Never rejects. */
  readonly end: Promise<void>;
  /** Number of updates that wait. */
  length: number;
}

/** Share of the configurations that one caller may have. */
const SHARE = 0.1;

/** Maximum number of ended tasks whose configurations are kept for clients that read them. */
const MAX_ENDED_TASKS = 1000;

/** Maximum number of updates of a task that wait to be sent. A task has few updates. */
const MAX_QUEUED = 100;

export class PushNotifier {
  readonly #settings: PushSettings;
  readonly #quota: Quota;
  readonly #tasks = new Map<string, PushTask>();
  /** Keys of the tasks that had ended when they were configured. They send nothing. */
  readonly #ended = new Set<string>();

  constructor(settings: PushSettings) {
    this.#settings = settings;
    this.#quota = new Quota(settings.maxConfigs, SHARE);
  }

  /**
   * Checks a configuration. Called before a run is started, so that a message with a configuration
   * that is not accepted has no effect.
   */
  async check(config: PushConfigJson): Promise<void> {
    toPushConfig(config, "");
    const { allowPrivateAddresses, checkUrl, timeoutMs } = this.#settings;
    const url = URL.canParse(config.url) ? new URL(config.url) : undefined;
    const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
    if (url === undefined || !(isPublicUrl(url) || allowPrivateAddresses && isHttp)) {
      throw new InvalidMember("url", "an HTTPS URL with a public DNS name and without credentials");
    }
    if (checkUrl === undefined) return;
    const late = (): Error => new Error("The check of a push URL took too long");
    const isAccepted = await callWithin(
      ({ signal }) => checkUrl(url, signal),
      { signal: undefined, timeoutMs, late },
    );
    if (isAccepted !== true) throw new InvalidMember("url", "a URL that the agent accepts");
  }

  /**
   * Takes a place for the configuration of a message, so that a message without a place has no
   * effect. Returns the function that gives the place back, which can be called several times.
   *
   * @param taskId Task to which the message is sent. `undefined` for a new task.
   * @throws {A2aError} With reason `RESOURCE_EXHAUSTED`.
   */
  reserve(
    { id }: PushConfigJson,
    { caller, taskId }: { readonly caller: Caller; readonly taskId?: string },
  ): () => void {
    const key = taskId === undefined ? "" : pushKeyOf(caller?.subject, taskId);
    const ids = this.#tasks.get(key)?.ids;
    if (id !== undefined && ids?.has(id)) return () => {};
    const party = partyOf(caller);
    this.#assertPlace(party, ids?.size ?? 0);
    this.#quota.take(1, party);
    let isTaken = true;
    return () => {
      if (isTaken) this.#quota.take(-1, party);
      isTaken = false;
    };
  }

  /** Adds a configuration that was checked to a task, or replaces the one with the same id. */
  async create(target: PushTarget, config: PushConfigJson): Promise<PushConfig> {
    const { caller, run } = target;
    const created = toPushConfig(config, run.id);
    const task = this.#open(target);
    const isNew = !task.ids.has(created.id);
    if (isNew) this.#take(task, created.id);
    try {
      await this.#settings.store.put(caller?.subject, created);
    } catch (error) {
      if (isNew) this.#giveBack(task, created.id);
      throw error;
    }
    return created;
  }

  #open(target: PushTarget): PushTask {
    const { run } = target;
    const key = keyOf(target);
    const known = this.#tasks.get(key);
    if (known !== undefined) return known;
    const task: PushTask = {
      target,
      ids: new Set(),
      stop: new AbortController(),
      queues: new Map(),
    };
    this.#tasks.set(key, task);
    if (isEnded(toTaskState(run.state))) this.#keepEnded(key);
    else this.#follow(task).catch((error) => this.#report(error));
    return task;
  }

  #keepEnded(key: string): void {
    this.#ended.add(key);
    if (this.#ended.size <= MAX_ENDED_TASKS) return;
    const [oldest] = this.#ended;
    const task = oldest === undefined ? undefined : this.#tasks.get(oldest);
    if (task !== undefined) this.#forget(task).catch((error) => this.#report(error));
  }

  #report(error: unknown): void {
    // The agent is not served anymore, so the notifications end.
    if (AgentError.isAgentError(error) && error.is("sessions_closed")) return;
    this.#settings.onError(error);
  }

  #take(task: PushTask, id: string): void {
    const { ids, target } = task;
    const party = partyOf(target.caller);
    try {
      this.#assertPlace(party, ids.size);
    } catch (error) {
      if (ids.size === 0) this.#close(task);
      throw error;
    }
    this.#quota.take(1, party);
    ids.add(id);
  }

  /** Throws if a party, or a task with a number of configurations, has no place for another. */
  #assertPlace(party: string, count: number): void {
    if (!this.#quota.has(1, party)) this.#forgetEnded(party);
    if (count < this.#settings.maxConfigsPerTask && this.#quota.has(1, party)) return;
    throw new A2aError("RESOURCE_EXHAUSTED", "Too many push notification configurations");
  }

  #giveBack(task: PushTask, id: string): void {
    const { ids, target: { caller } } = task;
    if (ids.delete(id)) this.#quota.take(-1, partyOf(caller));
    if (ids.size === 0) this.#close(task);
  }

  /** Deletes the configurations of the oldest ended task of a party. They send nothing. */
  #forgetEnded(party: string): void {
    for (const key of this.#ended) {
      const task = this.#tasks.get(key);
      const isOther = task === undefined || partyOf(task.target.caller) !== party;
      if (isOther || task.ids.size === 0) continue;
      this.#forget(task).catch((error) => this.#report(error));
      return;
    }
  }

  /** Returns the configurations of a task. */
  async list({ caller, run }: PushTarget): Promise<readonly PushConfig[]> {
    return await this.#settings.store.list(caller?.subject, run.id);
  }

  /** @throws {A2aError} With reason `TASK_NOT_FOUND` if there is no such configuration. */
  async get(target: PushTarget, id: string): Promise<PushConfig> {
    const config = (await this.list(target)).find((each) => each.id === id);
    if (config !== undefined) return config;
    throw new A2aError("TASK_NOT_FOUND", "Push notification configuration not found");
  }

  /** Deletes a configuration, if there is one. */
  async delete(target: PushTarget, id: string): Promise<void> {
    const { caller, run } = target;
    const task = this.#tasks.get(keyOf(target));
    if (task !== undefined) this.#giveBack(task, id);
    await this.#settings.store.delete(caller?.subject, run.id, id);
  }

  #close({ stop, target }: PushTask): void {
    const key = keyOf(target);
    this.#tasks.delete(key);
    this.#ended.delete(key);
    stop.abort();
  }

  /** Deletes all configurations of a task. A configuration ends with its task. */
  async #forget(task: PushTask): Promise<void> {
    const { caller, run } = task.target;
    const ids = [...task.ids];
    for (const id of ids) this.#giveBack(task, id);
    for (const id of ids) await this.#settings.store.delete(caller?.subject, run.id, id);
  }

  /** Sends the changes of the state, and the complete result before the last one. */
  async #follow(task: PushTask): Promise<void> {
    const { queues, stop: { signal }, target: { refresh, run } } = task;
    const settings = { signal, withApprovals: false, historyLength: 0, refresh };
    for await (const update of readUpdates(run, { ...settings, until: "ended" })) {
      if (!("statusUpdate" in update)) continue;
      const answer = isEnded(update.statusUpdate.status.state) ? await answerOf(task) : undefined;
      for (const config of await this.list(task.target)) {
        if (answer !== undefined) this.#queue(task, config, answer);
        this.#queue(task, config, update);
      }
    }
    await Promise.all([...queues.values()].map(({ end }) => end));
    if (!signal.aborted) await this.#forget(task);
  }

  #queue(task: PushTask, config: PushConfig, update: StreamResponse): void {
    const { end = Promise.resolve(), length = 0 } = task.queues.get(config.id) ?? {};
    if (length >= MAX_QUEUED) {
      this.#settings.onError(toPushError(config, "the receiver is too slow"));
      return;
    }
    const queue: PushQueue = {
      end: end.then(async () => {
        await this.#send(task, config, update);
        const last = task.queues.get(config.id);
        if (last !== undefined) last.length--;
      }),
      length: length + 1,
    };
    task.queues.set(config.id, queue);
  }

  /** Sends an update. Never rejects. */
  async #send(task: PushTask, config: PushConfig, update: StreamResponse): Promise<void> {
    const { maxAttempts, onError, retryDelayMs } = this.#settings;
    for (let attempt = 1; task.ids.has(config.id); attempt++) {
      const failure = await this.#post(config, update);
      if (failure === undefined) return;
      if (!failure.canRetry || attempt >= maxAttempts) {
        return onError(toPushError(config, failure.reason));
      }
      await sleep(retryDelayMs * 2 ** (attempt - 1), task.stop.signal).catch(() => {
        // The configuration was deleted, which ends the loop.
      });
    }
  }

  async #post(config: PushConfig, update: StreamResponse): Promise<PushFailure | undefined> {
    const { fetch, timeoutMs } = this.#settings;
    const { authentication, token, url } = config;
    const headers = new Headers({ "content-type": "application/json" });
    if (token !== undefined) headers.set("x-a2a-notification-token", token);
    if (authentication !== undefined) {
      const { credentials = "", scheme } = authentication;
      headers.set("authorization", `${scheme} ${credentials}`.trim());
    }
    try {
      const { body, ok, status } = await callWithin(
        ({ signal }) => {
          const init = { method: "POST", headers, body: JSON.stringify(update), signal };
          return fetch(new Request(url, { ...init, redirect: "manual" }));
        },
        { signal: undefined, timeoutMs, late: () => new Error("no response") },
      );
      // The body is not needed, so its failure does not matter.
      body?.cancel().catch(() => {});
      if (ok) return undefined;
      return { reason: `HTTP status ${status}`, canRetry: status >= 500 || status === 429 };
    } catch {
      // The error can contain the URL.
      return { reason: "no response", canRetry: true };
    }
  }
}

/** A notification that was not delivered. */
interface PushFailure {
  readonly reason: string;
  readonly canRetry: boolean;
}

/** The URL and the credentials are secrets of the client. */
function toPushError({ taskId }: PushConfig, reason: string): Error {
  return new Error(`Cannot notify the client of task "${taskId}": ${reason}`);
}

function keyOf({ caller, run }: PushTarget): string {
  return pushKeyOf(caller?.subject, run.id);
}

/** Returns the update with the complete result of a task that has ended. */
async function answerOf({ target: { refresh } }: PushTask): Promise<StreamResponse | undefined> {
  const run = await refresh();
  const artifact = run && toArtifact(run, run.state);
  if (run === undefined || artifact === undefined) return undefined;
  const ids = { taskId: run.id, contextId: run.sessionId };
  return { artifactUpdate: { ...ids, artifact, lastChunk: true } };
}
