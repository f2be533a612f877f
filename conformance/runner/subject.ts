/**
 * Who is under test, and opening the ways to reach them.
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

/** The ways to reach an implementation; at least one. */
export interface Subject {
  /** A driver for operations. */
  readonly driver?: DriverSubject;
  /** The command of an MCP server on stdio. */
  readonly server?: readonly string[];
  /** The address of an MCP server. */
  readonly url?: string;
  /** The command that starts the server at `url`; the text `{port}` stands for a free port in both. */
  readonly start?: readonly string[];
  /** The command of an MCP client; the word `{peer}` stands for the command of its server. */
  readonly client?: readonly string[];
}

/**
 * Our own libraries: every way to reach them.
 *
 * @param folder where their drivers are
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

/** Ways that share a process: one after another, while those of other lanes are at work. */
export type SequentialGroup = readonly Executor[];

/** A way to reach a subject, and which cases are for it. */
interface Opener {
  readonly covers: (each: Case) => boolean;
  readonly open: () => Promise<SequentialGroup>;
}

/**
 * Starts whatever the subject names and the cases need; when one fails, those started before are ended.
 *
 * @throws {KitError} `subject_start`
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
