/**
 * Serves agents as models of OpenAI's Chat Completions interface.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @module
 */

import { assertOptionalBoolean } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { ServedHandler, ServedRun } from "../serve/contracts.ts";
import { sseResponse } from "../shared/sse_response.ts";
import { clientClosed, toApiError } from "./api_error.ts";
import { readChatRequest } from "./chat_request.ts";
import {
  type ChatHead,
  ChatMessage,
  DONE,
  toChunks,
  toCompletion,
  waitsForInput,
} from "./chat_response.ts";
import {
  allow,
  createEndpoint,
  ENDPOINT_RULES,
  type EndpointRequest,
  type EndpointSettings,
  findModel,
  type OpenAiEndpointOptions,
  takePlace,
  unknownUrl,
} from "./endpoint.ts";
import { readJsonObject } from "./request_body.ts";
import { RunOutput } from "./run_output.ts";
import { whileConnected } from "./while_connected.ts";

/** Options for {@linkcode chatCompletionsHandler}. */
export interface ChatCompletionsOptions extends OpenAiEndpointOptions {
  /**
   * Whether responses contain the reasoning of the model, and a line with the name of each tool
   * that is called, as `reasoning_content`.
   *
   * @default {false}
   */
  readonly sendReasoning?: boolean;
}

const readOptions = optionsReader<ChatCompletionsOptions>("options")({
  ...ENDPOINT_RULES,
  sendReasoning: withDefault(false, assertOptionalBoolean),
});

/**
 * Creates a handler that serves agents as the models of an OpenAI-compatible endpoint:
 * `GET <path>/models`, `GET <path>/models/<id>` and `POST <path>/chat/completions`.
 *
 * The caller owns the conversation: each request contains it, and the endpoint stores nothing that
 * a later request can use. The agent owns everything else: its instructions, its tools, which are
 * executed on the server, and the settings of its model. A run that waits for an approval or for
 * other input ends with a text about it, because a caller cannot decide in this interface. If
 * the client disconnects, the run is cancelled.
 *
 * @param options Agents, and limits.
 * @returns The handler. To authenticate callers, pass it to `withBearer` or `resourceServer`.
 * @throws {TypeError} If an option has the wrong type.
 * @throws {RangeError} If a limit is not a positive integer.
 *
 * @example Stream the text of an agent
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { chatCompletionsHandler } from "@parley/runtime/openai";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assert } from "@std/assert";
 *
 * await using clerk = serveSessions({
 *   storage: memoryStorage(),
 *   make: () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) }),
 * });
 * const handler = chatCompletionsHandler({ models: { clerk } });
 * const messages = [{ role: "user", content: "Hi" }];
 * const request = new Request("https://example.com/v1/chat/completions", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: JSON.stringify({ model: "clerk", messages, stream: true }),
 * });
 * const stream = await handler(request, { principal: { subject: "ann" } });
 * const text = await stream.text();
 * assert(text.includes('"delta":{"content":"Hello"}'));
 * assert(text.endsWith("data: [DONE]\n\n"));
 * ```
 */
export function chatCompletionsHandler(options: ChatCompletionsOptions): ServedHandler {
  const { sendReasoning, ...settings } = readOptions(options);
  return createEndpoint("chatCompletionsHandler", settings, {
    path: "/chat/completions",
    route: (request, settings) => complete(request, settings, sendReasoning),
  });
}

async function complete(
  { caller, request, segments }: EndpointRequest,
  settings: EndpointSettings,
  sendReasoning: boolean,
): Promise<Response> {
  if (segments.length > 0) throw unknownUrl();
  allow(request, "POST");
  const body = await readJsonObject(request, settings.maxBodyBytes);
  const { agent, model } = findModel(settings, body.model);
  const { hasUsage, isStream, messages, turn } = readChatRequest(body, settings);
  const leave = takePlace(settings, caller);
  try {
    const metadata = { openai: { model } };
    const run = await agent.start(caller, { turn, messages, metadata, isTemporary: true });
    const head = {
      id: `chatcmpl-${crypto.randomUUID()}`,
      created: Math.floor(run.startedAt / 1000),
      model,
    };
    const chat = new ChatRun(run, settings, { head, leave, sendReasoning });
    if (isStream) return chat.stream(hasUsage);
    return await whileConnected(request, chat.complete(), () => chat.cancel());
  } catch (error) {
    leave();
    throw error;
  }
}

interface ChatRunSettings {
  readonly head: ChatHead;
  /** Gives back the place of the request. */
  readonly leave: () => void;
  readonly sendReasoning: boolean;
}

/** The run of a request. It ends with the request. */
class ChatRun {
  readonly #run: ServedRun;
  readonly #settings: EndpointSettings;
  readonly #head: ChatHead;
  readonly #leave: () => void;
  readonly #message: ChatMessage;
  readonly #controller = new AbortController();

  constructor(
    run: ServedRun,
    settings: EndpointSettings,
    { head, leave, sendReasoning }: ChatRunSettings,
  ) {
    this.#run = run;
    this.#settings = settings;
    this.#head = head;
    this.#leave = leave;
    const { signal } = this.#controller;
    const output = new RunOutput(run, { signal, endsAt: waitsForInput });
    this.#message = new ChatMessage(output, { errors: settings.errors, sendReasoning });
  }

  /** Returns the completion. */
  async complete(): Promise<Response> {
    try {
      return Response.json(await toCompletion(this.#message, this.#head));
    } catch (error) {
      throw this.#controller.signal.aborted ? clientClosed() : error;
    } finally {
      await this.#finish();
    }
  }

  /** Returns a stream. An error is sent as its last event, because the status has been sent. */
  stream(hasUsage: boolean): Response {
    const { errors: { report }, keepAliveMs } = this.#settings;
    return sseResponse<object | typeof DONE>({
      chunks: this.#chunks(hasUsage),
      encode: (chunk) => `data: ${chunk === DONE ? DONE : JSON.stringify(chunk)}\n\n`,
      keepAliveMs,
      onDisconnect: () => this.#cancel(),
      onError: report,
    });
  }

  /** Cancels the run, because the client has disconnected. */
  cancel(): void {
    this.#cancel().catch(this.#settings.errors.report);
  }

  async *#chunks(hasUsage: boolean): AsyncGenerator<object | typeof DONE, void> {
    try {
      yield* toChunks(this.#message, this.#head, hasUsage);
    } catch (error) {
      if (this.#controller.signal.aborted) return;
      yield { error: toApiError(error, this.#settings.errors).body };
    } finally {
      await this.#finish();
    }
  }

  async #cancel(): Promise<void> {
    this.#leave();
    this.#controller.abort(new DOMException("The client disconnected", "AbortError"));
    await this.#run.cancel();
  }

  /** Cancels a run that has not ended, such as one that would wait for input indefinitely. */
  async #finish(): Promise<void> {
    this.#leave();
    if (this.#message.end?.isFinal) return;
    try {
      await this.#run.cancel();
    } catch (error) {
      this.#settings.errors.report(error);
    }
  }
}
