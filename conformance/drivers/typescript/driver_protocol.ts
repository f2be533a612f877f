/**
 * Driver protocol for drivers in TypeScript, over any line-based transport.
 *
 * @module
 */

import {
  type Fields,
  Handles,
  type HostClient,
  HostError,
  isFields,
  type Operation,
  StoppingValue,
  Unsupported,
} from "./operation.ts";

/** A driver. */
export interface DriverProgram {
  /** Implementation under test. */
  readonly implementation: {
    /** Name. */
    readonly name: string;
    /** Version. */
    readonly version: string;
    /** Programming language. */
    readonly language: string;
    /** URL of the project. */
    readonly url?: string;
  };
  /** Implementations of the operations, keyed by operation name. */
  readonly ops: Readonly<Record<string, Operation>>;
  /** Supported features. If omitted, no features are supported. */
  readonly features?: Readonly<Record<string, boolean>>;
  /** Transports that the MCP client supports. Defaults to stdio and HTTP. */
  readonly transports?: readonly ("stdio" | "http")[];
  /** Converts an exception thrown by an operation to a member of its result: `error` or `fault`. */
  readonly toErrorOutcome: (error: unknown) => Fields;
}

/** Line-based transport between a driver and the kit. */
export interface DriverWire {
  /** Lines from the kit, without line endings. */
  readonly lines: AsyncIterable<string>;
  /** Sends a line, given without a line ending, to the kit. */
  readonly write: (line: string) => void;
}

/** Runs a driver until the kit sends the bye message or closes the connection. */
export async function runDriver(program: DriverProgram, wire: DriverWire): Promise<void> {
  await new DriverLoop(program, wire.write).run(wire.lines);
}

/** Reason of aborted signals. */
const ABORTED = new DOMException("aborted", "AbortError");

interface Answer {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** State of a running driver. */
class DriverLoop {
  readonly #running = new Map<unknown, AbortController>();
  readonly #pendingCalls = new Map<unknown, Answer>();
  readonly #program: DriverProgram;
  readonly #writeLine: (line: string) => void;
  #handles = new Handles();
  #calls = 0;

  constructor(program: DriverProgram, writeLine: (line: string) => void) {
    this.#program = program;
    this.#writeLine = writeLine;
  }

  async run(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      const message: unknown = JSON.parse(line);
      if (isFields(message) && !this.#take(message)) return;
    }
  }

  /** Handles a message. Returns false for the bye message. */
  #take(message: Fields): boolean {
    switch (message.type) {
      case "hello":
        this.#greet();
        break;
      case "case":
        this.#begin();
        break;
      case "op":
        void this.#run(message);
        break;
      case "return":
        this.#return(message);
        break;
      case "abort":
        this.#running.get(message.seq)?.abort(ABORTED);
        break;
      case "bye":
        return false;
    }
    return true;
  }

  #greet(): void {
    const { implementation, ops, features = {}, transports } = this.#program;
    const hello = { type: "hello", protocol: 1, implementation };
    this.#write({ ...hello, ops: Object.keys(ops), features, transports });
  }

  #begin(): void {
    for (const controller of this.#running.values()) controller.abort();
    this.#running.clear();
    this.#pendingCalls.clear();
    void this.#handles.clear();
    this.#handles = new Handles();
  }

  async #run({ seq, op, args, on }: Fields): Promise<void> {
    const controller = new AbortController();
    this.#running.set(seq, controller);
    if (isFields(args) && args.aborted === true) controller.abort(ABORTED);
    const result = await this.#settle(String(op), args, on, controller.signal);
    this.#running.delete(seq);
    this.#write({ type: "result", seq, ...result });
  }

  async #settle(name: string, args: unknown, on: unknown, signal: AbortSignal): Promise<Fields> {
    const { ops, toErrorOutcome } = this.#program;
    const op = Object.hasOwn(ops, name) ? ops[name] : undefined;
    if (op === undefined) return { unsupported: { reason: `no operation ${name}` } };
    const handles = this.#handles;
    try {
      const ok = await op({
        args: isFields(args) ? args : {},
        on: on === undefined ? undefined : handles.get(on),
        signal,
        handles,
        host: this.#host,
      });
      return { ok: ok ?? {} };
    } catch (error) {
      if (error instanceof Unsupported) return { unsupported: { reason: error.message } };
      return toErrorOutcome(error);
    }
  }

  readonly #host: HostClient = {
    call: (fn, args, signal) =>
      new Promise((resolve, reject) => {
        const call = ++this.#calls;
        this.#pendingCalls.set(call, { resolve, reject });
        this.#write({ type: "call", call, fn, args });
        const onAbort = (): void => this.#write({ type: "cancelled", call });
        if (signal?.aborted) onAbort();
        else signal?.addEventListener("abort", onAbort, { once: true });
      }),
    event: (name, data) => this.#write({ type: "event", name, data }),
  };

  #return({ call, ok, special, stops, error }: Fields): void {
    const answer = this.#pendingCalls.get(call);
    this.#pendingCalls.delete(call);
    if (stops === true) return answer?.resolve(new StoppingValue(ok));
    if (isFields(error)) answer?.reject(new HostError(String(error.message), error));
    else answer?.resolve(special === undefined ? ok : makeSpecial(special));
  }

  #write(message: object): void {
    this.#writeLine(JSON.stringify(message));
  }
}

/** Creates a value that JSON cannot represent. */
export function makeSpecial(name: unknown): unknown {
  switch (name) {
    case "nan":
      return NaN;
    case "bigint":
      return 1n;
    case "function":
      return () => 1;
    case "date":
      return new Date("2026-01-02T03:04:05.678Z");
    case "nested-nan":
      return { list: [1, NaN] };
    case "undefined-member":
      return { a: 1, b: undefined };
    case "map":
      return new Map([["a", 1]]);
    case "cycle": {
      const value: Record<string, unknown> = {};
      return Object.assign(value, { value });
    }
    case "inherited":
      return Object.create({ decision: "approve" });
    default:
      return undefined;
  }
}
