/**
 * Measures canonical JSON of values of different shapes, relative to the fastest of three libraries
 * that implement RFC 8785.
 *
 * @module
 */

import { canonicalize } from "@parley/comm/canonical-json";
import { type Contender, measureCpuRounds, median, medianRatioOf } from "../measure.ts";
import { assertOk, createMessage, RECIPIENT } from "./messages.ts";
import { loadPeer } from "./peers.ts";

const OURS = "@parley/comm";

/** Text of a number that does not depend on the machine. */
function textOf(index: number): string {
  return Math.floor(Math.abs(Math.sin(index)) * 1e9).toString(36);
}

function list<T>(length: number, create: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => create(index));
}

/** A small object with unsorted members. */
function createRow(id: number): Record<string, unknown> {
  const nested = { z: 1, a: 'text with "quotes"\n', m: null };
  return { name: `user ${id}`, id, score: Math.sin(id) * 1000, tags: ["alpha", "beta"], nested };
}

/**
 * Functions that create a value, by the name of its shape. A large value that is still in memory
 * would slow the collection of garbage during the measurement of another shape.
 */
const SHAPES: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  ["small_object", () => createMessage(RECIPIENT).toJSON()],
  ["nesting", () => list(120, (index) => index).reduce<unknown>((b, a) => ({ b, a }), 1)],
  [
    "10000_members",
    () => Object.fromEntries(list(10_000, (index) => [textOf(index + 1), index])),
  ],
  [
    "integer_like_names",
    () => Object.fromEntries(list(10_000, (index) => [String((index * 7919) % 10_007), index])),
  ],
  ["backslashes", () => "\\d\\u".repeat(50_000)],
  ["1mb_string", () => "x".repeat(1_000_000)],
  ["integers", () => list(100_000, (index) => index)],
  ["doubles", () => list(100_000, Math.sin)],
  ["8000_objects", () => list(8000, createRow)],
  ["chinese", () => list(1000, (index) => `${"漢字かな".repeat(83)}é😀${index}`)],
  ["control_characters", () => list(10_000, (index) => `\u0001${index}"\\`)],
  [
    "mixed",
    () => list(300, (index) => ({ ...createRow(index), "10": 1, "9": [null, true, 1.5] })),
  ],
]);

/** Ratios of {@linkcode measureShapes}. */
export interface ShapeRatios {
  /** Speeds relative to the fastest library, keyed by the names of the ratios. */
  readonly byShape: Readonly<Record<string, number>>;
  /** The lowest ratio. */
  readonly lowest: number;
  /** Speed for an empty object, relative to the fastest library. */
  readonly empty: number;
}

/** Measures all shapes. */
export async function measureShapes(): Promise<ShapeRatios> {
  const byShape: Record<string, number> = {};
  for (const [name, create] of SHAPES) {
    byShape[`canonicalize_${name}_vs_fastest`] = await measureShape(create());
  }
  const lowest = Math.min(...Object.values(byShape));
  return { byShape, lowest, empty: await measureShape({}) };
}

/** Returns the number of runs in 10 ms. */
function countRuns(run: () => unknown): number {
  const startedAt = performance.now();
  let runs = 0;
  for (; performance.now() - startedAt < 10; runs++) run();
  return runs;
}

async function measureShape(value: unknown): Promise<number> {
  const expected = canonicalize(value);
  const functions: readonly [string, (value: unknown) => string | undefined][] = [
    [OURS, canonicalize],
    ["canonicalize", (await loadPeer("canonicalize")).default],
    ["json-canonicalize", (await loadPeer("json-canonicalize")).canonicalize],
    ["@truestamp/canonify", (await loadPeer("@truestamp/canonify")).canonify],
  ];
  const contenders = functions.map(([name, run]): Contender => {
    assertOk(run(value) === expected);
    countRuns(() => run(value));
    const operations = Math.ceil(countRuns(() => run(value)) / 10);
    return {
      name,
      operations,
      run: () => {
        for (let time = 0; time < operations; time++) run(value);
      },
    };
  });
  const rounds = await measureCpuRounds(contenders, { rounds: 15, turnMs: 12 });
  const cost = (name: string) => median((rounds.get(name) ?? []).map(({ cpuUs }) => cpuUs));
  const [, ...peers] = functions.map(([name]) => name);
  const [fastest = ""] = peers.toSorted((a, b) => cost(a) - cost(b));
  return medianRatioOf(rounds, OURS, fastest);
}
