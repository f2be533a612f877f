/**
 * An engine whose methods are executed by another process.
 *
 * @module
 */

import type { OpenRun, QueueWorkOptions, RunDelivery, RunEngine } from "../contracts.ts";
import { type EngineCall, type EngineReply, linesOf } from "./engine_process.ts";

const PROGRAM = new URL("engine_process.ts", import.meta.url).pathname;

type Handle = (runId: string, delivery: RunDelivery) => Promise<void>;

/** An engine in another process. */
export interface RemoteEngine extends RunEngine {
  /** Kills the process. */
  kill(): Promise<void>;
}

/**
 * Starts a process that opens an SQLite file, and returns its engine.
 *
 * @param leaseMs Duration of a lease. By default, no lease ends during a test.
 */
export function startEngine(file: string, leaseMs: number = 600_000): RemoteEngine {
  const child = new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", PROGRAM, file, `${leaseMs}`],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const calls = new RemoteCalls(child);
  // The casts of results are safe, because the methods are those of a journal and a queue, and all
  // values are JSON.
  const { call } = calls;
  return {
    journal: {
      create: async (...args) => await call("journal", "create", args) as boolean,
      async open(runId) {
        const opened = await call("journal", "open", [runId]) as OpenRun | undefined;
        if (opened === undefined) return undefined;
        const { run, signals, steps } = opened;
        return { run, steps: new Map(steps), signals: new Map(signals) };
      },
      append: async (...args) => await call("journal", "append", args) as "stored",
      close: async (...args) => await call("journal", "close", args) as "closed",
      signal: async (...args) => await call("journal", "signal", args) as "stored",
      cancel: async (...args) => await call("journal", "cancel", args) as boolean,
      get: async (...args) => await call("journal", "get", args) as undefined,
      list: async (...args) => await call("journal", "list", args) as [],
      async *steps(runId) {
        yield* await call("journal", "steps", [runId]) as [];
      },
      async *signals(runId) {
        yield* await call("journal", "signals", [runId]) as [];
      },
      purge: async (...args) => await call("journal", "purge", args) as number,
    },
    queue: {
      wake: async (...args) => void await call("queue", "wake", args),
      drop: async (...args) => void await call("queue", "drop", args),
      work: (agents, options, handle) => calls.work(agents, options, handle),
    },
    kill: () => calls.kill(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}

/**
 * Returns an engine that uses two engines: runs are delivered by one of them and requested from the
 * other, and the calls of the journal use the engines in turns.
 */
export function combineEngines(one: RunEngine, other: RunEngine): RunEngine {
  let count = 0;
  const next = () => (count++ % 2 === 0 ? one : other).journal;
  return {
    journal: {
      create: (...args) => next().create(...args),
      open: (...args) => next().open(...args),
      append: (...args) => next().append(...args),
      close: (...args) => next().close(...args),
      signal: (...args) => next().signal(...args),
      cancel: (...args) => next().cancel(...args),
      get: (...args) => next().get(...args),
      list: (...args) => next().list(...args),
      steps: (...args) => next().steps(...args),
      signals: (...args) => next().signals(...args),
      purge: (...args) => next().purge(...args),
    },
    queue: {
      wake: (...args) => one.queue.wake(...args),
      drop: (...args) => one.queue.drop(...args),
      work: (...args) => other.queue.work(...args),
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([one[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
    },
  };
}

/** Sends calls to a process, and calls the handlers of its workers. */
class RemoteCalls {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #pending: Map<number, PromiseWithResolvers<unknown>> = new Map();
  readonly #handles: Map<number, Handle> = new Map();
  readonly #deliveries: Map<number, AbortController> = new Map();
  readonly #reading: Promise<void>;
  #count = 0;

  constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#reading = this.#read();
  }

  readonly call = async (
    target: "journal" | "queue",
    method: string,
    args: readonly unknown[],
  ): Promise<unknown> => {
    const id = ++this.#count;
    const outcome = Promise.withResolvers<unknown>();
    this.#pending.set(id, outcome);
    this.#send({ kind: "call", id, target, method, args });
    return await outcome.promise;
  };

  async work(agents: unknown, { concurrency, signal }: QueueWorkOptions, handle: Handle) {
    const id = this.#count + 1;
    this.#handles.set(id, handle);
    const stop = (): void => this.#send({ kind: "stop", id });
    signal?.addEventListener("abort", stop, { once: true });
    await this.call("queue", "work", [agents, concurrency]);
    this.#handles.delete(id);
  }

  async close(): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.#reading;
    await this.#child.status;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }

  #send(message: EngineCall): void {
    // A process that was killed receives no calls.
    this.#writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)).catch(() => {});
  }

  async #read(): Promise<void> {
    const chunks = this.#child.stdout.pipeThrough(new TextDecoderStream());
    for await (const line of linesOf(chunks)) this.#receive(JSON.parse(line));
  }

  #receive(reply: EngineReply): void {
    if (reply.kind === "result") this.#pending.get(reply.id)?.resolve(Object(reply.value).value);
    else if (reply.kind === "error") this.#pending.get(reply.id)?.reject(new Error(reply.message));
    else if (reply.kind === "abort") this.#deliveries.get(reply.delivery)?.abort();
    else this.#handle(reply);
  }

  #handle({ attempt, delivery, id, runId }: EngineReply & { kind: "deliver" }): void {
    const aborted = new AbortController();
    this.#deliveries.set(delivery, aborted);
    const handled = (hasFailed: boolean): void =>
      this.#send({ kind: "handled", delivery, hasFailed });
    const handling = this.#handles.get(id)?.(runId, { attempt, signal: aborted.signal });
    handling?.then(() => handled(false), () => handled(true));
  }
}
