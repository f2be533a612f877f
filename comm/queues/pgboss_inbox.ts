/**
 * Inboxes, implemented as pg-boss queues.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { PgBossLimits } from "./pgboss_options.ts";
import type { PgBossInstance, PgBossJobInsert } from "./pgboss_types.ts";
import type { Outgoing } from "./send_batches.ts";

/** Data of a job. Dead letters also have `reason` and `attempts`. */
export interface StoredData {
  readonly json?: unknown;
  /**
   * In an ordered inbox, a digest that is the same for all messages that are delivered
   * sequentially.
   */
  readonly lane?: unknown;
  readonly reason?: unknown;
  readonly attempts?: unknown;
}

/** Returns the name of the pg-boss queue for an inbox. */
export function queueOf(inbox: string): string {
  return `inbox.${inbox}`;
}

/** Returns the name of the pg-boss queue for an inbox's dead letters. */
export function deadQueueOf(inbox: string): string {
  return `inbox.${inbox}.dead`;
}

/** Reads the data of a job. */
export function readData(data: unknown): StoredData {
  return typeof data === "object" && data !== null ? data : {};
}

/**
 * Creates the two queues of an inbox, or changes their settings if they already exist. Throws a
 * `TypeError` if the inbox already exists with a different order setting. Returns the name of the
 * inbox.
 */
export async function openInbox(
  boss: PgBossInstance,
  inbox: string,
  limits: PgBossLimits,
): Promise<string> {
  const policy = limits.orderedInboxes.has(inbox) ? "key_strict_fifo" : "standard";
  const settings = settingsOf(limits);
  await boss.createQueue(deadQueueOf(inbox), { ...settings, policy: "standard", notify: false });
  await boss.createQueue(queueOf(inbox), { ...settings, policy });
  const existing = await boss.getQueue(queueOf(inbox));
  if (existing?.policy !== policy) {
    const isOrdered = policy === "standard" ? "ordered" : "not ordered";
    throw new TypeError(
      `"orderedInboxes" must agree with the database, in which inbox "${inbox}" is ${isOrdered}`,
    );
  }
  await boss.updateQueue(queueOf(inbox), settings);
  return inbox;
}

function settingsOf(limits: PgBossLimits) {
  return {
    notify: true,
    // The consumer counts the delivery attempts: if pg-boss counted the attempts, a permanently
    // failed message would block its sender's later messages in an ordered inbox.
    retryLimit: 1_000_000,
    retryDelay: toSeconds(limits.retryDelayMs),
    retryBackoff: true,
    retryDelayMax: toSeconds(limits.maxRetryDelayMs),
    // The consumer aborts a handler after `handlerTimeoutMs`. pg-boss applies the same limit to
    // consumers that are no longer running.
    expireInSeconds: toSeconds(limits.handlerTimeoutMs) + 60,
    heartbeatSeconds: 10,
    retentionSeconds: toSeconds(limits.retentionMs),
    deleteAfterSeconds: toSeconds(limits.deduplicationMs),
  };
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/**
 * Returns the job for a message. The job id is a digest of sender, id and content, so the database
 * stores each message only once, even if a forged message with the same sender and id is stored.
 */
export function toJob({ key, lane, json }: Outgoing): PgBossJobInsert {
  const hex = digest(`${key} ${json}`, "hex").slice(0, 32);
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  if (lane === undefined) return { id, data: { json } };
  const singletonKey = digest(lane, "base64url");
  return { id, data: { json, lane: singletonKey }, singletonKey };
}

/** Returns the job for a dead letter. */
export function toDeadJob(dead: StoredData & { readonly id: string }): PgBossJobInsert {
  const { id, ...data } = dead;
  return typeof dead.lane === "string" ? { id, data, singletonKey: dead.lane } : { id, data };
}

/**
 * Returns the SHA-256 digest of a string. For a short string, `crypto.subtle.digest()` takes
 * several times as much processor time as `createHash()`.
 */
function digest(text: string, encoding: "hex" | "base64url"): string {
  return createHash("sha256").update(text).digest(encoding);
}
