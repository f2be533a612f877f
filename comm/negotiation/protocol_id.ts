/**
 * Protocol identifiers of the shape `<namespace>.<name>.v<N>`, such as `agent.task.v1`.
 *
 * @module
 */

import { invalidArgument, quote } from "../shared/error.ts";

const PROTOCOL_ID =
  /^((?:[a-z0-9][a-z0-9-]*\.)*[a-z0-9][a-z0-9-]*)\.([a-z0-9][a-z0-9-]*)\.v(0|[1-9][0-9]{0,8})$/;

/** How long a protocol identifier may be, in characters. */
export const MAX_PROTOCOL_ID_LENGTH = 256;

/** The parts of a protocol identifier. */
export interface ProtocolId {
  /** Everything before the name; may hold dots. */
  readonly namespace: string;
  /** The name. */
  readonly name: string;
  /** The major version: two versions of one name do not understand each other. */
  readonly version: number;
}

/**
 * Takes a protocol identifier apart.
 *
 * Messages may carry any non-empty text as `protocol`; this is for those who want to look inside.
 *
 * @param text e.g. `agent.task.v1`: lower-case labels of letters, digits and hyphens, at least three of them, the last
 *   one `v` and a number without leading zeros; at most 256 characters
 * @throws {CommError} `invalid_argument` for any other text
 *
 * @example Read the version of a protocol
 * ```ts
 * import { parseProtocolId } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseProtocolId("org.example.task.v2"), {
 *   namespace: "org.example",
 *   name: "task",
 *   version: 2,
 * });
 * ```
 */
export function parseProtocolId(text: string): ProtocolId {
  const match = text.length <= MAX_PROTOCOL_ID_LENGTH ? PROTOCOL_ID.exec(text) : null;
  const [, namespace, name, version] = match ?? [];
  if (namespace === undefined || name === undefined || version === undefined) {
    throw invalidArgument(
      "protocol",
      `must have the form <namespace>.<name>.v<N>, got ${quote(text)}`,
    );
  }
  return { namespace, name, version: Number(version) };
}

/**
 * Puts a protocol identifier together.
 *
 * @param id its parts
 * @throws {CommError} `invalid_argument` when the parts make no protocol identifier
 *
 * @example Name the next version
 * ```ts
 * import { formatProtocolId, parseProtocolId } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const id = parseProtocolId("agent.task.v1");
 * assertEquals(formatProtocolId({ ...id, version: id.version + 1 }), "agent.task.v2");
 * ```
 */
export function formatProtocolId(id: ProtocolId): string {
  const text = `${id.namespace}.${id.name}.v${id.version}`;
  parseProtocolId(text);
  return text;
}
