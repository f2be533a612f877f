/**
 * The messages of a queue in an SQLite database.
 *
 * @module
 */

import type { UnknownRecord } from "@parley/internal/json";
import { capacityExceeded } from "../shared/error.ts";
import { tooManyInboxes } from "./inboxes.ts";
import { readColumn, type SqliteStatement, type SqliteTransaction } from "./sqlite_database.ts";
import type { SqliteSettings } from "./sqlite_options.ts";

/** A message to store. */
export interface NewMessage {
  /** Digest of the sender, the id and the content. */
  readonly id: string;
  readonly key: string;
  /** Party of the sender that the message names. */
  readonly party: string;
  readonly lane: string | null;
  readonly json: string;
}

/** A message that a consumer holds. */
export interface HeldMessage extends NewMessage {
  readonly n: number;
  readonly inbox: string;
  /** Number of this delivery, which also identifies it. */
  readonly attempts: number;
  readonly owner: string;
}

/** A message that becomes a dead letter. */
export interface Burial {
  readonly reason: string;
  /** Whether the message failed verification. */
  readonly isUnverified: boolean;
}

/** A dead letter. */
export interface DeadMessage extends NewMessage {
  readonly n: number;
  readonly reason: string;
  readonly attempts: number;
}

/** A number of messages of one kind, of which each party may use a share. */
interface Limit {
  readonly kind: "message" | "dead" | "unverified" | "done";
  readonly maxMessages: number;
  readonly maxBytes: number;
  readonly share: number;
}

// Node.js 22.13 does not bind values to numbered parameters, such as `?1`.
const FIND = `select 1 where exists (select 1 from parley_queue_message where id = ?)
  or exists (select 1 from parley_queue_dead where id = ?)
  or exists (select 1 from parley_queue_done where id = ? and until_at > ?)`;
const FIND_INBOX = "select is_ordered from parley_queue_inbox where name = ?";
const COUNT_INBOXES = "select count(*) from parley_queue_inbox";
const ADD_INBOX = "insert into parley_queue_inbox values (?, ?)";
const USAGE = "select messages, bytes from parley_queue_usage where kind = ? and party = ?";
/** A message of an ordered inbox waits if its lane contains another message. */
const ADD = `insert into parley_queue_message
  (id, inbox, key, party, lane, json, bytes, state, attempts, due) values
  (?, ?, ?, ?, ?, ?, ?, case when exists (
    select 1 from parley_queue_message where inbox = ? and lane = ?
  ) then 'waiting' else 'ready' end, 0, 0)`;
const NEXT = `select n, id, key, party, lane, json, attempts from parley_queue_message
  where inbox = ? and state = 'ready' and party > ? order by party, n limit 1`;
const HOLD = `update parley_queue_message
  set state = 'held', owner = ?, due = ?, attempts = ? where n = ?`;
const READY_DUE = `update parley_queue_message set state = 'ready', owner = null
  where inbox = ? and state in ('held', 'retry') and due <= ?`;
const NEXT_DUE = `select min(due) from parley_queue_message
  where inbox = ? and state in ('held', 'retry')`;
const HELD = "n = ? and owner = ? and attempts = ? and state = 'held'";
const RENEW = `update parley_queue_message set due = ? where ${HELD}`;
const RETRY = `update parley_queue_message set state = ?, due = ?, owner = null where ${HELD}`;
const REMOVE = `delete from parley_queue_message where ${HELD}`;
const ADVANCE = `update parley_queue_message set state = 'ready'
  where state = 'waiting' and n = (
    select min(n) from parley_queue_message where inbox = ? and lane = ?
  )`;
const ADD_DONE = `insert into parley_queue_done (id, party, until_at) values (?, ?, ?)
  on conflict (id) do update set until_at = excluded.until_at`;
const OLDEST_DONE = "select n from parley_queue_done order by n limit 1";
const OLDEST_OWN_DONE = "select n from parley_queue_done where party = ? order by n limit 1";
const REMOVE_OLDEST_DONE = "delete from parley_queue_done where n = ?";
/** Each acknowledgment adds one row and removes at most two, so expired rows do not accumulate. */
const REMOVE_EXPIRED = `delete from parley_queue_done
  where n in (select n from parley_queue_done order by n limit 2) and until_at <= ?`;
