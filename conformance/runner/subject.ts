/**
 * The implementation under test, and connections to it.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import { runtimeCommand } from "../platform/process.ts";
import type { ProcessGroups } from "../subject/process_groups.ts";
import { openClient } from "./client_executor.ts";
import { type DriverSubject, hasDriverSteps, openDriver } from "./driver_executor.ts";
import type { Executor } from "./executor.ts";
import { openHttpServer, openStdioServer, type ServerSettings } from "./server_executor.ts";

/** Access paths of an implementation; at least one. */
export interface Subject {
  /** A driver. */
  readonly driver?: DriverSubject;
  /** Program and arguments of an MCP server over stdio. */
  readonly server?: readonly string[];
  /** URL of an MCP server. */
  readonly url?: string;
  /** Program and arguments that start the server of `url`. In both, `{port}` is replaced with a free port. */
  readonly start?: readonly string[];
  /** Program and arguments of an MCP client. `{peer}` is replaced with the command of its server. */
  readonly client?: readonly string[];
}

/**
 * Returns the access paths of the Parley libraries.
 *
 * @param folder Folder of their drivers.
 */
export function ownSubject(
  folder: string,
): Subject & Required<Pick<Subject, "driver" | "server" | "url" | "start">> {
  const script = (name: string): readonly string[] =>
    runtimeCommand(`${folder.replace(/\/$/, "")}/${name}`);
  return {
    driver: { command: script("parley.ts") },
    server: script("everything_stdio.ts"),
    url: "http://127.0.0.1:{port}/mcp",
    start: [...script("everything_http.ts"), "{port}"],
  };
}

/** Executors that share a process and therefore run sequentially. Different groups run in parallel. */
export type SequentialGroup = readonly Executor[];

/** An access path and the cases that it can run. */
interface Opener {
  readonly covers: (each: Case) => boolean;
  readonly open: () => Promise<SequentialGroup>;
}

/**
 * Starts the access paths that the cases need. If one fails to start, the others are stopped.
 *
 * @throws {KitError} With code `subject_start` if an access path does not start.
 */
export async function openSubject(
  subject: Subject,
  groups: ProcessGroups,
  settings: ServerSettings,
  cases: readonly Case[],
): Promise<readonly SequentialGroup[]> {
  const openGroups: SequentialGroup[] = [];
  try {
    for (const { covers, open } of openersOf(subject, groups, settings)) {
      if (cases.some(covers)) openGroups.push(await open());
    }
    return openGroups;
  } catch (error) {
    await Promise.all(openGroups.flat().map((executor) => executor.close()));
    throw error;
  }
}

function openersOf(
  { driver, server, url, start, client }: Subject,
  groups: ProcessGroups,
  settings: ServerSettings,
): readonly Opener[] {
  const address = url === undefined ? undefined : { url, ...(start && { start }) };
  const alone =
    (open: () => Promise<Executor>) => async (): Promise<SequentialGroup> => [await open()];
  return [
    ...(driver === undefined
      ? []
      : [{ covers: isForDriver, open: () => openDriver(driver, groups, settings) }]),
    ...(server === undefined
      ? []
      : [{ covers: isForServer, open: alone(() => openStdioServer(server, groups, settings)) }]),
    ...(address === undefined
      ? []
      : [{ covers: isForServer, open: alone(() => openHttpServer(address, groups, settings)) }]),
    ...(client === undefined
      ? []
      : [{ covers: isForClient, open: alone(() => openClient(client, groups, settings)) }]),
  ];
}

function isForServer(each: Case): boolean {
  return each.kind === "exchange" && each.role === "server";
}

function isForDriver(each: Case): boolean {
  return each.kind !== "exchange" || (each.role === "client" && hasDriverSteps(each.steps));
}

function isForClient(each: Case): boolean {
  return each.kind === "exchange" && each.role === "client" && !hasDriverSteps(each.steps);
}
