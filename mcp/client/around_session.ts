/**
 * A session that wraps its requests with the client's `around` function.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { formatValue } from "@parley/internal/format-value";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import {
  type AroundRequest,
  type RequestDescription,
  targetOf,
} from "../protocol/around_request.ts";
import type { ServerDescription } from "../protocol/initialize.ts";
import type { LogLevel } from "../protocol/logging.ts";
import { assertRequestMeta } from "../protocol/meta.ts";
import {
  continueCall,
  type RequestSettings,
  type SessionRequestSettings,
} from "./request_options.ts";
import type { Session } from "./session.ts";
import type { Subscription, SubscriptionFilter } from "./subscription.ts";

/** A session that calls an {@linkcode AroundRequest} function for each request. */
export class AroundSession implements Session {
  readonly #session: Session;
  readonly #around: AroundRequest;
  readonly #transport: RequestDescription["transport"];
  /** Controllers that end the wait for the `around` functions of the requests in flight. */
  readonly #inFlight = new Set<AbortController>();

  /** Wraps a session. */
  constructor(
    session: Session,
    around: AroundRequest,
    transport: RequestDescription["transport"],
  ) {
    this.#session = session;
    this.#around = around;
    this.#transport = transport;
  }

  /** Description of the server. */
  get server(): ServerDescription {
    return this.#session.server;
  }

  /** Session options that apply to each request. */
  get options(): Session["options"] {
    return this.#session.options;
  }

  /** Reason why the connection has ended, or `undefined` while it is open. */
  get ended(): Error | undefined {
    return this.#session.ended;
  }

  /**
   * Calls the `around` function with a `next` function that sends the request. The function counts
   * toward the sum of `maxTotalMs` and `maxInputMs`, and the wait for it ends when the session
   * closes.
   */
  async request(
    method: string,
    params: JsonObject,
    options: SessionRequestSettings,
  ): Promise<JsonObject> {
    const { meta = {}, signal: caller } = options;
    caller?.throwIfAborted();
    const target = targetOf({ params });
    const description = {
      side: "client" as const,
      method,
      ...(target === undefined ? {} : { target }),
      params,
      meta,
      protocolVersion: this.server.protocolVersion,
      transport: this.#transport,
    };
    const startedAt = Date.now();
    const stop = new AbortController();
    const { signal } = stop;
    const settings = { ...options, signal };
    const abort = (): void => stop.abort(caller?.reason);
    caller?.addEventListener("abort", abort);
    this.#inFlight.add(stop);
    const timer = startTimer(description, options, stop);
    try {
      const work = this.#around(description, async (added) => {
        assertRequestMeta(added);
        signal.throwIfAborted();
        const own = continueCall(settings, startedAt);
        const all = added === undefined ? own : { ...own, meta: { ...meta, ...added } };
        return await this.#session.request(method, params, all);
      });
      const result: unknown = await abortable(Promise.resolve(work), signal);
      if (isRecord(result)) return result;
      throw new TypeError(`"around" must return the result of next(), got ${formatValue(result)}`);
    } finally {
      clearTimeout(timer);
      caller?.removeEventListener("abort", abort);
      this.#inFlight.delete(stop);
    }
  }

  /** Sets the minimum level of log messages. */
  async setLogLevel(level: LogLevel, options: RequestSettings): Promise<void> {
    await this.#session.setLogLevel(level, options);
  }

  /** Notifies a legacy server that the roots have changed. */
  async rootsChanged(): Promise<void> {
    await this.#session.rootsChanged();
  }

  /** Opens a subscription stream. */
  async listen(filter: SubscriptionFilter, options: SessionRequestSettings): Promise<Subscription> {
    return await this.#session.listen(filter, options);
  }

  /** Closes the connection, and ends the wait for each `around` function. */
  async close(): Promise<void> {
    try {
      await this.#session.close();
    } finally {
      const reason = this.ended ?? McpError.transportError("client", "closed");
      for (const stop of this.#inFlight) stop.abort(reason);
    }
  }
}

/**
 * Starts the timer that ends a call whose `around` function does not settle. Returns `undefined` if
 * the call has no limit.
 */
function startTimer(
  { method, target }: Pick<RequestDescription, "method" | "target">,
  { maxTotalMs, maxInputMs }: SessionRequestSettings,
  stop: AbortController,
): ReturnType<typeof setTimeout> | undefined {
  const delayMs = maxTotalMs + maxInputMs;
  if (delayMs > MAX_TIMER_MS) return undefined;
  const details = { method, timeoutMs: maxTotalMs, kind: "total" as const };
  return setTimeout(
    () => stop.abort(McpError.timeout(target === undefined ? details : { ...details, target })),
    delayMs,
  );
}
