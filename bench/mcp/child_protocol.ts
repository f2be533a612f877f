/**
 * What a process that is measured can do.
 *
 * @module
 */

/** What it does on request, by name. */
export type Commands = Readonly<Record<string, (argument: unknown) => unknown>>;

/** Starts to play a role for a subject. */
export type ChildRole = (subject: string, number: number) => Promise<Commands>;

/** What a process has used. */
export interface Usage {
  /** Time of processors, in microseconds, of all its threads. */
  readonly cpuUs: number;
  /** Memory, in megabytes. */
  readonly rssMb: number;
}
