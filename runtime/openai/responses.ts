/**
 * Serves agents as models of OpenAI's Responses interface.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 * @module
 */

import { oneOf } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { ServedHandler } from "../serve/contracts.ts";
import {
  allow,
  createEndpoint,
  ENDPOINT_RULES,
  type EndpointRequest,
  type EndpointSettings,
  findModel,
  type OpenAiEndpointOptions,
  unknownUrl,
} from "./endpoint.ts";
import { invalid } from "./api_error.ts";
import { readJsonObject } from "./request_body.ts";
import { findResponse, openResponse } from "./response_runs.ts";
import { readResponseRequest } from "./responses_request.ts";
import { sendResponse, streamResponse } from "./response_reply.ts";

/** Options for {@linkcode responsesHandler}. */
export interface ResponsesOptions extends OpenAiEndpointOptions {
  /**
   * Side that decides on tool calls that need an approval. `"operator"`: the serving side decides,
   * and the response is in progress in the meantime. `"caller"`: the response contains the tool
   * calls with their inputs as `mcp_approval_request` items, and the caller decides with
   * `mcp_approval_response` items.
   *
   * @default {"operator"}
   */
  readonly approvals?: "operator" | "caller";
}

const readOptions = optionsReader<ResponsesOptions>("options")({
  ...ENDPOINT_RULES,
  approvals: withDefault("operator", oneOf("operator", "caller")),
});

/**
 * Creates a handler that serves agents as the models of OpenAI's Responses interface: `GET
 * <path>/models`, `GET <path>/models/<id>`, `POST <path>/responses`, `GET <path>/responses/<id>`,
 * also with `?stream=true&starting_after=<number>`, and `POST <path>/responses/<id>/cancel`.
 *
 * The server stores the conversation: `previous_response_id` continues the newest response of a
 * conversation, and `conversation` is the id of a session, which the caller chooses. A response
 * with `background` continues if its client disconnects; another one is cancelled. With
 * `store: false`, nothing is stored, and a run that needs a decision of the caller is cancelled.
 *
 * The output contains the texts of the agent. The inputs and results of tools are not part of it.
 * If the caller decides on tool calls (`approvals`), the output contains the inputs of the calls
 * that wait for a decision; each decision of the caller continues the run as a new response. After
 * the events of a run are not kept anymore, a response that is retrieved contains only its last
 * text.
 *
 * @param options Agents, and limits.
 * @returns The handler. To authenticate callers, pass it to `withBearer` or `resourceServer`.
 * @throws {TypeError} If an option has the wrong type.
 * @throws {RangeError} If a limit is not a positive integer.
 *
 * @example Continue a response
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { responsesHandler } from "@parley/runtime/openai";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }, { text: "You said hi" }]);
 * await using clerk = serveSessions({
 *   storage: memoryStorage(),
 *   make: () => new ToolLoopAgent({ name: "clerk", model }),
 * });
 * const handler = responsesHandler({ models: { clerk } });
 *
 * async function ask(body: object): Promise<{ id: string; output: { content: object[] }[] }> {
 *   const request = new Request("https://example.com/v1/responses", {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ model: "clerk", ...body }),
 *   });
 *   return await (await handler(request, { principal: { subject: "ann" } })).json();
 * }
 *
 * const { id } = await ask({ input: "Hi" });
 * const { output } = await ask({ input: "What did I say?", previous_response_id: id });
 * const text = { type: "output_text", text: "You said hi", annotations: [], logprobs: [] };
 * assertEquals(output[0]?.content, [text]);
 * ```
 */
export function responsesHandler(options: ResponsesOptions): ServedHandler {
  const { approvals, ...settings } = readOptions(options);
  const decides = approvals === "caller";
  return createEndpoint("responsesHandler", settings, {
    path: "/responses",
    route: async (request, settings) => {
      const [id, action, ...rest] = request.segments;
      if (id === undefined) return await create(request, settings, decides);
      if (action === undefined) return await retrieve(id, request, settings, decides);
      if (action !== "cancel" || rest.length > 0) throw unknownUrl();
      return await cancel(id, request, settings, decides);
    },
  });
}

async function create(
  endpoint: EndpointRequest,
  settings: EndpointSettings,
  decides: boolean,
): Promise<Response> {
  const { caller, request } = endpoint;
  allow(request, "POST");
  const body = await readJsonObject(request, settings.maxBodyBytes);
  const model = findModel(settings, body.model);
  const read = readResponseRequest(body, settings);
  const started = { ...model, caller, decides, request: read };
  const send = read.isStream ? streamResponse : sendResponse;
  return await send(endpoint, settings, {
    open: () => openResponse(started, settings),
    isDetached: read.isBackground,
  });
}

async function retrieve(
  id: string,
  endpoint: EndpointRequest,
  settings: EndpointSettings,
  decides: boolean,
): Promise<Response> {
  const { caller, request } = endpoint;
  allow(request, "GET");
  const { searchParams } = new URL(request.url);
  const after = readStartingAfter(searchParams.get("starting_after"));
  const found = await findResponse({ caller, decides, id }, settings);
  if (searchParams.get("stream") !== "true") return await found.describe();
  return await streamResponse(endpoint, settings, {
    open: () => Promise.resolve(found),
    after,
    isDetached: true,
  });
}

function readStartingAfter(value: string | null): number {
  if (value === null || value === "") return -1;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw invalid("starting_after", "the number of an event");
}

async function cancel(
  id: string,
  { caller, request }: EndpointRequest,
  settings: EndpointSettings,
  decides: boolean,
): Promise<Response> {
  allow(request, "POST");
  const found = await findResponse({ caller, decides, id }, settings);
  await found.run.cancel();
  return await (await findResponse({ caller, decides, id }, settings)).describe();
}
