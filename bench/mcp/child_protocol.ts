/**
 * Types that the measuring process and the measured processes share.
 *
 * @module
 */

/** Command handlers of a measured process, keyed by command name. */
export type Commands = Readonly<Record<string, (argument: unknown) => unknown>>;

/** Starts a server or client with the implementation under test. */
export type ChildRole = (subject: string, number: number) => Promise<Commands>;

/** Resource usage of a process. */
export interface Usage {
  /** Processor time of all threads, in microseconds. */
  readonly cpuUs: number;
  /** Resident set size, in megabytes. */
  readonly rssMb: number;
}
