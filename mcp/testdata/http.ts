import type { HttpHandler } from "../server.ts";
import type { McpServer } from "../server/mcp_server.ts";
import { type Message, messageOf } from "./message.ts";
import { meta } from "./pipes.ts";

/** Creates a POST request whose body is a JSON value or a string. */
export function post(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request("http://localhost:8000/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Creates a modern request with its required headers. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Request {
  const name = params.name ?? params.uri;
  const _meta = params._meta ?? meta();
  return post({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
    ...headers,
  });
}

/** An event in a stream: the event text, and the message if the event contains one. */
export interface Event {
  readonly id?: string;
  readonly data: Message | undefined;
  readonly raw: string;
}

/** Yields a stream's events as they arrive. */
export async function* eventsOf(response: Response): AsyncGenerator<Event, void> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const raw of blocks) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(raw)?.[1];
      const id = field("id");
      const data = field("data");
      yield {
        raw,
        data: data ? messageOf(JSON.parse(data)) : undefined,
        ...(id === undefined ? {} : { id }),
      };
    }
  }
}

/** A legacy session for tests that build each request themselves. */
export class SessionByHand {
  readonly #handler: HttpHandler;
  readonly id: string;

  constructor(handler: HttpHandler, id: string) {
    this.#handler = handler;
    this.id = id;
  }

  static async open(
    handler: HttpHandler,
    protocolVersion = "2025-11-25",
    capabilities: object = {},
  ): Promise<SessionByHand> {
    const clientInfo = { name: "c", version: "1" };
    const params = { protocolVersion, capabilities, clientInfo };
    const response = await handler(post({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
    await response.body?.cancel();
    return new SessionByHand(handler, response.headers.get("mcp-session-id") ?? "");
  }

  send(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.#handler(post(body, { "mcp-session-id": this.id, ...headers }));
  }

  call(id: number, name: string, args?: object, _meta?: object): Promise<Response> {
    const params = { name, arguments: args ?? {}, ...(_meta && { _meta }) };
    return this.send({ jsonrpc: "2.0", id, method: "tools/call", params });
  }

  get(headers: Record<string, string> = {}): Promise<Response> {
    return this.#handler(
      new Request("http://localhost:8000/mcp", {
        headers: { "mcp-session-id": this.id, ...headers },
      }),
    );
  }

  delete(): Promise<Response> {
    return this.#handler(
      new Request("http://localhost:8000/mcp", {
        method: "DELETE",
        headers: { "mcp-session-id": this.id },
      }),
    );
  }
}

/**
 * Registers a `wait` tool that reports progress and then waits until it is aborted. Resolves with
 * the abort reason.
 */
export function addWaitingTool(server: McpServer): Promise<unknown> {
  return new Promise((resolve) => {
    server.registerTool({ name: "wait", description: "" }, async (_args, { signal, progress }) => {
      await progress(1);
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          resolve(signal.reason);
          reject(signal.reason);
        });
      });
    });
  });
}
