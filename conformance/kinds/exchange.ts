/**
 * Cases of kind `exchange`: JSON-RPC messages over a real transport.
 *
 * @module
 */

import type { ExchangeCase, ListCall, Matcher, RpcCall, WireStep } from "../kit/case.ts";
import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import { type Captures, findMismatch, show } from "../kit/match_value.ts";
import type { Exit } from "../platform/child_process.ts";
import { isNotification, type RpcConnection, type RpcMessage } from "../subject/rpc_connection.ts";
import { TIMED_OUT, waitFor } from "../subject/wait_for.ts";
import type { DriverSession, SessionOp } from "./driver_session.ts";
import { readList } from "./read_list.ts";
import { substitute } from "./substitute.ts";
import { fromHex } from "./http_body.ts";
import { type HttpContext, HttpSteps } from "./http_steps.ts";
import {
  assertMatch,
  crash,
  failCase,
  notApplicableCase,
  unlessOptional,
  withLastSent,
} from "./case_end.ts";

/** Test environment for an exchange case. */
export interface WireContext {
  /** The kit's end of the connection. */
  readonly peer: RpcConnection;
  /** Captured values. */
  readonly captures: Captures;
  /** Timeout for a response, in milliseconds, after scaling. */
  readonly deadlineMs: number;
  /** Scaling factor for the durations in the case. */
  readonly scale: number;
  /** Returns a new request id. */
  readonly nextId: () => number;
  /** Members that modern protocol versions require in the `params._meta` of each request. */
  readonly meta?: JsonObject;
  /** Returns why the subject exited or is unreachable, or `undefined` while it is available. */
  readonly downReason: () => string | undefined;
  /** The subject's process, if the transport is stdio. */
  readonly process?: WireProcess;
  /** Closes a request's response stream. Set only if closing the stream cancels the request. */
  readonly cancel?: (id: string | number) => void;
  /**
   * Opens the GET stream for unsolicited messages, if the protocol version has one. Resolves to
   * `true` if the stream is open.
   */
  readonly listen?: () => Promise<boolean>;
  /** The server under test, if the transport is HTTP. */
  readonly server?: HttpContext["server"];
  /** The kit's HTTP server, if the subject is a client over HTTP. */
  readonly client?: HttpContext["client"];
  /** The driver, for subjects with the role `client`. */
  readonly driver?: DriverSession;
}

/** A server process that communicates over stdio. */
export interface WireProcess {
  /** Resolves when the server process has exited. */
  readonly exited: Promise<Exit>;
  /** Closes the standard input of the process. */
  closeInput(): void;
  /** Sends a signal such as `SIGTERM` to the process. */
  signal(name: string): void;
}

interface Started {
  readonly id: string | number;
  readonly sent: string;
  readonly response: ReturnType<RpcConnection["request"]>;
}

/**
 * Runs the steps, then checks that the subject sent no other messages.
 *
 * @throws {CaseEnd} On the first mismatch or protocol violation.
 */
export async function runExchange(each: ExchangeCase, context: WireContext): Promise<void> {
  await withLastSent(context.peer.trace, () => play(each, context));
}

async function play(each: ExchangeCase, context: WireContext): Promise<void> {
  const player = new ExchangePlayer(context);
  try {
    await player.play(each.steps);
  } finally {
    player.close();
  }
  assertNoViolation(context.peer);
  const extra = context.peer.unclaimed.find((message) => !isParseErrorResponse(message));
  if (extra === undefined || each.role === "client") return;
  throw failCase({ expected: "no messages other than those in the steps", got: show(extra) });
}

/**
 * Checks that the peer sent only valid messages.
 *
 * @throws {CaseEnd} If the peer violated JSON-RPC 2.0 or the transport rules.
 */
export function assertNoViolation({ violations }: RpcConnection): void {
  const [got] = violations;
  if (got !== undefined) throw failCase({ expected: "only valid JSON-RPC 2.0 messages", got });
}

/**
 * Returns true if the message is an error without an id, the response to unparseable input
 * (JSON-RPC 2.0 §5).
 */
