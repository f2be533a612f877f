/**
 * Client for agents that are served over A2A.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { assertNonEmptyString, rejectArgument } from "@parley/internal/assert-argument";
import { defined, isRecord } from "@parley/internal/json";
import { InvalidMember } from "@parley/internal/proto-json";
import { assertBaseUrl } from "../models/endpoint.ts";
import type { JsonObject } from "../shared/json.ts";
import type { AgentCard } from "./agent_card.ts";
import { type A2aNewMessage, toPushParams, toSendParams } from "./client_message.ts";
import {
  type A2aCallOptions,
  type A2aClientOptions,
  type A2aClientSettings,
  type A2aConnectOptions,
  type A2aGetTaskOptions,
  type A2aListTasksOptions,
  type A2aSendOptions,
  type CallSettings,
  type PushReceiver,
  readCallOptions,
  readClientOptions,
  readConnectOptions,
  readGetTaskOptions,
  readListTasksOptions,
  readSendOptions,
} from "./client_options.ts";
import { type ClientEndpoint, type ClientOperation, toClientRequest } from "./client_request.ts";
import { readResult, resultOf } from "./client_response.ts";
import {
  type EventResponse,
  type HttpCall,
  invalidResponse,
  parseJson,
  requestEvents,
  requestJson,
} from "./client_exchange.ts";
import type { PushConfig } from "./push_config.ts";
import { fetchCard } from "./fetch_card.ts";
import { readAgentCard } from "./read_card.ts";
import { readReceivedConfig, readReceivedConfigs } from "./read_push_config.ts";
import { readSendMessageResponse, readStreamResponse, readTask } from "./read_task.ts";
import { selectEndpoint } from "./select_endpoint.ts";
import { type A2aTaskPage, readTaskPage } from "./read_task_page.ts";
import { TaskIds } from "./task_ids.ts";
import type { A2aTask, SendMessageResponse, StreamResponse } from "./types.ts";

/**
 * A client for an agent that is served over A2A 1.0, with JSON-RPC or HTTP+JSON.
 *
 * The client sends requests only to the origin of the agent's card, and to the origins in
 * `allowedOrigins`. It does not follow redirects. It reads the members that the protocol defines,
 * and drops others.
 *
 * @see https://a2a-protocol.org/latest/specification/#3-a2a-protocol-operations
 *
 * @example Send a message to an agent
 * ```ts
 * import { A2aClient } from "@parley/runtime/a2a";
 * import { assertEquals } from "@std/assert";
 *
 * const card = {
 *   name: "echo",
 *   supportedInterfaces: [
 *     { url: "https://echo.example/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
 *   ],
 * };
 * // Acts as the agent.
 * const fetch = (url: string, { method }: RequestInit) => {
 *   const message = { messageId: "m1", role: "ROLE_AGENT", parts: [{ text: `${method} ${url}` }] };
 *   return Promise.resolve(Response.json(method === "POST" ? { message } : card));
 * };
 *
 * const client = await A2aClient.connect("https://echo.example", { fetch });
 * const response = await client.send("Hi");
 * assertEquals("message" in response && response.message.parts, [
 *   { text: "POST https://echo.example/a2a/message:send" },
 * ]);
 * ```
 */
export class A2aClient {
  /** Card of the agent. Texts in it are from the agent. */
  readonly card: AgentCard;
  readonly #endpoint: ClientEndpoint;
  readonly #settings: A2aClientSettings;

  /**
   * Creates a client for an agent whose card the program already has. Only the origins in
   * `allowedOrigins` receive requests. {@linkcode A2aClient.connect} reads the card.
   *
   * @param card Card of the agent.
   * @param options Trusted origins, function that sends the requests, and limits.
   * @throws {TypeError} If an option or the card is not valid.
   * @throws {A2aError} If the card contains no endpoint that the client supports and trusts.
   */
  constructor(card: AgentCard, options: A2aClientOptions) {
    this.#settings = readClientOptions(options);
    const { allowedOrigins, extensions } = this.#settings;
    const origins = allowedOrigins.map((origin) => new URL(origin).origin);
    try {
      this.card = readAgentCard(card);
    } catch (error) {
      throw error instanceof InvalidMember ? new TypeError(error.message) : error;
    }
    this.#endpoint = selectEndpoint(this.card, { origins, extensions });
  }

  /**
   * Reads the card of an agent, and selects the first endpoint in it that the client supports and
   * trusts.
   *
   * @param url Origin of the agent, or URL of its card.
   * @param options Function that sends the requests, check of the card, and limits.
   * @throws {TypeError} If an option or the URL is not valid.
   * @throws {A2aError} If the card cannot be read or is not valid, or contains no endpoint that the
   * client supports and trusts.
   * @throws The error of `verifyCard`.
   * @throws The signal's reason if the signal is aborted.
   */
  static async connect(url: string | URL, options: A2aConnectOptions = {}): Promise<A2aClient> {
    assertBaseUrl("url", url);
    const read = readConnectOptions(options);
    const { card, origin } = await fetchCard(new URL(url), read);
    const { maxCardBytes: _, signal: __, verifyCard: ___, ...settings } = read;
    return new A2aClient(card, {
      ...defined(settings),
      allowedOrigins: [origin, ...settings.allowedOrigins],
    });
  }

