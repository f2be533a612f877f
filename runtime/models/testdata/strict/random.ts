/**
 * Random responses of models, equal for equal seeds.
 *
 * @module
 */

/** What a model responds: reasoning, text and tool calls. */
export interface Answer {
  readonly reasoning: boolean;
  readonly text: string;
  readonly calls: readonly AnswerCall[];
  /** Whether the response contains an image, if the API has such responses. */
  readonly image?: boolean;
}

/** A tool call of a model. */
export interface AnswerCall {
  readonly name: string;
  /** JSON text of the input, which can be invalid. */
  readonly input: string;
  /** Whether the call has an id. */
  readonly hasId: boolean;
}

/** Pseudorandom numbers (mulberry32). */
export class Random {
  #state: number;

  /** Starts the sequence of a seed. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns true with a probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns an item of a list. */
  pick<T>(items: readonly [T, ...T[]]): T {
    return items[Math.floor(this.next() * items.length)] ?? items[0];
  }

  /** Returns an integer from 0 to `max`. */
  integer(max: number): number {
    return Math.floor(this.next() * (max + 1));
  }
}

const TEXTS = ["", "I look.", " ", "é\u{1f600}", "half \ud83d", "\u0000"] as const;

const INPUTS = ["{}", '{"city":"Paris"}', "", "[1]", '"text"', "5", '{"city":', "null"] as const;

/** Returns a random response. The last response of a run contains no calls. */
export function randomAnswer(
  random: Random,
  tools: readonly [string, ...string[]],
  isLast: boolean,
): Answer {
  const count = isLast ? 0 : 1 + random.integer(2);
  const text = random.pick(TEXTS);
  return {
    reasoning: text === "" || random.chance(0.5),
    text,
    image: random.chance(0.2),
    calls: Array.from({ length: count }, () => ({
      name: random.chance(0.1) ? "unknown" : random.pick(tools),
      input: random.pick(INPUTS),
      hasId: random.chance(0.8),
    })),
  };
}
