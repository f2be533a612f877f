/**
 * Who is under test, and opening the ways to reach them.
 *
 * @module
 */

import { runtimeCommand } from "../platform/process.ts";
import type { ProcessGroups } from "../subject/process_groups.ts";
import { openClient } from "./client_executor.ts";
import { type DriverSubject, openDriver } from "./driver_executor.ts";
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
export type Lane = readonly Executor[];

/**
 * Starts whatever the subject names; when one fails, those started before are ended.
 *
 * @throws {KitError} `subject_start`
 */
export async function openSubject(
  subject: Subject,
  groups: ProcessGroups,
  settings: ServerSettings,
): Promise<readonly Lane[]> {
  const { driver, server, url, start, client } = subject;
  const address = url === undefined ? undefined : { url, ...(start && { start }) };
  const one = async (opening: Promise<Executor>): Promise<readonly Executor[]> => [await opening];
  const openers = [
    ...(driver === undefined ? [] : [() => openDriver(driver, groups, settings)]),
    ...(server === undefined ? [] : [() => one(openStdioServer(server, groups, settings))]),
    ...(address === undefined ? [] : [() => one(openHttpServer(address, groups, settings))]),
    ...(client === undefined ? [] : [() => one(openClient(client, groups, settings))]),
  ];
  const lanes: Lane[] = [];
  try {
    for (const open of openers) lanes.push(await open());
    return lanes;
  } catch (error) {
    await Promise.all(lanes.flat().map((executor) => executor.close()));
    throw error;
  }
}