  /**
   * Sends a message, and waits until the task ends or needs input, unless `returnImmediately` is
   * set.
   *
   * @param message Text or parts, and the task or the conversation to which the message belongs.
   * @param options Signal, timeout and settings of the request.
   * @returns The task, or the message of an agent that has created no task.
   * @throws {A2aError} If the agent responds with an error or an invalid response, or cannot be
   * reached.
   * @throws The error of `signRequest`.
   * @throws The signal's reason if the signal is aborted.
   */
  async send(message: A2aNewMessage, options: A2aSendOptions = {}): Promise<SendMessageResponse> {
    const settings = readSendOptions(options);
    const params = await this.#sign(toSendParams(message, settings), settings);
    const result = await this.#request("SendMessage", params, settings);
    const response = readResult(result, readSendMessageResponse);
    new TaskIds(message).check(response);
    return response;
  }

  /**
   * Sends a message, and returns the updates of the task. Leaving the loop ends the request, and
   * does not affect the task.
   *
   * @param message Text or parts, and the task or the conversation to which the message belongs.
   * @param options Signal, timeout and settings of the request.
   * @throws {A2aError} If the agent responds with an error or an invalid response, or cannot be
   * reached.
   * @throws The signal's reason if the signal is aborted.
   */
  stream(
    message: A2aNewMessage,
    options: A2aSendOptions = {},
  ): AsyncGenerator<StreamResponse, void> {
    const settings = readSendOptions(options);
    const params = toSendParams(message, settings);
    return this.#streamMessage(params, { settings, ids: new TaskIds(message) });
  }

  /**
   * Returns a task.
   *
   * @param id Id of the task.
   * @param options Signal, timeout, and length of the history.
   * @throws {A2aError} With reason `TASK_NOT_FOUND` if the agent does not know the task, and with
   * others as for `send`.
   */
  async getTask(id: string, options: A2aGetTaskOptions = {}): Promise<A2aTask> {
    assertNonEmptyString("id", id);
    const settings = readGetTaskOptions(options);
    const { historyLength } = settings;
    return await this.#task("GetTask", { id, ...defined({ historyLength }) }, settings);
  }