const ADD_DEAD = `insert into parley_queue_dead
  (id, inbox, key, party, lane, json, bytes, kind, reason, attempts)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const DEAD = "select n, id, key, party, lane, json, reason, attempts from parley_queue_dead";
const LIST_DEAD = `${DEAD} where inbox = ? and n > ? order by n limit 1`;
const OLDEST_DEAD = `${DEAD} where kind = ? order by n limit 1`;
const OLDEST_OWN_DEAD = `${DEAD} where kind = ? and party = ? order by n limit 1`;
const OLDEST_SAME_DEAD = `${DEAD} where kind = ? and party = ? and reason = ? order by n limit 1`;
const REMOVE_DEAD = "delete from parley_queue_dead where n = ?";
const DATA_VERSION = "pragma data_version";

/**
 * The messages of a queue, over one connection. Every method must be called in a transaction. The
 * methods throw the errors of the connection.
 */
export class SqliteMessages {
  readonly #connection: Pick<SqliteTransaction, "prepare">;
  readonly #settings: SqliteSettings;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(connection: Pick<SqliteTransaction, "prepare">, settings: SqliteSettings) {
    this.#connection = connection;
    this.#settings = settings;
  }

  /** A number that changes if another connection has changed the database. */
  dataVersion(): unknown {
    return readColumn(this.#get(DATA_VERSION));
  }

  /** Adds an inbox, unless the database contains it. Throws if its order setting differs. */
  openInbox(name: string): void {
    const isOrdered = this.#settings.orderedInboxes.has(name);
    const known = readColumn(this.#get(FIND_INBOX, name));
    if (known === undefined) {
      const { maxInboxes } = this.#settings;
      if (Number(readColumn(this.#get(COUNT_INBOXES))) >= maxInboxes) {
        throw tooManyInboxes(name, maxInboxes);
      }
      this.#run(ADD_INBOX, name, isOrdered ? 1 : 0);
    } else if (isOrdered !== (known === 1)) {
      const state = known === 1 ? "ordered" : "not ordered";
      throw new TypeError(
        `"orderedInboxes" must agree with the database, in which inbox "${name}" is ${state}`,
      );
    }
  }

  /** Stores a message, unless it is stored or was acknowledged. */
  add(inbox: string, message: NewMessage, nowMs: number): void {
    const { id } = message;
    if (this.#get(FIND, id, id, id, nowMs) !== undefined) return;
    if (this.#store(inbox, message)) return;
    const { maxMessages, maxBytes } = this.#settings;
    throw capacityExceeded(maxMessages, maxBytes);
  }

  /** Returns messages to the queue whose lease or delay has ended. */
  readyDue(inbox: string, nowMs: number): void {
    this.#run(READY_DUE, inbox, nowMs);
  }

  /** Returns the time at which the next lease or delay of an inbox ends. */
  nextDue(inbox: string): number {
    const due = readColumn(this.#get(NEXT_DUE, inbox));
    return typeof due === "number" ? due : Infinity;
  }

  /**
   * Returns the oldest ready message of the first party after a given one, or `undefined` if no
   * party after it has ready messages.
   */
  next(inbox: string, afterParty: string): Omit<HeldMessage, "owner"> | undefined {
    const row = this.#get(NEXT, inbox, afterParty);
    return row === undefined ? undefined : { ...readMessage(row), inbox };
  }

  /** Gives a ready message to an owner. */
  hold(message: Omit<HeldMessage, "owner">, owner: string, untilMs: number): HeldMessage {
    const attempts = message.attempts + 1;
    this.#run(HOLD, owner, untilMs, attempts, message.n);
    return { ...message, owner, attempts };
  }

  /** Extends the lease of a message. Returns `false` if its owner no longer holds the message. */
  renew({ n, owner, attempts }: HeldMessage, untilMs: number): boolean {
    return this.#run(RENEW, untilMs, n, owner, attempts) > 0;
  }

  /** Returns a message to the queue at a given time, unless its owner no longer holds it. */
  retry({ n, owner, attempts }: HeldMessage, dueMs: number, nowMs: number): void {
    this.#run(RETRY, dueMs > nowMs ? "retry" : "ready", dueMs, n, owner, attempts);
  }

  /** Acknowledges a message, unless its owner no longer holds it. */
  acknowledge(message: HeldMessage, nowMs: number): void {
    if (!this.#remove(message)) return;
    const { maxMessages, maxSharePerSender: share, deduplicationMs } = this.#settings;
    const limit: Limit = { kind: "done", maxMessages, maxBytes: Infinity, share };
    const { id, party } = message;
    this.#run(REMOVE_EXPIRED, nowMs);
    while (!this.#fits(limit, 0, party)) {
      const oldest = this.#fits(limit, 0, undefined)
        ? this.#get(OLDEST_OWN_DONE, party)
        : this.#get(OLDEST_DONE);
      this.#run(REMOVE_OLDEST_DONE, Number(readColumn(oldest)));
    }
    this.#run(ADD_DONE, id, party, nowMs + deduplicationMs);
  }

  /**
   * Moves a message to the dead letters, unless its owner no longer holds it. Returns the dead
   * letters that were deleted because of a limit, which can include the new one.
   */
  bury(message: HeldMessage, { reason, isUnverified }: Burial): readonly DeadMessage[] {
    if (!this.#remove(message)) return [];
    const kind = isUnverified ? "unverified" : "dead";
    const { maxDeadLetters: maxMessages, maxDeadLetterBytes: maxBytes } = this.#settings;
    const limit: Limit = { kind, maxMessages, maxBytes, share: this.#settings.maxDeadLetterShare };
    const { id, inbox, key, party, lane, json, attempts } = message;
    const dropped: DeadMessage[] = [];
    while (!this.#fits(limit, json.length, party)) {
      const row = this.#fits(limit, json.length, undefined)
        ? this.#get(OLDEST_SAME_DEAD, kind, party, reason) ??
          this.#get(OLDEST_OWN_DEAD, kind, party)
        : this.#get(OLDEST_DEAD, kind);
      if (row === undefined) return [...dropped, { ...message, reason }];
      const oldest = readMessage(row);
      this.#run(REMOVE_DEAD, oldest.n);
      dropped.push(oldest);
    }
    const size = json.length;
    this.#run(ADD_DEAD, id, inbox, key, party, lane, json, size, kind, reason, attempts);
    return dropped;
  }

  /** Returns the dead letters of an inbox, the oldest first. */
  listDead(inbox: string, limit: number): readonly DeadMessage[] {
    const letters: DeadMessage[] = [];
    while (letters.length < limit) {
      const row = this.#get(LIST_DEAD, inbox, letters.at(-1)?.n ?? 0);
      if (row === undefined) break;
      letters.push(readMessage(row));
    }
    return letters;
  }

  /** Moves dead letters while the queue has capacity. Returns the number that were moved. */
  redrive(inbox: string, limit: number): number {
    let moved = 0;
    for (const letter of this.listDead(inbox, limit)) {
      if (!this.#store(inbox, letter)) continue;
      this.#run(REMOVE_DEAD, letter.n);
      moved++;
    }
    return moved;
  }

  /** Adds a message. Returns `false` if the queue has no capacity for the message. */
  #store(inbox: string, { id, key, party, lane, json }: NewMessage): boolean {
    const { maxMessages, maxBytes, maxSharePerSender: share } = this.#settings;
    const limit: Limit = { kind: "message", maxMessages, maxBytes, share };
    if (!this.#fits(limit, json.length, party)) return false;
    this.#run(ADD, id, inbox, key, party, lane, json, json.length, inbox, lane);
    return true;
  }

  /** Removes a message, and makes the next one of its lane ready. */
  #remove({ n, inbox, lane, owner, attempts }: HeldMessage): boolean {
    if (this.#run(REMOVE, n, owner, attempts) === 0) return false;
    if (lane !== null) this.#run(ADVANCE, inbox, lane);
    return true;
  }

  /**
   * Returns `true` if a message fits in a limit. If `party` is `undefined`, only the limit of all
   * parties is checked.
   */
  #fits(
    { kind, maxMessages, maxBytes, share }: Limit,
    size: number,
    party: string | undefined,
  ): boolean {
    const all = this.#usage(kind, "");
    if (all.messages + 1 > maxMessages || all.bytes + size > maxBytes) return false;
    if (party === undefined || share === 1) return true;
    const own = this.#usage(kind, party);
    return own.messages + 1 <= Math.max(Math.floor(maxMessages * share), 1) &&
      own.bytes + size <= Math.max(Math.floor(maxBytes * share), 1);
  }

  #usage(kind: string, party: string): { readonly messages: number; readonly bytes: number } {
    const row: UnknownRecord = Object(this.#get(USAGE, kind, party));
    return { messages: Number(row.messages ?? 0), bytes: Number(row.bytes ?? 0) };
  }

  #get(sql: string, ...values: readonly (string | number | null)[]): unknown {
    return this.#prepare(sql).get(...values);
  }

  /** Executes a statement. Returns the number of rows that it has changed. */
  #run(sql: string, ...values: readonly (string | number | null)[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  #prepare(sql: string): SqliteStatement {
    const prepared = this.#statements.get(sql) ?? this.#connection.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Reads a row of a table of messages. A message has no reason. */
function readMessage(row: unknown): DeadMessage {
  const columns: UnknownRecord = Object(row);
  const { n, id, key, party, lane, json, reason, attempts } = columns;
  return {
    n: Number(n),
    id: String(id),
    key: String(key),
    party: String(party),
    lane: lane === null ? null : String(lane),
    json: String(json),
    reason: String(reason ?? ""),
    attempts: Number(attempts),
  };
}
