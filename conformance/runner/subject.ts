/**
 * Who is under test, and opening the ways to reach them.
 *
 * @module
 */

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
  /** The command of an MCP client; the word `{peer}` stands for the command of its server. */
  readonly client?: readonly string[];
}

/**
 * Starts whatever the subject names; when one fails, those started before are ended.
 *
 * @throws {KitError} `subject_start`
 */
export async function openSubject(
  subject: Subject,
  groups: ProcessGroups,
  settings: ServerSettings,
): Promise<readonly Executor[]> {
  const { driver, server, url, client } = subject;
  const openers = [
    ...(driver === undefined ? [] : [() => openDriver(driver, groups, settings)]),
    ...(server === undefined ? [] : [() => openStdioServer(server, groups, settings)]),
    ...(url === undefined ? [] : [() => openHttpServer(url, settings)]),
    ...(client === undefined ? [] : [() => openClient(client, groups, settings)]),
  ];
  const executors: Executor[] = [];
  try {
    for (const open of openers) executors.push(await open());
    return executors;
  } catch (error) {
    await Promise.all(executors.map((executor) => executor.close()));
    throw error;
  }
}
