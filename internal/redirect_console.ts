/**
 * Redirects the console in a process that uses standard output for a protocol.
 *
 * @module
 */

/**
 * Console methods that print to standard output on every runtime. Console methods such as `error`
 * and `warn` print to standard error.
 */
const PRINTING = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "group",
  "groupCollapsed",
  "count",
  "timeLog",
  "timeEnd",
] as const;

type Printing = Pick<Console, typeof PRINTING[number]>;

/**
 * Redirects the console methods that print to standard output to standard error. Returns a function
 * that restores the methods.
 */
export function redirectConsole(
  target: Printing & Pick<Console, "error"> = globalThis.console,
): () => void {
  const kept = PRINTING.map((name) => [name, target[name]] as const);
  for (const name of PRINTING) target[name] = (...data: unknown[]) => target.error(...data);
  return () => void Object.assign(target, Object.fromEntries(kept));
}
