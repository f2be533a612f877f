/**
 * Reads and checks requests, before an operation is called.
 *
 * @module
 */

import { InvalidMember } from "@parley/internal/proto-json";
import type { Caller, ServedContext } from "../serve/contracts.ts";
import { AgentError } from "../shared/error.ts";
import { readRequestBody } from "../shared/request_body.ts";
import { A2aError } from "./errors.ts";
import { A2A_APPROVALS, A2A_UNIQUE_MESSAGE_IDS } from "./extensions.ts";
import type { A2aService } from "./service.ts";
import { A2A_VERSION } from "./types.ts";
import { isSupportedVersion } from "./version.ts";

/**
 * Returns the caller of a request.
 *
 * @throws {A2aError} With reason `UNAUTHENTICATED` if the credentials of the request are not valid.
 */
export function readCaller({ isDenied, principal }: ServedContext): Caller {
  if (isDenied === true) throw new A2aError("UNAUTHENTICATED");
  return principal;
}

/** Maximum length of the header `A2A-Extensions`. */
const MAX_EXTENSIONS_LENGTH = 4096;

/**
 * Returns the URIs of the extensions that a request activates and the agent supports.
 *
 * @throws {A2aError} If the header is too long, or a required extension is missing.
 */
export function readActivated(service: A2aService, { headers }: Request): ReadonlySet<string> {
  const header = headers.get("a2a-extensions") ?? "";
  if (header.length > MAX_EXTENSIONS_LENGTH) {
    throw new A2aError("INVALID_REQUEST", "The header A2A-Extensions is too long");
  }
  const requested = new Set(header.split(",").map((uri) => uri.trim()));
  const required = service.extensions.filter(({ isRequired }) => isRequired === true);
  const missing = required.find(({ uri }) => !requested.has(uri));
  if (missing !== undefined) {
    const metadata = { extension: missing.uri };
    throw new A2aError("EXTENSION_SUPPORT_REQUIRED", undefined, { metadata });
  }
  return new Set(supportedUris(service).filter((uri) => requested.has(uri)));
}

function supportedUris({ approvals, extensions }: A2aService): readonly string[] {
  const own = approvals === "caller"
    ? [A2A_UNIQUE_MESSAGE_IDS, A2A_APPROVALS]
    : [A2A_UNIQUE_MESSAGE_IDS];
  return [...own, ...extensions.map(({ uri }) => uri)];
}

/** Returns the headers of a response, which name the activated extensions. */
export function toHeaders(activated: ReadonlySet<string>): Readonly<Record<string, string>> {
  return activated.size === 0 ? {} : { "a2a-extensions": [...activated].join(", ") };
}

/**
 * Returns the response of an operation. A cache must not store it, because it is for one caller.
 */
export function toJsonResponse(body: unknown, activated: ReadonlySet<string>): Response {
  const headers = { "cache-control": "no-store", ...toHeaders(activated) };
  return Response.json(body, { headers });
}

/**
 * Checks the version of the protocol. A request without a version has the version 0.3 (section
 * 3.6.2).
 *
 * @throws {A2aError} With reason `VERSION_NOT_SUPPORTED`.
 */
export function assertVersion({ headers, url }: Request): void {
  const given = headers.get("a2a-version") ?? new URL(url).searchParams.get("A2A-Version") ?? "";
  const version = given.trim() === "" ? "0.3" : given.trim();
  if (isSupportedVersion(version)) return;
  const name = JSON.stringify(version.slice(0, 16));
  throw new A2aError(
    "VERSION_NOT_SUPPORTED",
    `The protocol version ${name} is not supported; the supported version is "${A2A_VERSION}"`,
  );
}

/** Returns `true` if the body of a request is declared as JSON. */
export function isJson({ headers }: Request): boolean {
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  return type === "application/json" || type === "application/a2a+json";
}

/**
 * Reads a body as JSON. Returns `undefined` for an empty body.
 *
 * @throws {A2aError} If the body is too large, cannot be read, or is not JSON.
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const body = await readRequestBody(request, maxBytes);
  if ("failure" in body) {
    if (body.failure === "unreadable") throw new A2aError("PARSE_ERROR", "Cannot read the body");
    throw new A2aError("PAYLOAD_TOO_LARGE", `The body must have at most ${maxBytes} bytes`);
  }
  if (body.text === "") return undefined;
  try {
    return JSON.parse(body.text);
  } catch {
    throw new A2aError("PARSE_ERROR");
  }
}

/** Converts the error of an operation. Errors that the client has not caused are masked. */
export function toA2aError({ report }: A2aService, error: unknown): A2aError {
  if (error instanceof A2aError) return error;
  if (error instanceof InvalidMember) return new A2aError("INVALID_PARAMS", error.message);
  if (AgentError.isAgentError(error)) {
    if (error.is("run_not_found")) return new A2aError("TASK_NOT_FOUND");
    if (error.is("capacity_exceeded") || error.is("run_limit")) {
      return new A2aError("RESOURCE_EXHAUSTED");
    }
  }
  report(error);
  return new A2aError("INTERNAL_ERROR");
}
