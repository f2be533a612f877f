/**
 * Events of the example. Child processes print the events as JSON Lines, and all output of the
 * example is derived from these events.
 *
 * @module
 */

/**
 * An event of the cluster. In addition to `at` and `process`, each `type` of event has its own
 * members:
 *
 * - Run events, as returned by `toEventJson` from `@parley/runtime/events`.
 * - `agent`: the agent named `name` has the DID `did`.
 * - `message`: `receiver` has received the signed `message` and has verified it.
 * - `effect`: a replica has executed the tool call with the idempotency key `key`.
 * - `responded`: the requester has received the response to order number `order`.
 * - `process`: the process has changed its `state` to `started`, `ready`, `killed` or `ended`.
 * - `problem`: the process has reported an error that it recovers from.
 */
export interface ClusterEvent {
  readonly type: string;
  /** Time of the event, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Name of the process. */
  readonly process?: string;
  readonly [member: string]: unknown;
}

/** Reads an event from an output line of a child process. */
export function readEvent(process: string, line: string): ClusterEvent {
  const { at, type, ...members } = Object(parse(line));
  return typeof type === "string" && typeof at === "number"
    ? { type, at, process, ...members }
    : { type: "problem", at: Date.now(), process, text: line };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
