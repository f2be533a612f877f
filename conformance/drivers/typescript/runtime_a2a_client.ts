/**
 * `runtime` operations of clients for agents that are served over A2A.
 *
 * @module
 */

import {
  A2aClient,
  A2aError,
  type AgentCard,
  type Fetch,
  toCanonicalCard,
} from "@parley/runtime/a2a";
import { BadArgs, type Fields, fieldsOf, isFields, type Operation, textOf } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const A2A_CLIENT_OPS: Readonly<Record<string, Operation>> = {
  "runtime.a2a.request": async ({ args }) => {
    const { allowedOrigins, extensions, method, responses } = args;
    const agent = new ScriptedAgent(listOf(responses));
    try {
      const client = await A2aClient.connect(textOf(args, "url"), {
        fetch: agent.fetch,
        ...(allowedOrigins === undefined ? {} : { allowedOrigins: textsOf(allowedOrigins) }),
        ...(extensions === undefined ? {} : { extensions: textsOf(extensions) }),
      });
      const result = method === undefined ? undefined : await send(client, args);
      return { ...(result === undefined ? {} : { result }), requests: agent.requests };
    } catch (error) {
      if (error instanceof A2aError) return { reason: error.reason, requests: agent.requests };
      if (error instanceof TypeError) return { reason: "invalid", requests: agent.requests };
      throw error;
    }
  },
  // The cast is safe: the function validates the card.
  "runtime.a2a.canonicalCard": ({ args }) => ({
    card: toCanonicalCard(fieldsOf(args, "card") as unknown as AgentCard),
  }),
};

/** An agent that sends given responses, one for each request. */
class ScriptedAgent {
  readonly requests: Fields[] = [];
  readonly #responses: readonly Fields[];

  constructor(responses: readonly Fields[]) {
    this.#responses = responses;
  }

  readonly fetch: Fetch = (url, init) => {
    const { body, method = "GET", redirect } = init;
    const content = typeof body === "string" ? { body: JSON.parse(body) } : {};
    this.requests.push({ method, url, ...content });
    const reply = this.#responses[this.requests.length - 1];
    if (reply?.body === undefined) throw new BadArgs("the agent has no response left");
    const { headers = {}, status = 200 } = reply;
    const location = isFields(headers) ? headers.location : undefined;
    if (typeof location === "string" && redirect !== "manual") return this.fetch(location, init);
    return Promise.resolve(Response.json(reply.body, {
      status: Number(status),
      headers: Object.entries(headers ?? {}).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    }));
  };
}

async function send(client: A2aClient, args: Fields): Promise<unknown> {
  switch (args.method) {
    case "SendMessage":
      return await client.send({ messageId: "m", parts: [{ text: "go" }] });
    case "GetTask":
      return await client.getTask(textOf(args, "id"));
    case "CancelTask":
      return await client.cancelTask(textOf(args, "id"));
    default:
      throw new BadArgs('"method" must be the name of an operation of a client');
  }
}

function listOf(value: unknown): readonly Fields[] {
  if (Array.isArray(value) && value.every(isFields)) return value;
  throw new BadArgs('"responses" must be a list of objects');
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new BadArgs("the argument must be a list of texts");
}
