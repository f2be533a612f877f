/**
 * Ratchets: numbers that may decrease but must not increase, such as the number of violations of a
 * rule that is newer than the code.
 *
 * @module
 */

/** Result of {@linkcode compareToRatchet}, one line per entry. */
export interface RatchetReport {
  /** Numbers that are higher than the ratchet allows. */
  readonly errors: readonly string[];
  /** Numbers that are lower than the ratchet allows, so the ratchet can be lowered. */
  readonly hints: readonly string[];
}

/** Compares measured numbers with the allowed numbers. The allowed number defaults to 0. */
export function compareToRatchet(
  measured: ReadonlyMap<string, number>,
  allowed: Readonly<Record<string, number>>,
  file: string,
): RatchetReport {
  const names = [...new Set([...measured.keys(), ...Object.keys(allowed)])].toSorted();
  const errors: string[] = [];
  const hints: string[] = [];
  for (const name of names) {
    const [now, limit] = [measured.get(name) ?? 0, allowed[name] ?? 0];
    if (now > limit) errors.push(`${name}: ${now}, but ${file} allows ${limit}`);
    if (now < limit) hints.push(`${name}: ${now}; lower ${limit} to ${now} in ${file}`);
  }
  return { errors, hints };
}

/** Returns the ratchet with lowered numbers. Omits numbers that are 0. */
export function lowerRatchet(
  current: Readonly<Record<string, number>>,
  measured: ReadonlyMap<string, number>,
): Record<string, number> {
  const lowered = Object.entries(current)
    .map(([name, limit]): [string, number] => [name, Math.min(limit, measured.get(name) ?? 0)]);
  return Object.fromEntries(lowered.filter(([, limit]) => limit > 0));
}
