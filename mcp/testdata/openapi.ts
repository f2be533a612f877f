/**
 * OpenAPI documents, and a server that records requests, for tests of `openApiTools`.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { HttpFetch, OpenApiOptions } from "../openapi.ts";
import { type CallToolResult, type OpenApiTools, openApiTools } from "../openapi.ts";

/** URL of the API. */
export const BASE = "https://api.example.com/v1";

/** A request that a {@linkcode Recorder} received. */
export interface RecordedRequest {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly redirect: string | undefined;
}

/** Records requests and returns a response for each. */
export interface Recorder {
  readonly requests: RecordedRequest[];
  readonly fetch: HttpFetch;
}

/** Returns a `fetch` that records requests. */
export function recorder(respond: () => Response = () => Response.json({})): Recorder {
  const requests: RecordedRequest[] = [];
  return {
    requests,
    fetch: (url, { method, headers, body, redirect }) => {
      const fields = Object.fromEntries(new Headers(headers));
      requests.push({ url, method, headers: fields, body, redirect });
      return Promise.resolve(respond());
    },
  };
}

/** Returns a parameter with a schema that accepts every value. */
export function parameter(name: string, location: string, members: object = {}): object {
  const required = location === "path" ? { required: true } : {};
  return { name, in: location, schema: {}, ...required, ...members };
}

/** Returns a document with paths. */
export function documentWith(paths: object, members: object = {}): object {
  return { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths, ...members };
}

/** Creates the tools for all operations of a document. */
export function toolsOf(document: unknown, options: Partial<OpenApiOptions> = {}): OpenApiTools {
  return openApiTools(document, {
    baseUrl: BASE,
    operations: () => true,
    onError: () => {},
    ...options,
  });
}

/** The operation of a document with one path. */
export interface Single {
  readonly path?: string;
  readonly method?: string;
  readonly operation: object;
}

/** Creates the tools for a document with one operation, which is named `op`. */
export function singleTool(
  { path = "/x", method = "get", operation }: Single,
  options: Partial<OpenApiOptions> = {},
  members: object = {},
): OpenApiTools {
  const paths = { [path]: { [method]: { operationId: "op", ...operation } } };
  return toolsOf(documentWith(paths, members), options);
}

/** Calls the only tool of a document. Returns the request, which must be sent. */
export async function requestOf(
  single: Single,
  args: Record<string, unknown>,
  options: Partial<OpenApiOptions> = {},
): Promise<RecordedRequest> {
  const { requests, fetch } = recorder();
  const tools = singleTool(single, { fetch, ...options });
  assertEquals(tools.skipped, []);
  const result = await tools.callTool("op", args);
  const [request] = requests;
  if (request === undefined) throw new Error(`no request was sent: ${textOf(result)}`);
  assertEquals(requests.length, 1);
  return request;
}

/** Returns the text of a result with one text block. */
export function textOf({ content }: CallToolResult): string {
  const [block] = content;
  return block?.type === "text" ? block.text : JSON.stringify(content);
}
