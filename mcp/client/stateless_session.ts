/**
 * The stateless era (2026-07-28) from the client's side: every request says who sends it, questions come as results.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr Multi round-trip requests}
 * @module
 */

import { McpError } from "../error.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { isRequest, request as makeRequest } from "../rpc/message.ts";
import type { Connection } from "../rpc/transport.ts";
import type { ServerDescription } from "../protocol/handshake.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { claimMeta } from "../protocol/stateless.ts";
import { answerInput, capabilitiesOf } from "./input.ts";
import { type RequestOptions, sendRequest } from "./request.ts";
import type { Session, SessionOptions } from "./session.ts";

/** How often a server may ask before a request fails. */
const MAX_ROUNDS = 10;

/** A session with a server of the stateless era. */
export class StatelessSession implements Session {
  readonly server: ServerDescription;
  readonly #connection: Connection;
  readonly #options: SessionOptions;

  /** Takes over a connection to a server that has described itself. */
  constructor(connection: Connection, server: ServerDescription, options: SessionOptions) {
    this.server = server;
    this.#connection = connection;
    this.#options = options;
    this.#listen();
  }

  get ended(): Error | undefined {
    return this.#connection.ended;
  }

  async request(
    method: string,
    params: JsonObject,
    options: RequestOptions = {},
  ): Promise<JsonObject> {
    let answers: JsonObject = {};
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const result = await this.#send(method, { ...params, ...answers }, options);
      const { resultType = "complete", ...rest } = result;
      if (resultType === "complete") return rest;
      if (resultType !== "input_required") {
        throw McpError.protocolError(`the server answered with a result of type "${resultType}"`);
      }
      answers = await this.#answer(rest, options.signal);
    }
    throw McpError.protocolError(`the server asked more than ${MAX_ROUNDS} times`);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const { info, handlers, nextId } = this.#options;
    const id = nextId();
    const _meta = {
      ...metaOf(params),
      ...claimMeta({
        protocolVersion: this.server.protocolVersion,
        capabilities: capabilitiesOf(handlers),
        info,
      }),
      ...(options.progress === undefined ? {} : { [MetaKey.ProgressToken]: id }),
    };
    return sendRequest(this.#connection, makeRequest(id, method, { ...params, _meta }), options);
  }

  /** Answers all questions at once. What the server wants to know again goes back as it came. */
  async #answer(
    { inputRequests = {}, requestState }: JsonObject,
    signal = new AbortController().signal,
  ): Promise<JsonObject> {
    if (!isJsonObject(inputRequests)) {
      throw McpError.protocolError('"inputRequests" is not an object');
    }
    const entries = Object.entries(inputRequests).map(async ([key, question]) => {
      if (!isJsonObject(question) || typeof question.method !== "string") {
        throw McpError.protocolError(`the question "${key}" has no method`);
      }
      const params = isJsonObject(question.params) ? question.params : {};
      return [key, await answerInput(this.#options.handlers, question.method, params, signal)];
    });
    const inputResponses = Object.fromEntries(await Promise.all(entries));
    return requestState === undefined ? { inputResponses } : { inputResponses, requestState };
  }

  /** A server of this era has no requests of its own; its notifications are passed on. */
  async #listen(): Promise<void> {
    for await (const message of this.#connection.unsolicited) {
      if (!isRequest(message)) this.#options.notified(message);
    }
  }
}
