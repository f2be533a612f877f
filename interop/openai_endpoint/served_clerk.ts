/**
 * Serves an agent to clients of the OpenAI API, over loopback.
 *
 * @module
 */

import { chatCompletionsHandler, responsesHandler } from "@parley/runtime/openai";
import { type ServedRun, withBearer } from "@parley/runtime/serve";
import OpenAI from "openai";
import { recordRuns, serveClerk } from "../../runtime/openai/testdata/clerk.ts";
import type { Gate } from "../../runtime/testing/gate.ts";

/** An endpoint, and a client of it. */
export interface Endpoint extends AsyncDisposable {
  readonly baseURL: string;
  readonly client: OpenAI;
  /** Gate at which the message `slow` waits. */
  readonly gate: Gate;
  /** Runs that were started. */
  readonly runs: readonly ServedRun[];
}

/** Key of the caller. */
export const KEY = "sk-ann";

/** Starts an endpoint. */
export function openEndpoint(): Endpoint {
  const { gate, served } = serveClerk();
  const runs: ServedRun[] = [];
  const models = { clerk: recordRuns(served, runs) };
  const chat = chatCompletionsHandler({ models, sendReasoning: true });
  const responses = responsesHandler({ models, approvals: "caller" });
  const handle = withBearer((request, context) => {
    const { pathname } = new URL(request.url);
    return (pathname.startsWith("/v1/responses") ? responses : chat)(request, context);
  }, (key) => key === KEY ? { subject: "ann" } : undefined);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handle);
  const baseURL = `http://127.0.0.1:${server.addr.port}/v1`;
  return {
    baseURL,
    client: new OpenAI({ baseURL, apiKey: KEY, maxRetries: 0 }),
    gate,
    runs,
    [Symbol.asyncDispose]: async () => {
      await served.close();
      await server.shutdown();
    },
  };
}
