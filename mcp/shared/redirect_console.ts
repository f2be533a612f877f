/**
 * The console of a process whose standard output carries a protocol.
 *
 * @module
 */

/** What prints to standard output, on every runtime. The rest prints to standard error already. */
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

/** Lets whatever would be printed to standard output go to standard error, until the function returned is called. */
export function redirectConsole(
  target: Printing & Pick<Console, "error"> = globalThis.console,
): () => void {
  const kept = PRINTING.map((name) => [name, target[name]] as const);
  for (const name of PRINTING) target[name] = (...data: unknown[]) => target.error(...data);
  return () => void Object.assign(target, Object.fromEntries(kept));
}
