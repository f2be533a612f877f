/**
 * Protocol identifiers of the form `<namespace>.<name>.v<N>`, such as `agent.task.v1`.
 *
 * @module
 */

import { invalidArgument } from "../shared/error.ts";
import { quote } from "@parley/internal/format-value";

const PROTOCOL_ID =
  /^((?:[a-z0-9][a-z0-9-]*\.)*[a-z0-9][a-z0-9-]*)\.([a-z0-9][a-z0-9-]*)\.v(0|[1-9][0-9]{0,8})$/;

/** Maximum length of a protocol identifier, in characters. */
export const MAX_PROTOCOL_ID_LENGTH = 256;

/** Components of a protocol identifier. */
export interface ProtocolId {
  /** All labels before the name, separated by dots. */
  readonly namespace: string;
  /** The second-to-last label, such as `task`. */
  readonly name: string;
  /** The major version. Different versions of a protocol are incompatible. */
  readonly version: number;
}

/**
 * Parses a protocol identifier into its components. Messages can have any non-empty string as
 * `protocol`, so this function is optional.
 *
 * @param text An identifier such as `agent.task.v1`: at least three labels, at most 256 characters.
 *   Labels consist of lowercase letters, digits and hyphens. The last label is `v` and a number
 *   without leading zeros.
 * @throws {CommError} With code "invalid_argument" if the text is not a protocol identifier.
 *
 * @example Parse the version of a protocol
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
 * Formats a protocol identifier from its components.
 *
 * @param id Components of the identifier.
 * @throws {CommError} With code "invalid_argument" if the components do not form a valid
 *   identifier.
 *
 * @example Format the next version of a protocol
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