  /**
   * Lists the tasks of the caller, most recently changed first.
   *
   * @param options Signal, timeout, filter and page.
   * @throws {A2aError} As for `send`.
   */
  async listTasks(options: A2aListTasksOptions = {}): Promise<A2aTaskPage> {
    const settings = readListTasksOptions(options);
    const { extensions: _, signal: __, statusTimestampAfter, timeoutMs: ___, ...filter } = settings;
    const after = statusTimestampAfter?.toISOString();
    const params = defined({ ...filter, statusTimestampAfter: after });
    return readResult(await this.#request("ListTasks", params, settings), readTaskPage);
  }

  /**
   * Cancels a task.
   *
   * @param id Id of the task.
   * @param options Signal and timeout.
   * @throws {A2aError} With reason `TASK_NOT_CANCELABLE` if the task has ended, and with others as
   * for `getTask`.
   */
  async cancelTask(id: string, options: A2aCallOptions = {}): Promise<A2aTask> {
    assertNonEmptyString("id", id);
    return await this.#task("CancelTask", { id }, readCallOptions(options));
  }

  /**
   * Returns the state and the updates of a task that has not ended. Leaving the loop ends the
   * request, and does not affect the task.
   *
   * @param id Id of the task.
   * @param options Signal and timeout.
   * @throws {A2aError} With reason `UNSUPPORTED_OPERATION` if the task has ended, and with others
   * as for `getTask`.
   */
  subscribe(id: string, options: A2aCallOptions = {}): AsyncGenerator<StreamResponse, void> {
    assertNonEmptyString("id", id);
    const settings = readCallOptions(options);
    const ids = new TaskIds({ taskId: id });
    return this.#stream("SubscribeToTask", { id }, { settings, ids });
  }

  /**
   * Lets the agent send the updates of a task to a URL.
   *
   * @param taskId Id of the task.
   * @param config Receiver of the updates.
   * @param options Signal and timeout.
   * @throws {A2aError} With reason `PUSH_NOTIFICATION_NOT_SUPPORTED` if the agent sends none, and
   * with others as for `getTask`.
   */
  async createPushConfig(
    taskId: string,
    config: PushReceiver,
    options: A2aCallOptions = {},
  ): Promise<PushConfig> {
    const settings = readCallOptions(options);
    const params = toPushParams(taskId, config);
    const result = await this.#request("CreateTaskPushNotificationConfig", params, settings);
    return readResult(result, (value) => readReceivedConfig(value, { taskId }));
  }

  /**
   * Returns a configuration of push notifications.
   *
   * @param taskId Id of the task.
   * @param id Id of the configuration.
   * @param options Signal and timeout.
   * @throws {A2aError} As for `createPushConfig`.
   */
  async getPushConfig(
    taskId: string,
    id: string,
    options: A2aCallOptions = {},
  ): Promise<PushConfig> {
    const settings = readCallOptions(options);
    const params = { taskId, id };
    const result = await this.#request("GetTaskPushNotificationConfig", params, settings);
    return readResult(result, (value) => readReceivedConfig(value, { taskId }));
  }

  /**
   * Lists the configurations of push notifications for a task.
   *
   * @param taskId Id of the task.
   * @param options Signal and timeout.
   * @throws {A2aError} As for `createPushConfig`.
   */
  async listPushConfigs(
    taskId: string,
    options: A2aCallOptions = {},
  ): Promise<readonly PushConfig[]> {
    const settings = readCallOptions(options);
    const result = await this.#request("ListTaskPushNotificationConfigs", { taskId }, settings);
    return readResult(result, (value) => readReceivedConfigs(value, { taskId }));
  }

  /**
   * Deletes a configuration of push notifications.
   *
   * @param taskId Id of the task.
   * @param id Id of the configuration.
   * @param options Signal and timeout.
   * @throws {A2aError} As for `createPushConfig`.
   */
  async deletePushConfig(taskId: string, id: string, options: A2aCallOptions = {}): Promise<void> {
    const settings = readCallOptions(options);
    await this.#request("DeleteTaskPushNotificationConfig", { taskId, id }, settings);
  }

  /**
   * Returns the card for the authenticated caller.
   *
   * @param options Signal and timeout.
   * @throws {A2aError} With reason `EXTENDED_AGENT_CARD_NOT_CONFIGURED` or `UNSUPPORTED_OPERATION`
   * if the agent has no such card, and with others as for `send`.
   */
  async getExtendedCard(options: A2aCallOptions = {}): Promise<AgentCard> {
    const settings = readCallOptions(options);
    return readResult(await this.#request("GetExtendedAgentCard", {}, settings), readAgentCard);
  }

  async *#streamMessage(
    params: JsonObject,
    context: { readonly ids: TaskIds; readonly settings: CallSettings<A2aCallOptions> },
  ): AsyncGenerator<StreamResponse, void> {
    const signed = await this.#sign(params, context.settings);
    yield* this.#stream("SendStreamingMessage", signed, context);
  }

  /** Signs a request that sends a message. The signature also covers the tenant. */
  async #sign(
    params: JsonObject,
    { signal }: CallSettings<A2aCallOptions>,
  ): Promise<JsonObject> {
    const { signRequest } = this.#settings;
    if (signRequest === undefined) return params;
    signal?.throwIfAborted();
    const { tenant } = this.#endpoint;
    const context = { card: this.card, ...signal !== undefined && { signal } };
    const signing = signRequest({ ...params, ...defined({ tenant }) }, context);
    const signed = await abortable(Promise.resolve(signing), signal);
    if (!isRecord(signed)) rejectArgument("signRequest()", "a JSON object", signed);
    return signed;
  }

  async #task(
    operation: "GetTask" | "CancelTask",
    params: JsonObject & { readonly id: string },
    settings: CallSettings<A2aCallOptions>,
  ): Promise<A2aTask> {
    const task = readResult(await this.#request(operation, params, settings), readTask);
    new TaskIds({ taskId: params.id }).check({ task });
    return task;
  }

  async #request(
    operation: ClientOperation,
    params: JsonObject,
    settings: CallSettings<A2aCallOptions>,
  ): Promise<unknown> {
    const call = this.#call({ operation, params }, settings);
    return resultOf(this.#endpoint.binding, await requestJson(call));
  }

  #stream(
    operation: ClientOperation,
    params: JsonObject,
    { ids, settings }: { readonly ids: TaskIds; readonly settings: CallSettings<A2aCallOptions> },
  ): AsyncGenerator<StreamResponse, void> {
    const { binding } = this.#endpoint;
    const call = this.#call({ operation, params, isStream: true }, settings);
    return requestEvents(call, async function* (response: EventResponse) {
      if (!("events" in response)) {
        resultOf(binding, response);
        throw invalidResponse("the response is not an event stream");
      }
      for await (const { data } of response.events) {
        const result = resultOf(binding, { status: 200, body: parseJson(data) });
        const update = readResult(result, readStreamResponse);
        ids.check(update);
        yield update;
      }
    });
  }

  #call(
    call: {
      readonly operation: ClientOperation;
      readonly params: JsonObject;
      readonly isStream?: boolean;
    },
    { extensions, signal, timeoutMs }: CallSettings<A2aCallOptions>,
  ): HttpCall {
    const { extensions: always, fetch, headers, ...limits } = this.#settings;
    const maxBytes = limits.maxResponseBytes;
    const all = [...new Set([...always, ...extensions])];
    const request = toClientRequest(this.#endpoint, { ...call, extensions: all });
    return {
      ...request,
      fetch,
      headers,
      maxBytes,
      signal,
      timeoutMs: timeoutMs ?? limits.timeoutMs,
    };
  }
}
