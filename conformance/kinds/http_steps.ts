/**
 * Steps that use single HTTP connections: requests to a server, and responses to a client.
 *
 * @module
 */

import type { Matcher } from "../kit/case.ts";
import type { HttpBody, HttpCall, HttpHead } from "../kit/http_message.ts";
import type { HttpStep } from "../kit/http_step.ts";
import { isObject, type JsonObject } from "../kit/json.ts";
import { type Captures, findMismatch, show } from "../kit/match_value.ts";
import type { HeldRequest, HttpTestServer } from "../subject/http_test_server.ts";
import {
  callHttp,
  type HttpStream,
  openStream,
  type PlainCall,
  type StreamEvent,
} from "../subject/http_call.ts";
import { MAX_TIMER_MS, TIMED_OUT, waitFor } from "../subject/wait_for.ts";
import type { HttpWatcher } from "../subject/wire_watcher.ts";
import type { Trace } from "../subject/trace.ts";
import { encodeBody, splitReply, writeChunks } from "./http_body.ts";
import { substitute } from "./substitute.ts";
import { assertMatch, failCase, notApplicableCase, unlessOptional } from "./case_end.ts";

/** A server under test. */
export interface HttpSubject {
  /** URL of the server. */
  readonly url: string;
  /** Aborted when the connection to the server is closed. */
  readonly signal: AbortSignal;
  /** Receives a copy of all requests and responses. */
  readonly watcher?: HttpWatcher | undefined;
  /** Registers a session that a step has opened, which is ended after the case. */
  addSession(id: string, headers: Readonly<Record<string, string>>): void;
}

/** Test environment for HTTP steps. */
export interface HttpContext {
  /** Message log. */
  readonly trace: Trace;
  /** Captured values. */
  readonly captures: Captures;
  /** Returns the scaled timeout for a step, in milliseconds. */
  readonly time: (withinMs: number | undefined) => number;
  /** Returns the duration of a check that nothing arrives, in milliseconds. */
  readonly quietTime: (forMs: number) => number;
  /** The server under test, if the subject is a server. */
  readonly server?: HttpSubject;
  /** The kit's HTTP server, if the subject is a client. */
  readonly client?: HttpTestServer;
}

/** Default duration of a check that no event or request arrives, in milliseconds. */
const QUIET_MS = 100;

/** Runs the HTTP steps in one case. */
export class HttpSteps {
  readonly #context: HttpContext;
  readonly #streams: Map<string, HttpStream> = new Map();
  readonly #held: Map<string, HeldRequest> = new Map();

  constructor(context: HttpContext) {
    this.#context = context;
  }

