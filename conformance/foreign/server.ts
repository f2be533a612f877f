/**
 * Servers that have to be started before they can be reached over HTTP.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { connectTcp, freePort } from "../platform/net.ts";
import { type LineProcess, startLineProcess } from "../subject/line_process.ts";
import type { ProcessGroups } from "../subject/process_groups.ts";
import { TIMED_OUT, waitFor } from "../subject/time.ts";
import { commandOf, type ForeignSubject } from "./subject.ts";

const READY_MS = 60_000;
const RETRY_MS = 50;

/** A server that listens. */
export interface ListeningServer {
  /** Its address. */
  readonly url: string;
  /** Ends it, with everything it started. */
  close(): Promise<void>;
}

/**
 * Starts a server on a free port of loopback and waits until it listens.
 *
 * @throws {KitError} `subject_start` when it ends or does not listen within a minute
 */
export async function startServer(
  subject: ForeignSubject & { readonly reach: { readonly kind: "http" } },
  groups: ProcessGroups,
): Promise<ListeningServer> {
  const port = await freePort();
  const ignore = (): void => {};
  const process = await startLineProcess({
    command: commandOf(subject, port),
    groups,
    onLine: ignore,
    onOverflow: ignore,
  });
  if (!await listens(process, port)) {
    const tail = process.errorTail();
    await process.kill();
    throw new KitError(
      KitErrorCode.SubjectStart,
      `Cannot start ${subject.name}: nobody listens on its port ${tail}`.trim(),
    );
  }
  return {
    url: subject.reach.url.replaceAll("{port}", String(port)),
    close: async () => void await process.kill(),
  };
}

async function listens({ exited }: LineProcess, port: number): Promise<boolean> {
  const end = performance.now() + READY_MS;
  while (performance.now() < end) {
    try {
      (await connectTcp(port)).destroy();
      return true;
    } catch {
      // Not yet: it is asked again until it listens or has gone.
    }
    if (await waitFor(exited, RETRY_MS) !== TIMED_OUT) return false;
  }
  return false;
}
