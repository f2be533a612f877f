/**
 * Who is under test, and opening the ways to reach them.
 *
 * @module
 */

import type { ProcessGroups } from "../subject/process_groups.ts";
import { type DriverSubject, openDriver } from "./driver_executor.ts";
import type { Executor, ExecutorSettings } from "./executor.ts";

/** The ways to reach an implementation; at least one. */
export interface Subject {
  /** A driver for operations. */
  readonly driver?: DriverSubject;
}

/** What opening needs beside the settings of every way. */
export interface OpenSettings extends ExecutorSettings {
  /** MCP revision to speak. */
  readonly revision: string;
}

/**
 * Starts whatever the subject names; when one fails, those started before are ended.
 *
 * @throws {KitError} `subject_start`
 */
export async function openSubject(
  subject: Subject,
  groups: ProcessGroups,
  settings: OpenSettings,
): Promise<readonly Executor[]> {
  const executors: Executor[] = [];
  if (subject.driver !== undefined) {
    executors.push(await openDriver(subject.driver, groups, settings));
  }
  return executors;
}
