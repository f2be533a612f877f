/**
 * Reads the bodies of requests, and the members that the interfaces have in common.
 *
 * @module
 */

import { isRecord, type UnknownRecord } from "@parley/internal/json";
import { isStorable } from "../runs/step_recorder.ts";
import { readRequestBody } from "../shared/request_body.ts";
import { ApiError, invalid, unsupported } from "./api_error.ts";

/**
 * Reads a body that is a JSON object. Browsers ask the server before a page of another site can
 * send JSON, so other content types are rejected.
 *
 * @throws {ApiError} If the content type is not JSON, or the body is too large or not an object.
 */
export async function readJsonObject(request: Request, maxBytes: number): Promise<UnknownRecord> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") {
    throw new ApiError(415, "The content type must be application/json");
  }
  const body = await readRequestBody(request, maxBytes);
  if ("failure" in body) {
    if (body.failure === "unreadable") throw new ApiError(400, "The body cannot be read");
    throw new ApiError(413, `The body must have at most ${maxBytes} bytes`);
  }
  const value = parseJson(body.text);
  if (!isRecord(value)) throw new ApiError(400, "The body must be a JSON object");
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, "The body must be JSON");
  }
}

/** Reads an optional boolean; `null` is absent. */
export function readFlag(
  body: UnknownRecord,
  name: string,
  at: string = name,
): boolean | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw invalid(at, "a boolean");
}

/** Reads an optional object; `null` is absent. */
export function readObject(
  body: UnknownRecord,
  name: string,
  at: string = name,
): UnknownRecord | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || isRecord(value)) return value;
  throw invalid(at, "an object");
}

/** Reads an optional id that is not empty; `null` is absent. */
export function readString(
  body: UnknownRecord,
  name: string,
  maxChars: number,
): string | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const isValid = typeof value === "string" && value !== "" && value.length <= maxChars;
  if (isValid && isStorable(value)) return value;
  throw invalid(name, `a string of 1 to ${maxChars} characters`);
}

/**
 * Checks the tools of the caller.
 *
 * @param names Members of the body that declare tools.
 */
export function checkTools(
  body: UnknownRecord,
  callerTools: "reject" | "ignore",
  names: readonly string[],
): void {
  for (const name of names) {
    const tools = body[name] ?? [];
    if (!Array.isArray(tools)) throw invalid(name, "an array");
    if (tools.length > 0 && callerTools === "reject") {
      throw unsupported(name, "an agent has its own tools");
    }
  }
}

/**
 * Checks the format of the output, which only the agent determines.
 *
 * @param at Path of the format in the body.
 */
export function checkTextFormat(format: UnknownRecord | undefined, at: string): void {
  const type = format?.type ?? "text";
  if (typeof type !== "string") throw invalid(`${at}.type`, "a string");
  if (type !== "text") throw unsupported(at, "the agent determines the format of its response");
}
