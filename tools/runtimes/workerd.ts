/**
 * Starts workers on workerd. The only module that imports miniflare.
 *
 * @module
 */

import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";

/** Latest compatibility date that the pinned workerd supports. */
const COMPATIBILITY_DATE = "2026-05-01";

/** A program as a set of ES modules. */
export interface WorkerProgram {
  /** Name of the entry file. */
  readonly entry: string;
  /** Content of every file, keyed by file name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** A running worker. */
export interface Worker {
  /** URL of the worker. */
  readonly url: URL;
  /** Closes the worker. */
  close(): Promise<void>;
}

/**
 * Starts a worker. The bundle's entry file is the worker's program.
 *
 * @param bundle the program
 * @param durableObjects Durable Object classes, keyed by binding name.
 * @param compatibilityFlags Features of workerd that are disabled by default.
 */
export async function startWorker(
  { entry, files }: WorkerProgram,
  durableObjects: Readonly<Record<string, string>> = {},
  compatibilityFlags: readonly string[] = [],
): Promise<Worker> {
  const names = [entry, ...[...files.keys()].filter((name) => name !== entry)];
  const decoder = new TextDecoder();
  const worker = new Miniflare({
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: [...compatibilityFlags],
    durableObjects: { ...durableObjects },
    // The log is discarded, because workerd logs only client disconnects; errors are in the
    // responses.
    handleRuntimeStdio: (...streams: Readable[]) => streams.forEach((each) => each.resume()),
    modulesRoot: "/",
    modules: names.map((name) => ({
      type: "ESModule",
      path: `/${name}`,
      contents: decoder.decode(files.get(name)),
    })),
  });
  return { url: await worker.ready, close: () => worker.dispose() };
}
