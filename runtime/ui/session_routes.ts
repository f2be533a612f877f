/**
 * The HTTP routes of sessions, which the front-end protocols have in common.
 *
 * @module
 */

import {
  assertCount,
  assertFunction,
  assertOptionalFunction,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { callWithin } from "@parley/internal/call-within";
import { asRecord, defined } from "@parley/internal/json";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { formatValue } from "@parley/internal/format-value";
import { int32From } from "@parley/internal/option-checks";
import {
  type DefaultRule,
  type OptionCheck,
  type OptionRules,
  optionsReader,
  required,
  type RequiredRule,
  withDefault,
} from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import type { UserTurn } from "../shared/model.ts";
import type { LiveRun } from "../log/live_run.ts";
import type { SessionState } from "../session/session_state.ts";
import type { Sessions } from "../session/sessions.ts";
import type { JsonObject } from "../shared/json.ts";
import { assertPath } from "../shared/path_option.ts";
import { toMetadata } from "../shared/run_metadata.ts";
import { isParty, PARTY_REQUIREMENT } from "../session/run_party.ts";
import type { SendOptions } from "../session/sessions_options.ts";
import { UI_RULES, type UiErrors, type UiOptions } from "./front_end.ts";
import { INPUT_RULES, readId, type UiInputLimits, type UiInputOptions } from "./read_turn.ts";
import {
  allow,
  assertNotForged,
  invalidSessionId,
  readBody,
  readSessionId,
  Refusal,
} from "./route_requests.ts";

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
   * Returns the party on whose behalf the request is sent, such as the user: 1 to 256 characters.
   * `maxPartyRuns` of the sessions limits the runs of each party. `undefined` is a request of no
   * party, which only `maxRuns` limits. Called for requests with a message or a decision, after
   * `authorize`. Any other result, an exception and a timeout reject the request with status 403.
   *
   * @param request The request. Its body has already been read.
   */
  readonly party?: (request: Request) => string | undefined | Promise<string | undefined>;
  /**
   * Returns the metadata of the run that the request starts, for example the tenant and the locale
   * of the user, which the sessions pass to `agent`: a JSON object of at most 65,536 bytes.
   * `undefined` starts a run without metadata. Called for requests with a message, after
   * `authorize`. Any other result, an exception and a timeout reject the request with status 403.
   *
   * @param request The request. Its body has already been read.
   */
  readonly metadata?: (
    request: Request,
  ) => JsonObject | undefined | Promise<JsonObject | undefined>;
  /**
   * Maximum time for each of `authorize`, `party` and `metadata`, in milliseconds; a positive
   * integer.
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

const ROUTE_RULES: OptionRules<UiOptions> & {
  readonly path: RequiredRule;
  readonly authorize: RequiredRule;
  readonly party: OptionCheck;
  readonly metadata: OptionCheck;
  readonly authorizeTimeoutMs: DefaultRule<number>;
  readonly maxBodyBytes: DefaultRule<number>;
  readonly keepAliveMs: DefaultRule<number>;
} = {
  ...UI_RULES,
  path: required(assertPath),
  authorize: required(assertFunction),
  party: assertOptionalFunction,
  metadata: assertOptionalFunction,
  authorizeTimeoutMs: withDefault(10_000, int32From(1)),
  maxBodyBytes: withDefault(20_971_520, assertCount),
  keepAliveMs: withDefault(15_000, int32From(1)),
};

/** The options of a handler. */
interface HandlerOptions extends SessionRoutesOptions, UiInputOptions {}

const readHandlerOptions = optionsReader<HandlerOptions>("options")({
  ...ROUTE_RULES,
  ...INPUT_RULES,
});

function assertSessions(value: Sessions): void {
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

/** Settings of a front-end protocol. */
export interface ProtocolSettings {
  /** Limits of a message. */
  readonly limits: UiInputLimits;
  /** Error handling, without options that are omitted. */
  readonly texts: UiOptions;
  readonly keepAliveMs: number;
}

/** Functions that a front-end protocol adds to the routes. */
export interface SessionProtocol<Message extends ClientMessage> {
  /**
   * Reads the body of a message, as parsed JSON.
   *
   * @throws {TypeError} If the body is not valid.
   * @throws {RangeError} If the body exceeds a limit.
   */
  read(body: unknown): Message;
  /** Creates the response to a message that was read: streams the run. */
  stream(run: LiveRun, message: Message): Response;
  /** Creates the response to a page that reconnects. */
  reconnect(request: ReconnectRequest): Response | Promise<Response>;
  /** Returns the conversation for a page that is loaded, as JSON. */
  describe(state: SessionState): object;
}

/** Settings of the routes. */
type RouteSettings = Pick<
  ReturnType<typeof readHandlerOptions>,
  "path" | "authorize" | "party" | "metadata" | "authorizeTimeoutMs" | "maxBodyBytes"
>;

/** Creates the function that handles the requests for a session. */
export function createSessionRoutes<Message extends ClientMessage>(
  name: string,
  sessions: Sessions,
  options: HandlerOptions,
  create: (settings: ProtocolSettings) => SessionProtocol<Message>,
): (request: Request) => Promise<Response> {
  assertSessions(sessions);
  const { errorText, keepAliveMs, onError, ...settings } = readHandlerOptions(options);
  const { maxDecisions, maxFileChars, maxParts, maxTextChars, ...routing } = settings;
  const limits = { maxDecisions, maxFileChars, maxParts, maxTextChars };
  const protocol = create({ limits, texts: defined({ errorText, onError }), keepAliveMs });
  const report = createErrorReporter(name, onError);
  const routes = new SessionRoutes(sessions, routing, protocol, report);
  return async (request) => {
    try {
      return await routes.handle(request);
    } catch (error) {
      return toResponse(error, report);
    }
  };
}

class SessionRoutes<Message extends ClientMessage> {
  readonly #sessions: Sessions;
  readonly #settings: RouteSettings;
  readonly #protocol: SessionProtocol<Message>;
  readonly #report: UiErrors["report"];

  constructor(
    sessions: Sessions,
    settings: RouteSettings,
    protocol: SessionProtocol<Message>,
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
        assertNotForged(request, true);
        await this.#authorize(request, id);
        return Response.json({ outcome: await this.#sessions.stop(id) });
      default:
        throw new Refusal(404, "not_found");
    }
  }

  async #send(request: Request): Promise<Response> {
    const body = await readBody(request, this.#settings.maxBodyBytes);
    const message = this.#read(body);
    const { options, sessionId, turn } = message;
    // In a URL, these ids would be removed.
    if (sessionId === "." || sessionId === "..") throw invalidSessionId();
    await this.#authorize(request, sessionId);
    const party = await this.#partyOf(request);
    const metadata = turn === undefined ? undefined : await this.#metadataOf(request);
    const run = await this.#sessions.send(sessionId, turn, {
      ...options,
      ...defined({ metadata, party }),
      reserveReader: true,
    });
    return this.#protocol.stream(run, message);
  }

  #read(body: unknown): Message {
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
    const { authorize } = this.#settings;
    const isAllowed: unknown = await this.#ask("authorize", () => authorize(request, sessionId));
    if (isAllowed !== true) throw new Refusal(403, "forbidden");
  }

  /** @throws {Refusal} With status 403 if `party` does not return a party in time. */
  async #partyOf(request: Request): Promise<string | undefined> {
    const { party } = this.#settings;
    if (party === undefined) return undefined;
    const value: unknown = await this.#ask("party", () => party(request));
    if (value === undefined || isParty(value)) return value;
    this.#report(
      new TypeError(
        `"party" must return undefined or ${PARTY_REQUIREMENT}, got ${formatValue(value)}`,
      ),
    );
    throw new Refusal(403, "forbidden");
  }

  /** @throws {Refusal} With status 403 if `metadata` does not return metadata in time. */
  async #metadataOf(request: Request): Promise<JsonObject | undefined> {
    const { metadata } = this.#settings;
    if (metadata === undefined) return undefined;
    const value: unknown = await this.#ask("metadata", () => metadata(request));
    try {
      return value === undefined ? undefined : toMetadata(value);
    } catch (error) {
      this.#report(error);
      throw new Refusal(403, "forbidden");
    }
  }

  /** @throws {Refusal} With status 403 if a function of the program fails or is late. */
  async #ask<T>(name: string, call: () => T | Promise<T>): Promise<T> {
    const { authorizeTimeoutMs: timeoutMs } = this.#settings;
    const late = (): Error => new Error(`"${name}" did not respond within ${timeoutMs} ms`);
    try {
      // Deno prints a warning if a program reads the signal of a request.
      return await callWithin(call, { signal: undefined, timeoutMs, late });
    } catch (error) {
      this.#report(error);
      throw new Refusal(403, "forbidden");
    }
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
