/**
 * Workers on workerd: the one door to miniflare.
 *
 * @module
 */

import type { Readable } from "node:stream";
import { Miniflare } from "miniflare";
import type { Bundle } from "./bundle.ts";

/** The newest that the pinned workerd knows. */
const COMPATIBILITY_DATE = "2026-05-01";

/** A worker that runs. */
export interface Worker {
  /** Where it answers. */
  readonly url: URL;
  /** Ends it. */
  close(): Promise<void>;
}

/**
 * Starts a worker of a bundle; the module that comes first is its program.
 *
 * @param bundle the program
 * @param durableObjects its classes of Durable Objects, by the names of their bindings; default: none
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
    // It reports clients that leave; what goes wrong comes as a response.
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
