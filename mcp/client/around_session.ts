/**
 * A session that wraps its requests with the client's `around` function.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { formatValue } from "@parley/internal/format-value";
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
import type { RequestSettings, SessionRequestSettings } from "./request_options.ts";
import type { Session } from "./session.ts";
import type { Subscription, SubscriptionFilter } from "./subscription.ts";

/** A session that calls an {@linkcode AroundRequest} function for each request. */
export class AroundSession implements Session {
  readonly #session: Session;
  readonly #around: AroundRequest;
  readonly #transport: RequestDescription["transport"];

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

  /** Calls the `around` function with a `next` function that sends the request. */
  async request(
    method: string,
    params: JsonObject,
    options: SessionRequestSettings,
  ): Promise<JsonObject> {
    const { meta = {} } = options;
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
    const work = this.#around(description, async (added) => {
      assertRequestMeta(added);
      const all = added === undefined ? options : { ...options, meta: { ...meta, ...added } };
      return await this.#session.request(method, params, all);
    });
    const result: unknown = await abortable(Promise.resolve(work), options.signal);
    if (isRecord(result)) return result;
    throw new TypeError(`"around" must return the result of next(), got ${formatValue(result)}`);
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

  /** Closes the connection. */
  async close(): Promise<void> {
    await this.#session.close();
  }
}
