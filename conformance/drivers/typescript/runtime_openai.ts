/**
 * `runtime` operations on agents that are served to clients of the OpenAI API.
 *
 * @module
 */

import {
  chatCompletionsHandler,
  type ChatCompletionsOptions,
  responsesHandler,
  type ResponsesOptions,
} from "@parley/runtime/openai";
import type { ServedHandler } from "@parley/runtime/serve";
import { BadArgs, type Fields, type OpCall, type Operation, textOf } from "./operation.ts";
import { servedOf } from "./runtime_serve.ts";

/** Implementations of the operations, keyed by operation name. */
export const OPENAI_OPS: Readonly<Record<string, Operation>> = {
  "runtime.openai.serve": ({ args, handles, on }) => {
    const { interface: name, ...options } = args;
    const models = { agent: servedOf(on) };
    // The library validates the options.
    const handler = name === "responses"
      ? responsesHandler({ models, onError: () => {}, ...options } as ResponsesOptions)
      : chatCompletionsHandler({ models, onError: () => {}, ...options } as ChatCompletionsOptions);
    return { handle: handles.add(handler) };
  },
  "runtime.openai.call": async (call) => {
    const response = await send(call);
    const { status } = response;
    const text = await response.text();
    if (response.headers.get("content-type") !== "text/event-stream") {
      return { status, text, body: JSON.parse(text) };
    }
    const events = readEvents(text);
    return { status, text, events, streamed: events.map(textIn).join("") };
  },
};

async function send({ args, on }: OpCall): Promise<Response> {
  // The handle of an endpoint is the only function among the handles.
  if (typeof on !== "function") {
    throw new BadArgs("the operation must be called on an endpoint for the OpenAI API");
  }
  const { body, caller, id } = args;
  const path = textOf(args, "path").replace("{id}", encodeURIComponent(`${id}`));
  const url = `https://agent.example/v1${path}`;
  const request = body === undefined
    ? new Request(url, { method: typeof args.method === "string" ? args.method : "GET" })
    : new Request(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const subject: unknown = Object(caller).subject;
  const context = typeof subject === "string" ? { principal: { subject } } : {};
  return await (on as ServedHandler)(request, context);
}

/** Reads the data of an event stream. Each event has one line of data. */
function readEvents(text: string): (Fields | string)[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
    data === "[DONE]" ? data : JSON.parse(data)
  );
}

/** Returns the text that an event adds to the message. */
function textIn(event: Fields | string): string {
  const { choices, delta } = Object(event);
  const text: unknown = Array.isArray(choices) ? Object(choices[0]).delta?.content : delta;
  return typeof text === "string" ? text : "";
}
