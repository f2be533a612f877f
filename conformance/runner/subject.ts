/**
 * The implementation under test, and connections to it.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import { runtimeCommand } from "../platform/process.ts";
import type { ProcessGroups } from "../subject/process_groups.ts";
import { isForClient, openClient } from "./client_executor.ts";
import { type DriverSubject, isForDriver, openDriver } from "./driver_executor.ts";
import type { Executor } from "./executor.ts";
import { openHttpServer, openStdioServer } from "./open_server.ts";
import { isForServer, type ServerSettings } from "./server_executor.ts";

/** Connections to an implementation under test. At least one connection must be set. */
export interface Subject {
  /** A driver for a library, and the driver's settings. */
  readonly driver?: DriverSubject;
  /** Program and arguments of an MCP server that uses stdio. */
  readonly server?: readonly string[];
  /** URL of an MCP server. */
  readonly url?: string;
  /**
   * Program and arguments that start the server at `url`. `{port}` in the command and in `url` is
   * replaced with a free port.
   */
  readonly start?: readonly string[];
  /**
   * Program and arguments of an MCP client. `{peer}` is replaced with the command of the test
   * server.
   */
  readonly client?: readonly string[];
}

/**
 * Returns the connections to the drivers for the Parley libraries, which the kit tests by default.
 *
 * @param folder Folder that contains the drivers.
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

/** A connection to the subject and the cases that can run over it. */
interface Opener {
  readonly covers: (each: Case) => boolean;
  readonly open: () => Promise<readonly Executor[]>;
}

/**
 * Opens the connections that the cases need. If a connection fails to open, the other connections
 * are closed.
 *
 * @throws {KitError} With code `subject_start` if a connection cannot be opened.
 */
export async function openSubject(
  subject: Subject,
  groups: ProcessGroups,
  settings: ServerSettings,
  cases: readonly Case[],
): Promise<readonly Executor[]> {
  const executors: Executor[] = [];
  try {
    for (const { covers, open } of openersOf(subject, groups, settings, cases)) {
      if (cases.some(covers)) executors.push(...await open());
    }
    return executors;
  } catch (error) {
    await Promise.all(executors.map((executor) => executor.close()));
    throw error;
  }
}

function openersOf(
  { driver, server, url, start, client }: Subject,
  groups: ProcessGroups,
  settings: ServerSettings,
  cases: readonly Case[],
): readonly Opener[] {
  const address = url === undefined ? undefined : { url, ...(start && { start }) };
  const alone =
    (open: () => Promise<Executor>) => async (): Promise<readonly Executor[]> => [await open()];
  return [
    ...(driver === undefined
      ? []
      : [{ covers: isForDriver, open: () => openDriver(driver, groups, settings, cases) }]),
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
