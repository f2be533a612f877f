/**
 * `runtime` operations on agents that are served over A2A.
 *
 * @module
 */

import { type A2aHandler, a2aHandler, type A2aHandlerOptions } from "@parley/runtime/a2a";
import { BadArgs, type Fields, type OpCall, type Operation, textOf } from "./operation.ts";
import { servedOf } from "./runtime_serve.ts";

/** Implementations of the operations, keyed by operation name. */
export const A2A_OPS: Readonly<Record<string, Operation>> = {
  "runtime.a2a.serve": ({ args, handles, on }) => {
    const { allowAnonymous, approvals, push } = args;
    const options: A2aHandlerOptions = {
      onError: () => {},
      ...(allowAnonymous === true ? { allowAnonymous } : {}),
      ...(approvals === "caller" ? { approvals } : {}),
      ...(push === true ? { push: { fetch: () => Promise.resolve(new Response()) } } : {}),
    };
    return { handle: handles.add(a2aHandler(servedOf(on), options)) };
  },
  "runtime.a2a.call": async (call) => {
    const response = await send(call);
    const { status } = response;
    const text = await response.text();
    const isStream = response.headers.get("content-type") === "text/event-stream";
    const bodies: Fields[] = isStream ? readEvents(text) : [JSON.parse(text)];
    const [body = {}] = bodies;
    if (body.error !== undefined) return { status, code: Object(body.error).code, text };
    const results = bodies.map(({ result }) => result);
    return { status, text, ...(isStream ? { updates: results } : { result: results[0] }) };
  },
};

function handlerOf(on: unknown): A2aHandler {
  // The handle of an endpoint is the only function among the handles.
  if (typeof on === "function") return on as A2aHandler;
  throw new BadArgs("the operation must be called on an endpoint for A2A");
}

async function send({ args, on }: OpCall): Promise<Response> {
  const { caller, extensions, params, version } = args;
  const request = new Request("https://agent.example/a2a", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "a2a-version": typeof version === "string" ? version : "1.0",
      ...(Array.isArray(extensions) ? { "a2a-extensions": extensions.join(", ") } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: textOf(args, "method"), params }),
  });
  const subject: unknown = Object(caller).subject;
  const context = typeof subject === "string" ? { principal: { subject } } : {};
  return await handlerOf(on)(request, context);
}

/** Reads the data of an event stream. Each event has one line of data. */
function readEvents(text: string): Fields[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}
