/**
 * Reader of responses from token endpoints, which accepts deviations from the standard that have
 * only one meaning.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-5 RFC 6749, section 5}
 * @module
 */

import { readRetryAfter } from "@parley/internal/retry-after";
import { parseObject } from "./parse_object.ts";

/** A response from a token endpoint. */
export interface TokenReply {
  /** Status of the response. */
  readonly status: number;
  /** Body of the response. */
  readonly text: string;
  /** Members of the body that the client reads; `undefined` if the body is not a JSON object. */
  readonly members: Readonly<Record<string, unknown>> | undefined;
  /** Time after which the server accepts a new attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Deviations from the standard that are accepted in a successful response. */
  readonly deviations: readonly string[];
}

/**
 * Members of a token response that the client reads. The client ignores the ID token, because it
 * does not need the user's identity.
 */
const KNOWN = [
  "access_token",
  "token_type",
  "expires_in",
  "refresh_token",
  "scope",
  "error",
  "error_description",
] as const;

/** Members of a successful response and their types, in the order in which they are checked. */
const TYPES = {
  access_token: "string",
  token_type: "string",
  expires_in: "number",
  refresh_token: "string",
} as const;

/** A member of a token response, without a value if the member is treated as absent. */
interface Member {
  readonly value?: unknown;
  readonly deviation?: string;
}

/** Reads the status, the members and the delay of a response. */
export async function readTokenReply(response: Response): Promise<TokenReply> {
  const { status, headers } = response;
  const text = await response.text();
  const object = parseObject(text);
  const read = KNOWN.map((name) => [name, readMember(name, object?.[name])] as const);
  const members = Object.fromEntries(
    read.flatMap(([name, { value }]) => value === undefined ? [] : [[name, value]]),
  );
  const deviations = read.flatMap(([, { deviation }]) => deviation ?? []);
  return {
    status,
    text,
    members: object && members,
    retryAfterMs: readRetryAfter(headers.get("retry-after")),
    // Servers create tokens with status 201, for example.
    deviations: status === 200 ? deviations : [`status ${status}`, ...deviations],
  };
}

function readMember(name: typeof KNOWN[number], value: unknown): Member {
  if (value === undefined) return {};
  if (value === null) return { deviation: `"${name}" is null` };
  switch (name) {
    case "expires_in":
      return readLifetime(value);
    case "refresh_token":
      return value === "" ? { deviation: '"refresh_token" is empty' } : { value };
    case "scope":
      // The client keeps the requested scopes, so the scopes in the response are not needed.
      return typeof value === "string" ? { value } : { deviation: '"scope" is not a string' };
    case "error":
      if (value === "") return { deviation: '"error" is empty' };
      return value === false ? { deviation: '"error" is false' } : { value };
    default:
      return { value };
  }
}

/** A token that expires when it is issued is useless, so its lifetime is unknown. */
function readLifetime(value: unknown): Member {
  const isText = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value);
  const seconds = isText ? Number(value) : value;
  if (typeof seconds === "number" && seconds <= 0) {
    return { deviation: '"expires_in" is not positive' };
  }
  return isText ? { value: seconds, deviation: '"expires_in" is a string' } : { value };
}

/**
 * Returns the response with the status that the standard prescribes. Some servers use status 201
 * for tokens, and 200 for errors.
 */
export function toStandardResponse({ status, members }: TokenReply): Response {
  const isSuccess = status >= 200 && status < 300;
  const standard = isSuccess ? (members?.error === undefined ? 200 : 400) : status;
  return Response.json(members ?? null, { status: standard });
}

/** Describes the first reason for which a successful response is invalid, without its tokens. */
export function describeInvalid({ status, members }: TokenReply): string {
  return `HTTP ${status}, and ${
    members ? describeMembers(members) : "the body is not a JSON object"
  }`;
}

function describeMembers(members: Readonly<Record<string, unknown>>): string {
  for (const [name, type] of Object.entries(TYPES)) {
    const value = members[name];
    if (value === undefined && type === "string" && name !== "refresh_token") {
      return `"${name}" is missing`;
    }
    if (value !== undefined && typeof value !== type) return `"${name}" is not a ${type}`;
    if (value === "") return `"${name}" is empty`;
  }
  // The value is not quoted, because it can be a token.
  return '"token_type" is not supported';
}
