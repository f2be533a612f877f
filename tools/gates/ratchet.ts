/**
 * Ratchets: numbers that may fall and must not rise, such as the breaches of a rule that is younger than the code.
 *
 * @module
 */

/** Result of {@linkcode compareToRatchet}, one line per entry. */
export interface RatchetReport {
  /** Numbers above what the ratchet allows. */
  readonly errors: readonly string[];
  /** Numbers below it: the ratchet can be lowered. */
  readonly hints: readonly string[];
}

/** Compares measured numbers with the allowed ones; a name without an allowed number must be 0. */
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