function isParseErrorResponse(message: RpcMessage): boolean {
  return "error" in message && (message.id ?? null) === null;
}

/** Default duration of a check that no message arrives, in milliseconds. */
const QUIET_MS = 100;
/** Pause between polls, in milliseconds, if the response has no `pollIntervalMs`. */
const PAUSE_MS = 50;

class ExchangePlayer {
  readonly #context: WireContext;
  readonly #started: Map<string, Started> = new Map();
  readonly #driven: Map<string, SessionOp> = new Map();
  readonly #http: HttpSteps;

  constructor(context: WireContext) {
    this.#context = context;
    const { peer, captures, server, client } = context;
    this.#http = new HttpSteps({
      trace: peer.trace,
      captures,
      time: (withinMs) => this.#time(withinMs),
      quietTime: (forMs) => forMs + peer.roundTripMs,
      ...(server === undefined ? {} : { server }),
      ...(client === undefined ? {} : { client }),
    });
  }

  /** Closes all streams and requests that the steps left open. */
  close(): void {
    this.#http.close();
  }

  async play(steps: readonly WireStep[]): Promise<void> {
    for (const step of steps) await this.#step(step);
  }

  async #step(step: WireStep): Promise<void> {
    const { peer, captures } = this.#context;
    if ("request" in step) {
      return await unlessOptional(step.optional, () => this.#request(step));
    }
    if ("start" in step) return void this.#started.set(step.as, this.#send(step.start, step.id));
    if ("poll" in step) return await this.#poll(step);
    if ("await" in step) return await this.#await(step.await, step.expect, step.withinMs);
    if ("notify" in step) return peer.send(this.#envelope(step.notify));
    if ("send" in step) return peer.send(substitute(step.send, { captures }));
    if ("sendTogether" in step) {
      const lines = step.sendTogether.map((each) => JSON.stringify(substitute(each, { captures })));
      return peer.sendText(lines.join("\n"));
    }
    if ("sendText" in step) return peer.sendText(step.sendText.padStart(step.padTo ?? 0));
    if ("sendHex" in step) return await peer.sendBytes(fromHex(step.sendHex), step.chunks ?? []);
    if ("receive" in step) return await this.#receive(step.receive, step.as, step.withinMs);
    if ("answerAll" in step) return this.#answerAll(step.answerAll, step.result);
    if ("silence" in step) return await this.#silence(step.silence);
    if ("noMessage" in step) return await this.#noMessage(step.noMessage, step.forMs);
    if ("listen" in step) return await this.#listen();
    if ("alive" in step) return await this.#alive(step.withinMs);
    if ("cancel" in step) return this.#cancel(step.cancel);
    if ("drive" in step) return this.#drive(step);
    if ("list" in step) return await this.#list(step.list);
    if ("repeat" in step) {
      for (let round = 0; round < step.repeat; round++) await this.play(step.steps);
      return;
    }
    const isOfProcess = "closeInput" in step || "signal" in step || "exit" in step;
    await (isOfProcess ? this.#process(step) : this.#http.play(step));
  }

  async #request(step: Extract<WireStep, { readonly request: RpcCall }>): Promise<void> {
    const started = this.#send(step.request, step.id);
    const message = await this.#answer(started, step.withinMs);
    this.#compare(step.expect ?? { result: { $any: true } }, message, started.sent);
    if (step.as !== undefined) this.#context.captures.set(step.as, message);
  }

  /**
   * Repeats a request while its response matches `while`, and compares the first response that does
   * not match.
   */
  async #poll(step: Extract<WireStep, { readonly poll: RpcCall }>): Promise<void> {
    const until = performance.now() + this.#time(step.withinMs);
    while (true) {
      const started = this.#send(step.poll);
      // Each poll has the full timeout: with only the remaining time, the last response would
      // usually be late.
      const message = await this.#answer(started, step.withinMs);
      const isStill = findMismatch(step.while, message, new Map(this.#context.captures));
      if (isStill !== undefined) return this.#compare(step.expect, message, started.sent);
      const { pollIntervalMs } = isObject(message.result) ? message.result : {};
      const pauseMs = typeof pollIntervalMs === "number" ? pollIntervalMs : PAUSE_MS;
      if (performance.now() + pauseMs > until) {
        const { sent } = started;
        throw failCase({ sent, expected: show(step.expect), got: `still ${show(message)}` });
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  #send(call: RpcCall, id: string | number = this.#context.nextId()): Started {
    const { peer, meta } = this.#context;
    const envelope = this.#envelope(call);
    const message = { ...(meta === undefined ? envelope : withMeta(envelope, meta)), id };
    return { id, sent: show(message), response: peer.request(message) };
  }

  #envelope({ method, params }: RpcCall): JsonObject {
    const { captures } = this.#context;
    return {
      jsonrpc: "2.0",
      method,
      ...(params === undefined ? {} : { params: substitute(params, { captures }) }),
    };
  }

  async #await(name: string, expect: Matcher, withinMs?: number): Promise<void> {
    const driven = this.#driven.get(name);
    const { driver } = this.#context;
    if (driven !== undefined && driver !== undefined) {
      const options = withinMs === undefined ? {} : { withinMs };
      return await driver.finishOutcome(driven, expect, { as: name, ...options });
    }
    const started = this.#started.get(name);
    if (started === undefined) {
      throw failCase({ note: `no request or operation was started as "${name}"` });
    }
    this.#compare(expect, await this.#answer(started, withinMs), started.sent);
  }

  #cancel(name: string): void {
    const { peer, cancel, driver } = this.#context;
    const driven = this.#driven.get(name);
    if (driven !== undefined) return driver?.abort(driven);
    const started = this.#started.get(name);
    if (started === undefined) {
      throw failCase({ note: `no request or operation was started as "${name}"` });
    }
    peer.forget(started.id);
    if (cancel !== undefined) return cancel(started.id);
    const params = { requestId: started.id };
    peer.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  async #answer({ sent, response }: Omit<Started, "id">, withinMs?: number): Promise<RpcMessage> {
    const ms = this.#time(withinMs);
    const down = this.#context.process?.exited.then(() => TIMED_OUT) ?? new Promise(() => {});
    const message = await waitFor(Promise.race([response, down]), ms);
    if (isObject(message)) return message;
    throw this.#silent(ms, { sent });
  }

  /**
   * Matches the envelope exactly, because a response must have only the members that JSON-RPC
   * defines.
   */
  #compare(expect: Matcher, message: RpcMessage, sent: string): void {
    const isPlain = isObject(expect) && !Object.keys(expect).some((name) => name.startsWith("$"));
    const whole: Matcher = isPlain
      ? { $exact: { jsonrpc: "2.0", id: { $any: true }, ...expect as JsonObject } }
      : expect;
    assertMatch(whole, message, this.#context.captures, sent);
  }

  async #receive(matcher: Matcher, as: string | undefined, withinMs?: number): Promise<void> {
    const { peer, captures } = this.#context;
    const fits = (message: RpcMessage): boolean =>
      findMismatch(matcher, message, new Map(captures)) === undefined;
    const ms = this.#time(withinMs);
    const message = await peer.next((each) => !isNotification(each) || fits(each), ms);
    if (message === undefined) {
      throw this.#silent(ms, { expected: `a message that matches ${show(matcher)}` });
    }
    assertMatch(matcher, message, captures);
    if (as !== undefined) captures.set(as, message);
  }

  /** Responds to all later requests that match, so that no step receives them. */
  #answerAll(matcher: Matcher, result: JsonValue): void {
    const { peer, captures } = this.#context;
    const answerBefore = peer.intercept;
    peer.intercept = (message) => {
      if (answerBefore(message)) return true;
      const { id } = message;
      const isRequest = typeof id === "string" || typeof id === "number";
      if (!isRequest || findMismatch(matcher, message, new Map(captures)) !== undefined) {
        return false;
      }
      peer.send({ jsonrpc: "2.0", id, result: substitute(result, { captures }) });
      return true;
    };
  }

  async #silence(ms: number): Promise<void> {
    const message = await this.#context.peer.arrival((each) => !isNotification(each), ms);
    if (message === undefined) return;
    throw failCase({ expected: `no message for ${ms} ms`, got: show(message) });
  }

  async #noMessage(matcher: Matcher, forMs = QUIET_MS): Promise<void> {
    const { peer, captures } = this.#context;
    const fits = (message: RpcMessage): boolean =>
      findMismatch(matcher, message, new Map(captures)) === undefined;
    const message = await peer.arrival(fits, forMs);
    if (message === undefined) return;
    if (peer.wasSentBeforeCancellation(message)) {
      throw notApplicableCase("the response was sent before the cancellation arrived");
    }
    throw failCase({ expected: `no message that matches ${show(matcher)}`, got: show(message) });
  }

  /**
   * In legacy versions, the GET stream for unsolicited messages over HTTP is optional for servers.
   */
  async #listen(): Promise<void> {
    const { listen } = this.#context;
    const isOpen = listen === undefined ? true : await waitFor(listen(), this.#time(undefined));
    if (isOpen !== true) {
      throw notApplicableCase("the server has no stream for unsolicited messages");
    }
  }

  async #list(call: ListCall): Promise<void> {
    await readList(call, async (cursor) => {
      const params = cursor === undefined ? {} : { params: { cursor } };
      const { sent, response } = this.#send({ method: call.method, ...params });
      const { result } = await this.#answer({ sent, response });
      return { sent, result };
    });
  }

  async #alive(withinMs?: number): Promise<void> {
    const { meta } = this.#context;
    const started = this.#send({ method: meta === undefined ? "ping" : "server/discover" });
    const message = await this.#answer(started, withinMs);
    this.#compare({ result: { $any: true } }, message, started.sent);
  }

  #drive({ drive, as, ...call }: Extract<WireStep, { readonly drive: string }>): void {
    const { driver, captures } = this.#context;
    if (driver === undefined) throw failCase({ note: "the case needs a driver" });
    for (const [name, value] of captures) driver.captures.set(name, value);
    this.#driven.set(as, driver.start(drive, call));
  }

  async #process(
    step: Extract<
      WireStep,
      { readonly closeInput: true } | { readonly signal: string } | { readonly exit: Matcher }
    >,
  ): Promise<void> {
    const { process, captures } = this.#context;
    if (process === undefined) throw failCase({ note: "the case needs a process" });
    if ("closeInput" in step) return process.closeInput();
    if ("signal" in step) return process.signal(step.signal);
    const ms = this.#time(step.withinMs);
    const exit = await waitFor(process.exited, ms);
    if (exit === TIMED_OUT) {
      throw failCase({
        expected: `the process to exit within ${ms} ms`,
        got: "a process that is still running",
      });
    }
    assertMatch(step.exit, exit, captures);
  }

  #time(withinMs: number | undefined): number {
    const { deadlineMs, scale, peer } = this.#context;
    return peer.timeout(withinMs === undefined ? deadlineMs : withinMs * scale);
  }

  /**
   * Creates the exception for a missing message: a crash if the subject is unavailable, otherwise
   * a failure.
   */
  #silent(
    ms: number,
    { expected = "a response", sent }: { readonly expected?: string; readonly sent?: string },
  ): Error {
    const reason = this.#context.downReason();
    if (reason !== undefined) return crash(sent, reason);
    return failCase({
      ...(sent === undefined ? {} : { sent }),
      expected: `${expected} within ${Math.round(ms)} ms`,
      got: this.#context.peer.describeSilence(),
    });
  }
}

function withMeta(envelope: JsonObject, meta: JsonObject): JsonObject {
  const params: JsonValue = envelope.params ?? {};
  if (!isObject(params)) return envelope;
  const own = isObject(params._meta) ? params._meta : {};
  return { ...envelope, params: { ...params, _meta: { ...meta, ...own } } as JsonObject };
}
