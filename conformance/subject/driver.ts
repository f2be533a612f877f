/**
 * A running driver, whose process is reused for many cases.
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
import { excerpt } from "../kit/escape_text.ts";

/** Options for {@linkcode startDriver}. */
export interface DriverOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Watchdog for the process. */
  readonly groups: ProcessGroups;
  /** Timeout for the hello message, in milliseconds. */
  readonly helloMs: number;
  /** Seed for the driver's random choices. */
  readonly seed: number;
  /** Version of the kit. */
  readonly kitVersion: string;
}

/** Callbacks for one case. */
export interface CaseHooks {
  /** Message log. */
  readonly trace: Trace;
  /** Responds to a host function call. */
  readonly onCall?: (fn: string, args: unknown, call: number) => Promise<HostReturn>;
  /** Called when the signal of a host function call is aborted. */
  readonly onCancelled?: (call: number) => void;
  /** Called with each event from the driver. */
  readonly onEvent?: (name: string, data: unknown) => void;
}

/** Response to a host function call. */
export type HostReturn =
  | { readonly ok: unknown; readonly stops?: boolean }
  | { readonly special: string }
  | { readonly error: JsonObject };

/** A running operation. */
export interface RunningOp {
  /** Sequence number. */
  readonly seq: number;
  /** Result of the operation, or `died` if the process exits first. */
  readonly outcome: Promise<OpOutcome | { readonly died: Exit }>;
}

const BYE_MS = 2000;
/** Maximum number of stored protocol violations. */
const MAX_NOTES = 5;
/**
 * Maximum number of malformed lines in one case. The kit kills a driver that exceeds this limit.
 */
const MAX_MALFORMED_LINES = 1000;

/**
 * Variables that the driver receives in addition to those of the kit. A server process must inherit
 * the common variables, but neither the private variable nor a function of the shell.
 */
const DRIVER_ENVIRONMENT: Readonly<Record<string, string>> = {
  LANG: "C.UTF-8",
  LOGNAME: "kit",
  NO_PROXY: "127.0.0.1",
  PARLEY_KIT_PRIVATE: "private",
  SHELL: "() { :; }",
  TERM: "dumb",
  TMPDIR: "/tmp",
  USER: "kit",
  no_proxy: "127.0.0.1",
};

/**
 * Starts a driver and waits for its hello message.
 *
 * @throws {KitError} With code `subject_start` if the driver cannot be started, exits, or sends no
 *   valid hello message in time.
 */
export async function startDriver(options: DriverOptions): Promise<Driver> {
  const { command, groups, helloMs, seed, kitVersion } = options;
  const inbox = new Inbox();
  const process = await startLineProcess({
    command,
    groups,
    env: DRIVER_ENVIRONMENT,
    onLine: (line) => inbox.take(line),
    onOverflow: (bytes) => inbox.overflow(bytes),
  });
  inbox.onFlood = () => process.signal("KILL");
  process.write(`${JSON.stringify({ type: "hello", protocol: 1, kit: kitVersion, seed })}\n`);
  const first = await waitFor(Promise.race([inbox.hello, process.exited]), helloMs);
  if (typeof first === "object" && "ops" in first) return new Driver(process, first, inbox);
  const [note] = inbox.takeNotes();
  const hint = note === undefined ? " (is its standard output flushed after each line?)" : "";
  const reason = describeMissingHello(first, `no hello within ${helloMs} ms${hint}`);
  await process.kill();
  const tail = [note, process.errorExcerpt()].filter(Boolean).join("; ");
  throw new KitError(
    KitErrorCode.SubjectStart,
    `Cannot use "${command.join(" ")}": ${reason}${tail === "" ? "" : `: ${tail}`}`,
  );
}

function describeMissingHello(first: Exit | string | typeof TIMED_OUT, timeout: string): string {
  if (first === TIMED_OUT) return timeout;
  return typeof first === "string"
    ? "its hello is invalid"
    : `the driver ${describeExit(first)} before its hello`;
}

/** Formats the exit status of a process. */
export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exited with code ${code}` : `was terminated by ${signal}`;
}

/** A driver that has sent its hello message. */
export class Driver {
  /** The hello message. */
  readonly hello: DriverHello;
  readonly #process: LineProcess;
  readonly #inbox: Inbox;
  #seq = 0;
  #exit: Exit | undefined;

  /** Creates a driver for a running process. Use {@linkcode startDriver} to start a driver. */
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

  /** Exit status of the process, or `undefined` while it is running. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Starts a case. Operations still running from earlier cases are abandoned. */
  beginCase(id: string, hooks: CaseHooks): void {
    this.#inbox.begin(hooks);
    this.#process.beginCase();
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

  /** Aborts the signal of an operation. */
  abort(seq: number): void {
    this.#write({ type: "abort", seq });
  }

  /**
   * Waits until all output that the driver has written has been read. Sends an operation that no
   * driver implements: the response follows all earlier output.
   *
   * @returns Whether the driver responded in time.
   */
  async sync(ms: number): Promise<boolean> {
    const outcome = this.start("kit.sync", { args: {}, deadlineMs: ms }).outcome;
    return await waitFor(outcome, ms) !== TIMED_OUT;
  }

  /** Whether the driver was killed because of excessive output. */
  get isFlooding(): boolean {
    return this.#inbox.isFlooding;
  }

  /** Returns the protocol violations recorded since the last call. */
  takeNotes(): readonly string[] {
    return this.#inbox.takeNotes();
  }

  /** Excerpt from standard error since the last case started. */
  errorExcerpt(): string {
    return this.#process.errorExcerpt();
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    await this.#process.kill();
  }

  /** Sends the bye message. Kills the driver if it does not exit within two seconds. */
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

/** Parses the lines that a driver writes, and dispatches the messages. */
class Inbox {
  /** The first hello message, or a description of the violation if the message is invalid. */
  readonly hello: Promise<DriverHello | string>;
  hooks: CaseHooks | undefined;
  onCall: (call: number, fn: string, args: unknown) => void = () => {};
  #greet: (hello: DriverHello | string) => void = () => {};
  #waiting = new Map<number, Settle>();
  /**
   * Sequence numbers of operations that were abandoned in earlier cases and whose results are
   * ignored.
   */
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
    const violation = typeof message === "object" && message.type === "hello"
      ? message.hello
      : message;
    if (typeof violation === "string") this.note(`wrote ${violation}: ${excerpt(line, 200)}`);
    if (typeof message === "object") this.#dispatch(message);
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
