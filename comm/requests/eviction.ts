/**
 * The choice of a slow sender that loses its capacity to another one.
 *
 * @module
 */

/** A slow sender that uses capacity. */
export interface SlowSender {
  readonly party: string;
  /** Amount of capacity that the sender uses, greater than 0. */
  readonly used: number;
  /** Whether the sender can lose its capacity to a party that uses as much. */
  readonly isOld: boolean;
}

/**
 * Returns the sender that loses its capacity to a party, or `undefined` if no sender does.
 *
 * The first choice is a sender of a late party, unless the given party is late itself. The second
 * choice is the oldest sender of the party that uses most, if this party uses more than the given
 * one or its sender is old.
 *
 * @param senders The slow senders, the oldest first.
 * @param isLate Whether a message of a party has recently waited too long for its keys.
 */
export function findEvicted<Sender extends SlowSender>(
  senders: readonly Sender[],
  party: string,
  isLate: (party: string) => boolean,
): Sender | undefined {
  const late = isLate(party) ? undefined : senders.find((sender) => isLate(sender.party));
  if (late !== undefined) return late;
  const used = new Map<string, number>();
  for (const sender of senders) {
    used.set(sender.party, (used.get(sender.party) ?? 0) + sender.used);
  }
  const own = used.get(party) ?? 0;
  const most = Math.max(...used.values());
  const oldest = senders.find((sender) => used.get(sender.party) === most);
  return most >= 2 * own + 2 || oldest?.isOld === true ? oldest : undefined;
}
