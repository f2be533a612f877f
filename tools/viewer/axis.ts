/**
 * The time axis: positions of times, with long silences shortened, so that waiting for a person
 * does not squeeze all other rows into a corner.
 *
 * @module
 */

/** Longest silence between two events that is shown in full, in milliseconds. */
export const MAX_SILENCE_MS = 5000;

/** Maps times to positions, both in milliseconds. */
export class Axis {
  readonly #cuts: { from: number; until: number }[] = [];
  #first = NaN;
  #last = NaN;

  /** Time of the first event, or `NaN` if no event has been added. */
  get first(): number {
    return this.#first;
  }

  /** Time of the last event. */
  get last(): number {
    return this.#last;
  }

  /** Adds the time of an event to the axis. Event times may be out of order. */
  add(at: number): void {
    if (Number.isNaN(this.#first)) [this.#first, this.#last] = [at, at];
    const from = this.#last + MAX_SILENCE_MS;
    if (at > from) this.#cuts.push({ from, until: at });
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
  }

  /**
   * Returns the position of a time. Times more than `MAX_SILENCE_MS` after the last event have the
   * same position.
   */
  positionOf(at: number): number {
    const shown = Math.min(at, this.#last + MAX_SILENCE_MS);
    const skipped = this.#cuts.map(({ from, until }) => Math.max(0, Math.min(shown, until) - from));
    return shown - this.#first - skipped.reduce((sum, each) => sum + each, 0);
  }

  /** Positions at which silences between events are shortened. */
  get cuts(): number[] {
    return this.#cuts.map(({ from }) => this.positionOf(from));
  }

  /**
   * Returns at most 6 ticks up to a position. The label of a tick is the time since the first
   * event.
   */
  ticks(end: number): { position: number; label: string }[] {
    const step = tickDistance(end);
    const count = Math.floor(end / step);
    return Array.from({ length: count + 1 }, (_, index) => {
      const position = index * step;
      return { position, label: formatMs(this.#timeSinceFirst(position)) };
    });
  }

  #timeSinceFirst(position: number): number {
    let time = position;
    for (const { from, until } of this.#cuts) {
      if (time > from - this.#first) time += until - from;
    }
    return time;
  }
}

/** Returns the distance between ticks: 1, 2 or 5 times a power of ten. */
export function tickDistance(end: number): number {
  const rough = Math.max(end, 1) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5].find((each) => each * power >= rough) ?? 10;
  return factor * power;
}

/** Formats a duration, such as `450 ms`, `2.3 s` or `4 min 10 s`. */
export function formatMs(ms: number): string {
  if (ms === 0) return "0";
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1).replace(/\.?0+$/, "")} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