  /** Runs one step. */
  async play(step: HttpStep): Promise<void> {
    const { time } = this.#context;
    if ("http" in step) {
      const ms = time(step.withinMs);
      return await unlessOptional(step.optional, () => this.call(step.http, step.expect, ms));
    }
    if ("stream" in step) return await unlessOptional(step.optional, () => this.#open(step));
    if ("noEvent" in step) return await this.#noEvent(step);
    if ("event" in step) return await unlessOptional(step.optional, () => this.#event(step));
    if ("cut" in step) return this.#stream(step.cut).cut();
    if ("ended" in step) return await this.#ended(step.ended, time(step.withinMs));
    if ("accept" in step) return await this.#accept(step);
    if ("unasked" in step) return await this.#unasked(step.unasked, step.forMs ?? QUIET_MS);
    if ("refuseAll" in step) return this.#client().refuseAll(step.refuseAll);
    if ("reply" in step) return await this.#reply(step);
    if ("write" in step) return await this.#write(step.to, step.write, step.more);
    this.#request(step.drop).reply.drop();
  }

  /** Sends an HTTP request and compares the complete response with the expectation. */
  async call(call: HttpCall, expect: Matcher, ms: number): Promise<void> {
    const { trace, captures } = this.#context;
    const { url, signal: closed, watcher } = this.#server();
    const { sent, filled } = this.#fill(call);
    const signal = AbortSignal.any([closed, AbortSignal.timeout(Math.min(ms, MAX_TIMER_MS))]);
    const answer = await callHttp({ url, signal, watcher }, filled).catch((error: unknown) => {
      throw failCase({ sent, expected: show(expect), got: String(error) });
    });
    trace.add("←", show(answer, 2000));
    this.#keepSession(filled, answer.headers);
    assertMatch(expect, answer, captures, sent);
  }

  /** Closes all open streams. */
  close(): void {
    for (const stream of this.#streams.values()) stream.cut();
  }

  async #open(
    { stream: call, as, expect, withinMs, late }: Extract<HttpStep, { readonly stream: HttpCall }>,
  ): Promise<void> {
    const { trace, captures, time } = this.#context;
    const { url, signal, watcher } = this.#server();
    const { sent, filled } = this.#fill(call);
    const head = await waitFor(
      openStream({ url, signal, watcher }, filled).catch((error: unknown) => {
        throw failCase({ sent, expected: "a response", got: String(error) });
      }),
      time(withinMs),
    );
    if (head === TIMED_OUT) {
      if (late !== undefined) throw notApplicableCase(late);
      throw failCase({ sent, expected: "a response", got: "no response" });
    }
    this.#streams.set(as, head);
    const { status, headers } = head;
    this.#keepSession(filled, headers);
    trace.add("←", show({ status, headers }, 2000));
    const wanted = expect ?? { status: 200, headers: { "content-type": { $re: "^text/event-" } } };
    assertMatch(wanted, { status, headers }, captures, sent);
  }

  async #event(
    { event: name, expect, withinMs }: Extract<HttpStep, { readonly event: string }>,
  ): Promise<void> {
    const { trace, captures, time } = this.#context;
    const passed: string[] = [];
    const found = await this.#stream(name).next((event) => {
      trace.add("←", show(event, 2000));
      if (findMismatch(expect, event, new Map(captures)) === undefined) return true;
      passed.push(show(event, 200));
      return false;
    }, time(withinMs));
    if (found === undefined) {
      const got = passed.length === 0 ? "no event" : `only ${passed.join(", ")}`;
      throw failCase({ expected: `an event that matches ${show(expect)}`, got });
    }
    assertMatch(expect, found, captures);
  }

  async #noEvent(
    { noEvent, on, forMs = QUIET_MS }: Extract<HttpStep, { readonly noEvent: Matcher }>,
  ): Promise<void> {
    const { captures, quietTime } = this.#context;
    const fits = (event: StreamEvent): boolean =>
      findMismatch(noEvent, event, new Map(captures)) === undefined;
    const found = await this.#stream(on).next(fits, quietTime(forMs));
    if (found === undefined) return;
    throw failCase({
      expected: `no event that matches ${show(noEvent)} on "${on}"`,
      got: show(found),
    });
  }

  async #ended(name: string, ms: number): Promise<void> {
    const held = this.#held.get(name);
    const ended = held === undefined ? this.#stream(name).ended : whenFired(held.signal);
    if (await waitFor(ended, ms) !== TIMED_OUT) return;
    throw failCase({ expected: `the stream "${name}" to end`, got: "an open stream" });
  }

  async #accept(
    { accept, as, withinMs }: Extract<HttpStep, { readonly accept: Matcher }>,
  ): Promise<void> {
    const { captures, time } = this.#context;
    const passed: string[] = [];
    const held = await this.#client().next((request) => {
      const mismatch = findMismatch(accept, request, new Map(captures));
      if (mismatch !== undefined) passed.push(describe(request));
      return mismatch === undefined;
    }, time(withinMs));
    if (held === undefined) {
      const got = passed.length === 0 ? "no request" : `only ${[...new Set(passed)].join(", ")}`;
      throw failCase({ expected: `a request that matches ${show(accept)}`, got });
    }
    assertMatch(accept, held.request, captures);
    this.#held.set(as, held);
  }

  async #unasked(matcher: Matcher, ms: number): Promise<void> {
    const { captures } = this.#context;
    const fits = (request: JsonObject): boolean =>
      findMismatch(matcher, request, new Map(captures)) === undefined;
    const held = await this.#client().next(fits, ms);
    if (held === undefined) return;
    throw failCase({
      expected: `no request that matches ${show(matcher)}`,
      got: describe(held.request),
    });
  }

  async #reply(
    { reply, to, more }: Extract<HttpStep, { readonly reply: HttpBody & HttpHead }>,
  ): Promise<void> {
    const { captures, trace } = this.#context;
    const { head, body } = splitReply(reply, captures);
    trace.add("→", show(head));
    const held = this.#request(to);
    held.reply.head(head.status, head.headers);
    await this.#write(to, body, more);
  }

  async #write(to: string, body: HttpBody, more: true | undefined): Promise<void> {
    const { captures, trace } = this.#context;
    const { reply } = this.#request(to);
    const bytes = encodeBody(body, captures);
    if (bytes.length > 0) trace.add("→", new TextDecoder().decode(bytes));
    await writeChunks(reply, bytes, body.chunks);
    if (more !== true) reply.end();
  }

  #fill(call: HttpCall): { readonly sent: string; readonly filled: PlainCall } {
    const { trace, captures } = this.#context;
    const headers = Object.entries(call.headers ?? {}).flatMap(([name, value]) => {
      // If the server assigned no session id, the session header is omitted.
      const isAbsent = isObject(value) && value.$ref === "session" && !captures.has("session");
      return isAbsent ? [] : [[name, String(substitute(value, { captures }))]];
    });
    const filled: PlainCall = {
      ...call,
      headers: Object.fromEntries(headers),
      ...(call.body === undefined ? {} : { body: substitute(call.body, { captures }) }),
    };
    const sent = `${call.method} ${show(filled)}`;
    trace.add("→", sent);
    return { sent, filled };
  }

  /** Registers the session that a request has opened, with the headers of its user. */
  #keepSession(
    { headers = {}, body }: PlainCall,
    received: Readonly<Record<string, string>>,
  ): void {
    const id = received["mcp-session-id"];
    if (id === undefined || !isObject(body) || body.method !== "initialize") return;
    const version = isObject(body.params) ? body.params.protocolVersion : undefined;
    this.#server().addSession(id, {
      ...(headers.authorization === undefined ? {} : { authorization: headers.authorization }),
      ...(typeof version === "string" ? { "mcp-protocol-version": version } : {}),
    });
  }

  #server(): HttpSubject {
    const { server } = this.#context;
    if (server === undefined) throw failCase({ note: "the case needs HTTP" });
    return server;
  }

  #client(): HttpTestServer {
    const { client } = this.#context;
    if (client === undefined) throw failCase({ note: "the case needs HTTP" });
    return client;
  }

  #stream(name: string): HttpStream {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw failCase({ note: `unknown stream "${name}"` });
    return stream;
  }

  #request(name: string): HeldRequest {
    const held = this.#held.get(name);
    if (held === undefined) throw failCase({ note: `unknown request "${name}"` });
    return held;
  }
}

function whenFired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function describe({ method, path, json }: JsonObject): string {
  const rpc = isObject(json) && "method" in json ? ` with ${show(json.method)}` : "";
  return `${method} ${path}${rpc}`;
}
