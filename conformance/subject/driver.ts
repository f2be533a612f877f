/**
 * A driver under the kit's command: one process, many cases.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import type { JsonObject } from "../kit/json.ts";
import type { Exit } from "../platform/child_process.ts";
import {
  type DriverHello,
  type DriverMessage,
  type OpOutcome,
  readDriverMessage,
} from "./driver_message.ts";
import { type LineProcess, startLineProcess } from "./line_process.ts";
import type { ProcessGroups } from "./process_groups.ts";
import { TIMED_OUT, waitFor } from "./wait_for.ts";
import type { Trace } from "./trace.ts";

/** How to start a driver. */
export interface DriverOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Who watches over its process. */
  readonly groups: ProcessGroups;
  /** How long the hello may take, in milliseconds. */
  readonly helloMs: number;
  /** A number for whatever the driver wants to draw at random. */
  readonly seed: number;
  /** Version of the kit. */
  readonly kitVersion: string;
}

/** What the driver may ask for while a case runs. */
export interface CaseHooks {
  /** Where to note what goes over the wire. */
  readonly trace: Trace;
  /** Answers a host function. */
  readonly onCall?: (fn: string, args: unknown, call: number) => Promise<HostReturn>;
  /** Hears that the signal of a host function fired. */
  readonly onCancelled?: (call: number) => void;
  /** Hears events. */
  readonly onEvent?: (name: string, data: unknown) => void;
}

/** The answer to a host function. */
export type HostReturn =
  | { readonly ok: unknown; readonly stops?: boolean }
  | { readonly special: string }
  | { readonly error: JsonObject };

/** An operation under way. */
export interface RunningOp {
  /** Its number. */
  readonly seq: number;
  /** What it comes to; `died` when the process ends first. */
  readonly outcome: Promise<OpOutcome | { readonly died: Exit }>;
}

const BYE_MS = 2000;
/** How many remarks are kept. */
const MAX_NOTES = 5;
/** How many lines of rubbish in one case make a flood, which ends the driver. */
const MAX_MALFORMED_LINES = 1000;

/**
 * Starts a driver and waits for its hello.
 *
 * @throws {KitError} `subject_start` when it cannot be started, exits, or stays silent
 */
export async function startDriver(options: DriverOptions): Promise<Driver> {
  const { command, groups, helloMs, seed, kitVersion } = options;
  const inbox = new Inbox();
  const process = await startLineProcess({
    command,
    groups,
    onLine: (line) => inbox.take(line),
    onOverflow: (bytes) => inbox.overflow(bytes),
  }).catch((cause) => {
    throw new KitError(
      KitErrorCode.SubjectStart,
      `Cannot start "${command.join(" ")}": ${cause.message}`,
      {
        cause,
      },
    );
  });
  inbox.onFlood = () => process.signal("KILL");
  process.write(`${JSON.stringify({ type: "hello", protocol: 1, kit: kitVersion, seed })}\n`);
  const first = await waitFor(Promise.race([inbox.hello, process.exited]), helloMs);
  if (first !== TIMED_OUT && "ops" in first) return new Driver(process, first, inbox);
  const [note] = inbox.takeNotes();
  const hint = note === undefined ? " (is its standard output flushed after each line?)" : "";
  const reason = first === TIMED_OUT
    ? `no hello within ${helloMs} ms${hint}`
    : `the driver ${describeExit(first)} before its hello`;
  await process.kill();
  const tail = [note, process.errorTail()].filter(Boolean).join("; ");
  throw new KitError(
    KitErrorCode.SubjectStart,
    `Cannot use "${command.join(" ")}": ${reason}${tail === "" ? "" : `: ${tail}`}`,
  );
}

