/**
 * A process with an SQLite engine that executes the calls of a test. Each line of the standard
 * input is a {@linkcode EngineCall}, and each line of the standard output an
 * {@linkcode EngineReply}. The engine is closed when the standard input ends.
 *
 *     deno run engine_process.ts FILE LEASE_MS
 *
 * @module
 */

import process from "node:process";
import type { JsonValue } from "../../mod.ts";
import { sqliteRuns } from "../../sqlite.ts";

/** A call of a method, or the end of a delivery or of a worker. */
export type EngineCall =
  | {
    readonly kind: "call";
    readonly id: number;
    readonly target: "journal" | "queue";
    readonly method: string;
    readonly args: readonly unknown[];
  }
  | { readonly kind: "stop"; readonly id: number }
  | { readonly kind: "handled"; readonly delivery: number; readonly hasFailed: boolean };

/** The outcome of a call, a delivery to a worker, or the end of a delivery by the engine. */
export type EngineReply =
  | { readonly kind: "result"; readonly id: number; readonly value: JsonValue }
  | { readonly kind: "error"; readonly id: number; readonly message: string }
  | {
    readonly kind: "deliver";
    readonly id: number;
    readonly delivery: number;
    readonly runId: string;
    readonly attempt: number;
  }
  | { readonly kind: "abort"; readonly delivery: number };

/** Splits text at line feeds. JSON may contain other characters that end a line. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncIterable<string> {
  let rest = "";
  for await (const text of chunks) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

if (import.meta.main) await serve(process.argv[2] ?? "", Number(process.argv[3]));

async function serve(file: string, leaseMs: number): Promise<void> {
  await using engine = sqliteRuns(file, { retryDelayMs: 1, pollIntervalMs: 5, leaseMs });
  const stops = new Map<number, AbortController>();
  const handled = new Map<number, (hasFailed: boolean) => void>();
  let deliveries = 0;
  const reply = (message: EngineReply): void => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  };
  const work = async (id: number, [agents, concurrency]: readonly unknown[]): Promise<void> => {
    const stop = new AbortController();
    stops.set(id, stop);
    const options = { concurrency: Number(concurrency), signal: stop.signal };
    await engine.queue.work(Object(agents), options, async (runId, { attempt, signal }) => {
      const delivery = ++deliveries;
      const ended = new Promise<boolean>((resolve) => handled.set(delivery, resolve));
      signal.addEventListener("abort", () => reply({ kind: "abort", delivery }), { once: true });
      reply({ kind: "deliver", id, delivery, runId, attempt });
      if (await ended) throw new Error("the delivery has failed");
    });
  };
  const call = async (message: EngineCall & { kind: "call" }): Promise<unknown> => {
    const { args, id, method, target } = message;
    if (method === "work") return await work(id, args);
    if (method === "steps") return await Array.fromAsync(engine.journal.steps(String(args[0])));
    if (method === "signals") return await Array.fromAsync(engine.journal.signals(String(args[0])));
    if (method === "purge") return await engine.journal.purge(new Date(String(args[0])));
    if (method === "wake") {
      const { due, ...rest } = Object(args[1]);
      const options = due === undefined ? rest : { ...rest, due: new Date(due) };
      return await engine.queue.wake(Object(args[0]), options);
    }
    const result: unknown = await Reflect.get(engine[target], method).apply(engine[target], args);
    if (method !== "open" || result === undefined) return result;
    const { run, signals, steps } = Object(result);
    return { run, steps: [...steps], signals: [...signals] };
  };
  for await (const line of linesOf(process.stdin.setEncoding("utf8"))) {
    const message: EngineCall = JSON.parse(line);
    if (message.kind === "stop") stops.get(message.id)?.abort();
    else if (message.kind === "handled") handled.get(message.delivery)?.(message.hasFailed);
    else {
      const { id } = message;
      call(message).then(
        (value) => reply({ kind: "result", id, value: Object({ value }) }),
        (error) => reply({ kind: "error", id, message: String(error) }),
      );
    }
  }
}
