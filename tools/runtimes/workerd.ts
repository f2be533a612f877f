/**
 * Starts workers on workerd. The only module that imports miniflare.
 *
 * @module
 */

import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";
import type { Bundle } from "./bundle.ts";

/** Latest compatibility date that the pinned workerd supports. */
const COMPATIBILITY_DATE = "2026-05-01";

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
 * @param durableObjects Durable Object classes, by binding name.
 */
export async function startWorker(
  { entry, files }: Bundle,
  durableObjects: Readonly<Record<string, string>> = {},
): Promise<Worker> {
  const names = [entry, ...[...files.keys()].filter((name) => name !== entry)];
  const decoder = new TextDecoder();
  const worker = new Miniflare({
    compatibilityDate: COMPATIBILITY_DATE,
    durableObjects: { ...durableObjects },
    // The log is discarded, because workerd logs only client disconnects; errors are in the responses.
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
