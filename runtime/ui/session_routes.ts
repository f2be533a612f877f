/**
 * The HTTP routes of sessions, which the front-end protocols have in common.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertNonEmptyString,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { callWithin } from "@parley/internal/call-within";
import { asRecord } from "@parley/internal/json";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { int32From } from "@parley/internal/option-checks";
import {
  type DefaultRule,
  type OptionRules,
  required,
  type RequiredRule,
  withDefault,
} from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import type { UserTurn } from "../shared/model.ts";
import type { LiveRun } from "../log/live_run.ts";
import type { SessionState } from "../session/session_state.ts";
import type { Sessions } from "../session/sessions.ts";
import type { SendOptions } from "../session/sessions_options.ts";
import { UI_RULES, type UiErrors, type UiOptions } from "./front_end.ts";
import { readId } from "./read_turn.ts";

/** Options for the routes of sessions. */
export interface SessionRoutesOptions extends UiOptions {
  /** Path of the route that receives messages, for example `/api/chat`. Starts with a slash. */
  readonly path: string;
  /**
   * Returns exactly `true` if the user who sent the request may use the session. Required, because
   * the client chooses the id. Any other result, an exception and a timeout reject the request with
   * status 403. The body of the request has already been read.
   *
   * @param request The request.
   * @param sessionId Id of the session, as sent by the client.
   */
  readonly authorize: (request: Request, sessionId: string) => boolean | Promise<boolean>;
  /**
   * Maximum time for `authorize`, in milliseconds; a positive integer.
   *
   * @default {10_000}
   */
  readonly authorizeTimeoutMs?: number;
  /**
   * Maximum size of a request body, in bytes; a positive integer. A larger body is rejected with
   * status 413.
   *
   * @default {20_971_520}
   */
  readonly maxBodyBytes?: number;
  /**
   * Interval of comments that keep a connection open while the run sends nothing, in milliseconds;
   * a positive integer.
   *
   * @default {15_000}
   */
  readonly keepAliveMs?: number;
}

/** Rules for the options for the routes of sessions. */
export const ROUTE_RULES: OptionRules<UiOptions> & {
  readonly path: RequiredRule;
  readonly authorize: RequiredRule;
  readonly authorizeTimeoutMs: DefaultRule<number>;
  readonly maxBodyBytes: DefaultRule<number>;
  readonly keepAliveMs: DefaultRule<number>;
} = {
  ...UI_RULES,
  path: required(assertPath),
  authorize: required(assertFunction),
  authorizeTimeoutMs: withDefault(10_000, int32From(1)),
  maxBodyBytes: withDefault(20_971_520, assertCount),
  keepAliveMs: withDefault(15_000, int32From(1)),
};

function assertPath(name: string, value: unknown): void {
  assertNonEmptyString(name, value);
  const { origin, pathname } = new URL(value, "http://localhost");
  if (origin === "http://localhost" && pathname === value && !value.endsWith("/")) return;
  rejectArgument(
    name,
    "a path as in the URLs of requests, which starts with a slash and does not end with one",
    value,
  );
}

/** Asserts that a value is an object with the methods of {@linkcode Sessions}. */
export function assertSessions(value: Sessions): void {
  const methods = ["send", "attach", "state", "stop"] as const;
  if (methods.every((method) => typeof Object(value)[method] === "function")) return;
  rejectArgument("sessions", "the Sessions that openSessions() returns", value);
}

/** A message from a client. */
export interface ClientMessage {
  readonly sessionId: string;
  readonly turn: UserTurn | undefined;
  readonly options: SendOptions;
}

/** A page that reconnects to a session. */
export interface ReconnectRequest {
  readonly sessionId: string;
  /** The run to stream. Absent if no run can be read. */
  readonly run: LiveRun | undefined;
  /** Loads the conversation. */
  readonly load: () => Promise<SessionState>;
}

