/**
 * The table of requested deliveries of durable runs in an SQLite database.
 *
 * @module
 */

import { asRecord } from "@parley/internal/json";
import type { RunClock } from "./clock.ts";
import type { AgentAddress, RunAddress } from "./contracts.ts";
import type { SqliteStore } from "../shared/sqlite_store.ts";

/** Maximum number of deliveries that get a turn in one transaction because their time has come. */
const MAX_DUE = 100;

/**
 * Returns an SQL condition that is true if a process holds the delivery in a table. Its parameters
 * are the current time, twice. A lease that begins in the future, by more than its duration, has
 * also ended: the clock was set back, and the process that held the lease does not renew it.
 */
function isHeld(table: string): string {
  return `(${table}.lease_until > ? and 2 * ${table}.leased_at - ${table}.lease_until <= ?)`;
}

/**
 * Returns an SQL expression for the turn of a new delivery in a table: after the other deliveries
 * of its party, and not before the turn of its agent. Each party therefore gets a turn after at
 * most one delivery of each other party.
 */
function turnOf(table: string): string {
  return `max(
    coalesce((select a.turn from agent_turn as a
      where a.agent = ${table}.agent and a.version = ${table}.version), 0),
    coalesce((select max(p.turn) + 1 from delivery as p where p.party is ${table}.party), 0)
  )`;
}

const REQUEST = `with request (run_id, id, agent, version, party, due, now) as (
    values (?, ?, ?, ?, ?, ?, ?)
  )
  insert into delivery (run_id, id, agent, version, party, due, turn, attempt, owner, leased_at,
    lease_until, is_dropped)
  select run_id, id, agent, version, party, due,
    case when due <= now then ${turnOf("request")} end, 1, null, 0, 0, 0
  from request where true on conflict do nothing`;
const FIND_DUE = `select n from delivery
  where agent = ? and version = ? and turn is null and due <= ? order by due, n limit ${MAX_DUE}`;
const SET_TURN = `update delivery set turn = ${turnOf("delivery")} where n = ?`;
/** Finds the next delivery of an agent, of a run that no process executes. */
const FIND = `select n, run_id, attempt, turn from delivery as d
  where agent = ? and version = ? and turn is not null and not exists (
    select 1 from delivery as o where o.run_id = d.run_id and ${isHeld("o")}
  ) order by turn, n limit 1`;
const CLAIM = "update delivery set owner = ?, leased_at = ?, lease_until = ? where n = ?";
const RAISE_TURN = `insert into agent_turn (agent, version, turn) values (?, ?, ?)
  on conflict do update set turn = excluded.turn where excluded.turn > turn`;
const RENEW = `update delivery set leased_at = ?, lease_until = ? where n = ? and owner = ?`;
const IS_LOST = "select 1 from delivery where n = ? and owner = ? and is_dropped = 0";
const COMPLETE = "delete from delivery where n = ? and owner = ?";
const RELEASE = `update delivery set owner = null, leased_at = 0, lease_until = 0, attempt = ?,
  due = ?, turn = null where n = ? and owner = ?`;
const REQUEUE = "update or ignore delivery set id = ? where run_id = ? and owner is not null";
const NEXT_DUE = `select min(due) as due from delivery
  where agent = ? and version = ? and turn is null`;
const FORGET = `delete from delivery where run_id = ? and not ${isHeld("delivery")}`;
const DROP = "update delivery set is_dropped = 1 where run_id = ?";

/** A delivery that a process has claimed. */
export interface ClaimedDelivery {
  /** Number of the row. No other row ever has it. */
  readonly n: number;
  readonly runId: string;
  readonly attempt: number;
}

/** When a delivery is repeated. */
export interface NextAttempt {
  readonly attempt: number;
  /** Time of the attempt, in milliseconds since the Unix epoch. */
  readonly due: number;
}

/** Times with which the deliveries are compared. */
export interface DeliveryClocks {
  /** Clock for due times. */
  readonly clock: RunClock;
  /** Clock for leases, which all processes must share. */
  readonly leaseClock: Pick<RunClock, "now">;
}

/**
 * Requests, claims and completes deliveries. Except for `transaction`, a method does not open a
 * transaction of its own.
 */
export class SqliteDeliveries {
  readonly #store: SqliteStore;
  readonly #clocks: DeliveryClocks;
  readonly #owner: string = crypto.randomUUID();

  constructor(store: SqliteStore, clocks: DeliveryClocks) {
    this.#store = store;
    this.#clocks = clocks;
  }

  /** Executes a transaction. */
  transaction<Result>(work: () => Result): Result {
    return this.#store.transaction(work);
  }

