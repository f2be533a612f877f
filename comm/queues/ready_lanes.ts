/**
 * The messages of an inbox that can be delivered.
 *
 * @module
 */

import { Fifo } from "@parley/internal/fifo";

/** Lanes whose first message can be delivered. Parties take turns. */
export class ReadyLanes<Lane extends { readonly party: string }> {
  /** Lanes by party, the party whose turn is next first. */
  readonly #byParty = new Map<string, Fifo<Lane>>();

  /** Adds a lane behind the other lanes of its party. */
  push(lane: Lane): void {
    const lanes = this.#byParty.get(lane.party) ?? new Fifo();
    lanes.push(lane);
    this.#byParty.set(lane.party, lanes);
  }

  /** Removes the oldest lane of the next party that has capacity. */
  shift(hasCapacity: (party: string) => boolean): Lane | undefined {
    for (const [party, lanes] of this.#byParty) {
      if (!hasCapacity(party)) continue;
      const lane = lanes.shift();
      this.#byParty.delete(party);
      if (lanes.size > 0) this.#byParty.set(party, lanes);
      return lane;
    }
    return undefined;
  }
}
