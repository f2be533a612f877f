/**
 * Deviations from the protocol that a client can accept.
 *
 * @module
 */

/** A deviation from the protocol that has only one meaning. */
export interface Deviation {
  /** Kind of deviation, such as `"isError" is null`. */
  readonly what: string;
  /** Description of this occurrence. */
  readonly detail?: string;
}

/**
 * Accepts a deviation in the response to a request, and reports it if it is the first of its kind.
 *
 * @throws {McpError} With code `protocol_error` if the client is strict.
 */
export type Tolerance = (deviation: Deviation, method: string) => void;