  /**
   * Returns a number that changes when another connection has changed the database. Reading it
   * takes about 3 µs.
   */
  version(): number {
    return Number(asRecord(this.#store.get("pragma data_version")).data_version);
  }

  /**
   * Adds a delivery, unless the run has a delivery with the same id. If `due` is omitted, the run
   * can be delivered immediately.
   */
  request({ agent, party, runId, version }: RunAddress, id: string, due?: Date): void {
    const now = this.#clocks.clock.now();
    const time = due?.getTime() ?? now;
    this.#store.run(REQUEST, runId, id, agent, version, party ?? null, time, now);
  }

  /**
   * Gives the delivery of a run that is in progress a new id, so that a request with this id does
   * not deliver the run before its next attempt. Adds a delivery if none is in progress.
   */
  requeue(run: RunAddress, id: string): void {
    if (this.#store.run(REQUEUE, id, run.runId) === 0) this.request(run, id);
  }

  /** Returns true if a run can be delivered to a worker with these agents. */
  hasNext(agents: readonly AgentAddress[]): boolean {
    return this.#find(agents) !== undefined || this.nextDue(agents) <= this.#clocks.clock.now();
  }

  /** Claims the next deliveries for a worker, at most `count`. */
  claim(
    agents: readonly AgentAddress[],
    { count, leaseMs }: { readonly count: number; readonly leaseMs: number },
  ): readonly ClaimedDelivery[] {
    this.#addDue(agents);
    const claimed: ClaimedDelivery[] = [];
    let last = -1;
    for (let next; claimed.length < count && (next = this.#find(agents)) !== undefined;) {
      const now = this.#clocks.leaseClock.now();
      this.#store.run(CLAIM, this.#owner, now, now + leaseMs, next.n);
      claimed.push(next);
      last = next.turn;
    }
    // All deliveries for the agents with earlier turns have been claimed.
    for (const { agent, version } of claimed.length === 0 ? [] : agents) {
      this.#store.run(RAISE_TURN, agent, version, last + 1);
    }
    return claimed;
  }

  /** Gives a turn to the deliveries whose time has come. */
  #addDue(agents: readonly AgentAddress[]): void {
    const now = this.#clocks.clock.now();
    for (const { agent, version } of agents) {
      for (const row of this.#store.all(FIND_DUE, agent, version, now)) {
        this.#store.run(SET_TURN, Number(asRecord(row).n));
      }
    }
  }

  #find(
    agents: readonly AgentAddress[],
  ): (ClaimedDelivery & { readonly turn: number }) | undefined {
    const now = this.#clocks.leaseClock.now();
    const found = agents.flatMap(({ agent, version }) => {
      const row = this.#store.get(FIND, agent, version, now, now);
      if (row === undefined) return [];
      const { attempt, n, run_id: runId, turn } = asRecord(row);
      return [{
        n: Number(n),
        runId: String(runId),
        attempt: Number(attempt),
        turn: Number(turn),
      }];
    });
    return found.sort((one, other) => one.turn - other.turn || one.n - other.n)[0];
  }

  /** Extends the lease of a delivery. */
  renew(n: number, leaseMs: number): void {
    const now = this.#clocks.leaseClock.now();
    this.#store.run(RENEW, now, now + leaseMs, n, this.#owner);
  }

  /**
   * Returns true if a claimed delivery was dropped, or if another process has claimed it because
   * its lease had ended.
   */
  isLost(n: number): boolean {
    return this.#store.get(IS_LOST, n, this.#owner) === undefined;
  }

  /** Ends a delivery. Without another attempt, the delivery is complete. */
  end(n: number, next: NextAttempt | undefined): void {
    if (next === undefined) this.#store.run(COMPLETE, n, this.#owner);
    else this.#store.run(RELEASE, next.attempt, next.due, n, this.#owner);
  }

  /** Returns the time at which the next delivery for these agents is due, or `Infinity`. */
  nextDue(agents: readonly AgentAddress[]): number {
    const times = agents.map(({ agent, version }) => {
      const { due } = asRecord(this.#store.get(NEXT_DUE, agent, version));
      return typeof due === "number" ? due : Infinity;
    });
    return Math.min(...times, Infinity);
  }

  /** Deletes the deliveries of a run that are not in progress. */
  forget(runId: string): void {
    const now = this.#clocks.leaseClock.now();
    this.#store.run(FORGET, runId, now, now);
  }

  /** Deletes the deliveries of a run, and marks the one that is in progress as dropped. */
  drop(runId: string): void {
    this.forget(runId);
    this.#store.run(DROP, runId);
  }
}
