/**
 * Sessions that are kept in the memory of a process, in addition to those of a storage.
 *
 * @module
 */

import type { RunLog } from "../log/run_log.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import type { SessionRecords, SessionStorage, StepStore } from "../session/storage.ts";

/** First character of the ids of temporary sessions and of their runs. */
const TEMPORARY = "~";

/** Returns the id of a temporary session. */
export function temporaryKeyOf(key: string): string {
  return `${TEMPORARY}${key}`;
}

/**
 * Returns a storage that keeps temporary sessions in memory, and all others in the given storage.
 * Lists contain only the others.
 *
 * @param storage Storage of the other sessions. It is disposed of with the result.
 * @param options Maximum number of temporary sessions, and a function that is called before the
 * storage is disposed of.
 */
export function withTemporarySessions(
  storage: SessionStorage,
  { maxSessions, onDispose }: { readonly maxSessions: number; readonly onDispose: () => void },
): SessionStorage {
  const memory = memoryStorage({ maxSessions });
  const of = (id: string): SessionStorage => id.startsWith(TEMPORARY) ? memory : storage;
  const { commit, steps } = storage;
  return {
    records: toRecords(of),
    log: toLog(of, storage, memory),
    ...steps && { steps: toSteps((key) => of(key).steps ?? steps) },
    ...commit && {
      commit: (key, epoch, end) => (of(key).commit ?? commit).call(of(key), key, epoch, end),
    },
    delete: (key, epoch) => of(key).delete(key, epoch),
    [Symbol.asyncDispose]: async () => {
      onDispose();
      await memory[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}

function toRecords(of: (key: string) => SessionStorage): SessionRecords {
  return {
    load: (id) => of(id).records.load(id),
    loadFrom: async (id, start) => {
      const { records } = of(id);
      if (records.loadFrom !== undefined) return await records.loadFrom(id, start);
      return (await records.load(id)).slice(start);
    },
    append: (id, record, expectedLength) => of(id).records.append(id, record, expectedLength),
    count: (id) => of(id).records.count(id),
    removeLast: (id, expectedLength) => of(id).records.removeLast(id, expectedLength),
  };
}

function toSteps(of: (key: string) => StepStore): StepStore {
  return {
    load: (key) => of(key).load(key),
    put: (key, epoch, entry) => of(key).put(key, epoch, entry),
    delete: (key) => of(key).delete(key),
  };
}

function toLog(
  of: (id: string) => SessionStorage,
  storage: SessionStorage,
  memory: SessionStorage,
): RunLog {
  return {
    claim: (key, claim) => of(key).log.claim(key, claim),
    head: (key) => of(key).log.head(key),
    append: (key, epoch, entries) => of(key).log.append(key, epoch, entries),
    renew: (key, epoch, leaseMs) => of(key).log.renew(key, epoch, leaseMs),
    finish: (key, epoch, finish) => of(key).log.finish(key, epoch, finish),
    requestStop: (key, epoch) => of(key).log.requestStop(key, epoch),
    read: (key, epoch, range) => of(key).log.read(key, epoch, range),
    changed: (seen, signal) => of(seen.key).log.changed(seen, signal),
    list: (filter) => storage.log.list(filter),
    // The id of a run starts with the id of its session.
    find: (runId) => of(runId).log.find(runId),
    history: (filter) => storage.log.history(filter),
    delete: (key, epoch) => of(key).log.delete(key, epoch),
    purge: async (purge) => {
      const purged = await memory.log.purge(purge);
      return purged + await storage.log.purge(purge);
    },
  };
}