/** Functions that a front-end protocol adds to the routes. */
export interface SessionProtocol {
  /**
   * Reads the body of a message, as parsed JSON.
   *
   * @throws {TypeError} If the body is not valid.
   * @throws {RangeError} If the body exceeds a limit.
   */
  read(body: unknown): ClientMessage;
  /** Creates the response to a message: streams the run. */
  stream(run: LiveRun, body: unknown): Response;
  /** Creates the response to a page that reconnects. */
  reconnect(request: ReconnectRequest): Response | Promise<Response>;
  /** Returns the conversation for a page that is loaded, as JSON. */
  describe(state: SessionState): object;
}

/** Settings of the routes. */
export interface RouteSettings {
  readonly path: string;
  readonly authorize: SessionRoutesOptions["authorize"];
  readonly authorizeTimeoutMs: number;
  readonly maxBodyBytes: number;
  readonly onError: ((error: unknown) => void) | undefined;
}

/** A response with a status other than 200. */
class Refusal extends Error {
  readonly response: Response;

  constructor(status: number, code: string, details: object = {}, headers: HeadersInit = {}) {
    super(code);
    this.response = Response.json({ code, ...details }, { status, headers });
  }
}

/** Creates the function that handles the requests for a session. */
export function createSessionRoutes(
  name: string,
  sessions: Sessions,
  settings: RouteSettings,
  protocol: SessionProtocol,
): (request: Request) => Promise<Response> {
  const report = createErrorReporter(name, settings.onError);
  const routes = new SessionRoutes(sessions, settings, protocol, report);
  return async (request) => {
    try {
      return await routes.handle(request);
    } catch (error) {
      return toResponse(error, report);
    }
  };
}

class SessionRoutes {
  readonly #sessions: Sessions;
  readonly #settings: RouteSettings;
  readonly #protocol: SessionProtocol;
  readonly #report: UiErrors["report"];

  constructor(
    sessions: Sessions,
    settings: RouteSettings,
    protocol: SessionProtocol,
    report: UiErrors["report"],
  ) {
    this.#sessions = sessions;
    this.#settings = settings;
    this.#protocol = protocol;
    this.#report = report;
  }

  async handle(request: Request): Promise<Response> {
    const { path } = this.#settings;
    const { pathname } = new URL(request.url);
    if (pathname === path) {
      allow(request, "POST");
      return await this.#send(request);
    }
    const [sessionId, action, ...rest] = pathname.startsWith(`${path}/`)
      ? pathname.slice(path.length + 1).split("/")
      : [];
    if (!sessionId || rest.length > 0) throw new Refusal(404, "not_found");
    const id = readSessionId(sessionId);
    switch (action) {
      case undefined:
        allow(request, "GET");
        await this.#authorize(request, id);
        return await this.#describe(id);
      case "stream":
        allow(request, "GET");
        await this.#authorize(request, id);
        return await this.#reconnect(id);
      case "stop":
        allow(request, "POST");
        await this.#authorize(request, id);
        return Response.json({ outcome: await this.#sessions.stop(id) });
      default:
        throw new Refusal(404, "not_found");
    }
  }

  async #send(request: Request): Promise<Response> {
    const body = await readBody(request, this.#settings.maxBodyBytes);
    const { options, sessionId, turn } = this.#read(body);
    // In a URL, these ids would be removed.
    if (sessionId === "." || sessionId === "..") throw invalidSessionId();
    await this.#authorize(request, sessionId);
    const run = await this.#sessions.send(sessionId, turn, options);
    return this.#protocol.stream(run, body);
  }

  #read(body: unknown): ClientMessage {
    try {
      return this.#protocol.read(body);
    } catch (error) {
      if (error instanceof RangeError) {
        throw new Refusal(413, "too_large", { message: error.message });
      }
      if (error instanceof TypeError) {
        throw new Refusal(400, "invalid_request", { message: error.message });
      }
      throw error;
    }
  }

  async #describe(sessionId: string): Promise<Response> {
    const state = await this.#sessions.state(sessionId);
    const { current, status } = state;
    const body = { status, runId: current?.runId, ...this.#protocol.describe(state) };
    return Response.json(body, { headers: { "cache-control": "no-store" } });
  }

  async #reconnect(sessionId: string): Promise<Response> {
    const run = await this.#sessions.attach(sessionId);
    const load = (): Promise<SessionState> => this.#sessions.state(sessionId);
    return await this.#protocol.reconnect({ sessionId, run, load });
  }

