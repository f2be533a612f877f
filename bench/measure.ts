/**
 * Side-by-side measurement: contenders take turns, so that a noisy machine disturbs all of them alike.
 *
 * @module
 */

/** Something to measure. */
export interface Contender {
  readonly name: string;
  /** How many operations one call makes; the default is 1. */
  readonly operations?: number;
  run(): unknown;
}

/** How long to measure. */
export interface MeasureOptions {
  /** How long all turns of a contender last together; the default is 1500. */
  readonly totalMs?: number;
  /** How long one turn lasts at least; the default is 5. */
  readonly turnMs?: number;
}

/**
 * Operations per second by contender: the best of many short turns. On a shared machine most turns are disturbed, but
 * each contender has some that are not.
 */
export type Speeds = ReadonlyMap<string, number>;

/** Measures contenders side by side. */
export async function measure(
  contenders: readonly Contender[],
  { totalMs = 1500, turnMs = 5 }: MeasureOptions = {},
): Promise<Speeds> {
  const best = new Map<string, number>();
  for (const contender of contenders) await takeTurn(contender, totalMs / 5);
  const started = performance.now();
  while (performance.now() - started < totalMs * contenders.length) {
    for (const contender of contenders) {
      const speed = await takeTurn(contender, turnMs);
      best.set(contender.name, Math.max(best.get(contender.name) ?? 0, speed));
    }
  }
  return best;
}

async function takeTurn({ run, operations = 1 }: Contender, turnMs: number): Promise<number> {
  const started = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < turnMs) {
    await run();
    count += operations;
    elapsed = performance.now() - started;
  }
  return count * 1000 / elapsed;
}

/** How many times quicker one contender is than another. */
export function ratioOf(speeds: Speeds, name: string, peer: string): number {
  const [own, other] = [speeds.get(name), speeds.get(peer)];
  if (own === undefined || other === undefined) {
    throw new RangeError(`Cannot compare "${name}" with "${peer}": one was not measured`);
  }
  return own / other;
}

/** A title and its rows. */
export interface Table {
  readonly title: string;
  /** Operations per second, or whatever `format` writes. */
  readonly speeds: Speeds;
  readonly format?: (value: number) => string;
}

/** What a benchmark found out. */
export interface Report {
  /** What was measured. */
  readonly tables: readonly Table[];
  /** Every figure that is promised, or of interest, by name. */
  readonly ratios: Readonly<Record<string, number>>;
  /** The least that each promised figure must be; a negative one bounds the figure from above. */
  readonly promises: Readonly<Record<string, number>>;
}

/** Writes a report as text; its last line is one JSON object with all ratios. */
export function formatReport({ tables, ratios, promises }: Report): string {
  const lines = tables.flatMap(({ title, speeds, format = formatSpeed }) => [
    title,
    ...[...speeds].map(([name, speed]) => `  ${name.padEnd(34)} ${format(speed).padStart(16)}`),
    "",
  ]);
  const verdicts = Object.entries(ratios).map(([name, ratio]) =>
    `  ${name.padEnd(34)} ${ratio.toFixed(2).padStart(9)}  ${formatPromise(promises[name], ratio)}`
  );
  return [...lines, "ratios", ...verdicts, "", JSON.stringify(ratios, round)].join("\n");
}

function round(_name: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toFixed(3)) : value;
}

function formatSpeed(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")} /s`;
}

function formatPromise(promise: number | undefined, ratio: number): string {
  if (promise === undefined) return "";
  const wanted = promise < 0 ? `at most ${-promise}` : `at least ${promise}`;
  return `${isKept(promise, ratio) ? "kept  " : "MISSED"} (${wanted})`;
}

function isKept(promise: number, ratio: number): boolean {
  return promise < 0 ? ratio <= -promise : ratio >= promise;
}

/** The promised figures that were missed. */
export function findMisses({ ratios, promises }: Report): string[] {
  return Object.entries(promises).filter(([name, promise]) => !isKept(promise, ratios[name] ?? NaN))
    .map(([name]) => name);
}