/** How a process ended, in words. */
export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exited with code ${code}` : `was terminated by ${signal}`;
}

/** A driver that has said hello. */
export class Driver {
  /** What it said of itself. */
  readonly hello: DriverHello;
  readonly #process: LineProcess;
  readonly #inbox: Inbox;
  #seq = 0;
  #exit: Exit | undefined;

  /** Takes over a process; use {@linkcode startDriver}. */
  constructor(process: LineProcess, hello: DriverHello, inbox: Inbox) {
    this.#process = process;
    this.#inbox = inbox;
    this.hello = hello;
    inbox.onCall = (call, fn, args) => void this.#answer(call, fn, args);
    process.exited.then((exit) => {
      this.#exit = exit;
      inbox.fail({ died: exit });
    });
  }

  /** How the process ended, or undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Begins a case: what earlier ones left running is forgotten. */
  beginCase(id: string, hooks: CaseHooks): void {
    this.#inbox.begin(hooks);
    this.#write({ type: "case", id });
  }

  /** Starts an operation. */
  start(
    op: string,
    { args, on, deadlineMs }: { args: JsonObject; on?: string; deadlineMs: number },
  ): RunningOp {
    const seq = ++this.#seq;
    const outcome = this.#exit === undefined
      ? this.#inbox.expect(seq)
      : Promise.resolve({ died: this.#exit });
    this.#write({ type: "op", seq, op, ...(on === undefined ? {} : { on }), args, deadlineMs });
    return { seq, outcome };
  }

  /** Fires the abort signal of an operation. */
  abort(seq: number): void {
    this.#write({ type: "abort", seq });
  }

  /**
   * Waits until everything that the driver has written so far is read: it answers what it does not know in order.
   *
   * @returns whether it has answered
   */
  async sync(ms: number): Promise<boolean> {
    const outcome = this.start("kit.sync", { args: {}, deadlineMs: ms }).outcome;
    return await waitFor(outcome, ms) !== TIMED_OUT;
  }

  /** Whether it was ended for writing without end. */
  get isFlooding(): boolean {
    return this.#inbox.isFlooding;
  }

  /** What the driver did against the protocol since the last call. */
  takeNotes(): readonly string[] {
    return this.#inbox.takeNotes();
  }

  /** The last lines of its standard error. */
  errorTail(): string {
    return this.#process.errorTail();
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    await this.#process.kill();
  }

  /** Says goodbye; the driver has two seconds to leave. */
  async close(): Promise<void> {
    if (this.#exit === undefined) this.#write({ type: "bye" });
    await this.#process.stop(BYE_MS);
  }

  async #answer(call: number, fn: string, args: unknown): Promise<void> {
    const answer = await this.#inbox.hooks?.onCall?.(fn, args, call) ??
      { error: { message: `The case does not use ${fn}` } };
    this.#write({ type: "return", call, ...answer });
  }

  #write(message: JsonObject | object): void {
    const line = JSON.stringify(message);
    this.#inbox.hooks?.trace.add("→", line);
    this.#process.write(`${line}\n`);
  }
}

type Settle = (outcome: OpOutcome | { readonly died: Exit }) => void;

/** Sorts what a driver writes. */
class Inbox {
  readonly hello: Promise<DriverHello>;
  hooks: CaseHooks | undefined;
  onCall: (call: number, fn: string, args: unknown) => void = () => {};
  #greet: (hello: DriverHello) => void = () => {};
  #waiting = new Map<number, Settle>();
  /** Operations that earlier cases left running: their results are no fault. */
  #forgotten = new Set<number>();
  #notes: string[] = [];
  #noteCount = 0;
  isFlooding = false;
  onFlood: () => void = () => {};

  constructor() {
    this.hello = new Promise((resolve) => this.#greet = resolve);
  }

  begin(hooks: CaseHooks): void {
    this.hooks = hooks;
    for (const seq of this.#waiting.keys()) this.#forgotten.add(seq);
    this.#waiting = new Map();
  }

  expect(seq: number): Promise<OpOutcome | { readonly died: Exit }> {
    return new Promise((resolve) => this.#waiting.set(seq, resolve));
  }

  fail(outcome: { readonly died: Exit }): void {
    for (const settle of this.#waiting.values()) settle(outcome);
    this.#waiting = new Map();
  }

  take(line: string): void {
    if (this.isFlooding) return;
    this.hooks?.trace.add("←", line);
    const message = readDriverMessage(line);
    if (typeof message === "string") this.note(`wrote ${message}: ${line.slice(0, 200)}`);
    else this.#dispatch(message);
  }

  note(text: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push(text);
    if (++this.#noteCount > MAX_MALFORMED_LINES && !this.isFlooding) {
      this.isFlooding = true;
      this.onFlood();
    }
  }

  overflow(bytes: number): void {
    this.isFlooding = true;
    this.note(`wrote a line of more than ${bytes - 1} bytes`);
  }

  takeNotes(): readonly string[] {
    this.#noteCount = 0;
    return this.#notes.splice(0);
  }

  #dispatch(message: DriverMessage): void {
    switch (message.type) {
      case "hello":
        return this.#greet(message.hello);
      case "result":
        return this.#settle(message.seq, message.outcome);
      case "call":
        return this.onCall(message.call, message.fn, message.args);
      case "cancelled":
        return this.hooks?.onCancelled?.(message.call);
      case "event":
        return this.hooks?.onEvent?.(message.name, message.data);
      default:
        message satisfies never;
    }
  }

  #settle(seq: number, outcome: OpOutcome): void {
    const settle = this.#waiting.get(seq);
    this.#waiting.delete(seq);
    if (settle !== undefined) return settle(outcome);
    if (!this.#forgotten.delete(seq)) {
      this.note(`wrote a result of operation ${seq}, which is not running`);
    }
  }
}