  /** @throws {Refusal} With status 403 unless `authorize` returns `true` in time. */
  async #authorize(request: Request, sessionId: string): Promise<void> {
    const { authorize, authorizeTimeoutMs: timeoutMs } = this.#settings;
    const late = (): Error => new Error(`"authorize" did not respond within ${timeoutMs} ms`);
    let isAllowed: unknown;
    try {
      isAllowed = await callWithin(() => authorize(request, sessionId), {
        // Deno prints a warning if a program reads the signal of a request.
        signal: undefined,
        timeoutMs,
        late,
      });
    } catch (error) {
      this.#report(error);
    }
    if (isAllowed !== true) throw new Refusal(403, "forbidden");
  }
}

/**
 * Reads the id of a message, which is optional.
 *
 * @throws {TypeError} If the id contains lone surrogates.
 * @throws {RangeError} If the id has more than 4096 characters.
 */
export function readTurnId(message: unknown): { readonly turnId?: string } {
  const { id } = asRecord(message);
  return typeof id === "string" && id !== "" ? { turnId: readId("id", id) } : {};
}

function allow(request: Request, method: "GET" | "POST"): void {
  if (request.method === method) return;
  throw new Refusal(405, "method_not_allowed", {}, { allow: method });
}

function readSessionId(encoded: string): string {
  try {
    return readId("sessionId", decodeURIComponent(encoded));
  } catch {
    throw invalidSessionId();
  }
}

function invalidSessionId(): Refusal {
  return new Refusal(400, "invalid_request", { message: "the session id is not valid" });
}

/**
 * Reads a JSON body. The content type must be JSON, because a page of another origin can send other
 * types without asking the server first.
 */
async function readBody(request: Request, maxBytes: number): Promise<unknown> {
  const [type = ""] = (request.headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new Refusal(415, "unsupported_media_type");
  }
  if (request.bodyUsed) {
    throw new TypeError("Cannot read the body of the request: it was read before");
  }
  const chunks = await readChunks(request.body?.getReader(), maxBytes);
  try {
    return JSON.parse(await new Blob([...chunks]).text());
  } catch {
    throw new Refusal(400, "invalid_request", { message: "the body is not JSON" });
  }
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined,
  maxBytes: number,
): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader?.read() ?? { done: true };
      if (done) return chunks;
      bytes += value.byteLength;
      if (bytes > maxBytes) break;
      chunks.push(value);
    }
  } catch {
    throw new Refusal(400, "invalid_request", { message: "the body cannot be read" });
  }
  // The rest of the body is not needed, so a failure of the connection does not matter.
  reader?.cancel().catch(() => {});
  throw new Refusal(413, "too_large", { maxBytes });
}

function toResponse(error: unknown, report: UiErrors["report"]): Response {
  if (error instanceof Refusal) return error.response;
  if (AgentError.isAgentError(error)) {
    if (error.is("session_busy")) {
      const { runId } = error.details;
      return Response.json({ code: "session_busy", runId }, { status: 409 });
    }
    if (error.is("session_not_waiting")) {
      return Response.json({ code: "session_not_waiting" }, { status: 409 });
    }
    if (error.is("capacity_exceeded") || error.is("sessions_closed")) {
      const headers = { "retry-after": "1" };
      return Response.json({ code: error.code }, { status: 503, headers });
    }
  }
  report(error);
  return Response.json({ code: "internal_error" }, { status: 500 });
}
