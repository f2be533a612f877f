/**
 * Functions that all processes of the example use: they read settings from the environment, print
 * events to standard output, and provide the stop signal.
 *
 * @module
 */

import type { ClusterEvent } from "./events.ts";

/** Reads environment variables, and throws if one of them is not set. */
export function readEnvironment<Name extends string>(
  ...names: readonly Name[]
): Record<Name, string> {
  const values = names.map((name) => [name, Deno.env.get(name)] as const);
  const missing = values.filter(([, value]) => !value).map(([name]) => name);
  if (missing.length > 0) throw new Error(`Set ${missing.join(", ")}`);
  return Object.fromEntries(values) as Record<Name, string>;
}

/** Prints an event as one line of JSON. */
export function emit(event: Omit<ClusterEvent, "at">): void {
  console.log(JSON.stringify({ at: Date.now(), ...event }));
}

/** Prints a `problem` event for an error that the process recovers from. */
export function emitProblem(error: unknown): void {
  emit({ type: "problem", text: error instanceof Error ? error.message : String(error) });
}

/**
 * Time within which a process must stop, in milliseconds. Without a time limit, the process could
 * wait forever for a database that has exited.
 */
const STOP_MS = 4000;

/**
 * Returns a signal that aborts on SIGTERM, and when the parent process has exited. After the signal
 * aborts, the process exits within `STOP_MS`.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
    setTimeout(() => Deno.exit(1), STOP_MS);
  };
  Deno.addSignalListener("SIGTERM", stop);
  // The operating system closes the pipe when the parent process exits, even if the parent was
  // killed.
  Deno.stdin.readable.pipeTo(new WritableStream()).then(stop, stop);
  return stopping.signal;
}
