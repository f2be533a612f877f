/**
 * `mcp` operations on servers whose tools, resources and prompts a case describes, implemented with `@parley/mcp`.
 *
 * @module
 */

import {
  type HttpContext,
  type HttpHandler,
  McpError,
  mcpHandler,
  type McpHandlerOptions,
  McpServer,
  type McpServerConfig,
  type RequestContext,
  serveStdio,
} from "@parley/mcp/server";
import type { McpRequest } from "@parley/mcp";
import { makeSpecial } from "./driver_protocol.ts";
import { askAll, DescribedExtensions, registerPage } from "./mcp_extensions.ts";
import {
  BadArgs,
  bytesOf,
  type Fields,
  fieldsOf,
  isFields,
  type OpCall,
  type Operation,
  pick,
  textOf,
} from "./operation.ts";

/** Current time for the sessions and the request states of a server, in milliseconds since the epoch. */
interface Clock {
  now: number;
}

/** A server, and the handler that serves it over HTTP. */
class Described {
  readonly server: McpServer;
  readonly extensions: DescribedExtensions;
  readonly handler: HttpHandler;
  readonly clock: Clock;

  constructor(server: McpServer, extensions: DescribedExtensions, http: Fields, clock: Clock) {
    const sessions = { ...fieldsOf(http, "sessions"), now: () => clock.now };
    this.server = server;
    this.extensions = extensions;
    this.clock = clock;
    // The library validates the options.
    this.handler = mcpHandler(server, { ...http, sessions } as McpHandlerOptions);
  }
}

/** Implementations of the operations, keyed by operation name. */
export const SERVER_OPS: Readonly<Record<string, Operation>> = {
  "mcp.server.new": async ({ args, handles }) => {
    const clock = { now: 0 };
    const extensions = await DescribedExtensions.create(
      args,
      (handle) => describedBy(handles.get(handle)).extensions,
    );
    const server = createServer(args, extensions, clock);
    const described = new Described(server, extensions, fieldsOf(args, "http"), clock);
    return { handle: handles.add(described, () => described.handler.close()) };
  },
  "mcp.server.request": async (call) => {
    const { server } = describedOf(call);
    // The request is passed unvalidated, because cases test malformed requests.
    const request = fieldsOf(call.args, "request") as unknown as McpRequest;
    let response = await server.handleRequest(request);
    while (call.args.polls === true && isWorking(response.result)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      response = await server.handleRequest(request);
    }
    return { response };
  },
  "mcp.server.fetch": async (call) => {
    const { args } = call;
    const described = describedOf(call);
    if (typeof args.atMs === "number") described.clock.now = args.atMs;
    const response = await described.handler(toRequest(args), contextOf(args));
    return await describe(response, args.reads === "head");
  },
  "mcp.server.change": async (call) => {
    const { server, extensions } = describedOf(call);
    const { add, removeTool, removeResource, removePrompt, updated, ends } = call.args;
    if (isFields(add)) register(server, add, extensions);
    await extensions.change(call.args);
    if (typeof removeTool === "string") return { removed: server.removeTool(removeTool) };
    if (typeof removeResource === "string") {
      return { removed: server.removeResource(removeResource) };
    }
    if (typeof removePrompt === "string") return { removed: server.removePrompt(removePrompt) };
    if (typeof updated === "string") server.resourceUpdated(updated);
    if (ends === true) await server.close();
    return {};
  },
  "mcp.server.close": (call) => describedOf(call).handler.close(),
  "mcp.server.pipe": (call) => {
    const piped = new Piped(describedOf(call).server, fieldsOf(call.args, "options"));
    return { handle: call.handles.add(piped, () => piped.feed(null)) };
  },
  "mcp.pipe.feed": ({ args, on }) => {
    const piped = pipedOf(on);
    for (const message of Array.isArray(args.messages) ? args.messages : []) {
      piped.feed(typeof message === "string" ? message : JSON.stringify(message));
    }
    if (args.end === true) piped.feed(null);
  },
  "mcp.pipe.take": async ({ args, on }) => ({
    messages: await pipedOf(on).take(Number(args.count)),
  }),
  "mcp.pipe.ended": async ({ on }) => {
    await pipedOf(on).ended;
  },
};

/** A server that is served over lines. */
class Piped {
  readonly ended: Promise<void>;
  readonly #lines: (string | null)[] = [];
  readonly #written: unknown[] = [];
  #onLine: () => void = () => {};
  #onWrite: () => void = () => {};

  constructor(server: McpServer, options: Fields) {
    this.ended = serveStdio(server, {
      ...options,
      reader: { readLine: () => this.#readLine() },
      writer: {
        writeLine: (line) => {
          this.#written.push(JSON.parse(line));
          this.#onWrite();
          return Promise.resolve();
        },
      },
    });
    // The operation `mcp.pipe.ended` reports the error.
    this.ended.catch(() => {});
  }

  /** Adds a line, or `null` for the end of the input. */
  feed(line: string | null): void {
    this.#lines.push(line);
    this.#onLine();
  }

  /** Waits for a number of messages from the server, and removes them. */
  async take(count: number): Promise<readonly unknown[]> {
    while (this.#written.length < count) {
      await new Promise<void>((resolve) => this.#onWrite = resolve);
    }
    return this.#written.splice(0);
  }

  async #readLine(): Promise<string | null> {
    while (this.#lines.length === 0) {
      await new Promise<void>((resolve) => this.#onLine = resolve);
    }
    return this.#lines.shift() ?? null;
  }
}

function isWorking(task: unknown): boolean {
  return isFields(task) && task.status === "working";
}

function pipedOf(on: unknown): Piped {
  if (on instanceof Piped) return on;
  throw new BadArgs('"on" must be the handle of a pipe');
}

const BASE_URL = "http://127.0.0.1/mcp";

/** Interval between the requests for the state of a task, in milliseconds. */
const POLL_MS = 5;

function toRequest(args: Fields): Request {
  const { method = "POST", url = BASE_URL, headers = {}, json, text, chunksHex } = args;
  const body = json !== undefined
    ? JSON.stringify(json)
    : typeof text === "string"
    ? text.padEnd(Number(args.padToBytes) || 0)
    : Array.isArray(chunksHex)
    ? ReadableStream.from(chunksHex.map((hex) => bytesOf({ hex }, "hex")))
    : undefined;
  // Node.js requires `duplex` if the body is a stream, but Deno's types do not contain `duplex`.
  const init: RequestInit & { readonly duplex: "half" } = {
    duplex: "half",
    method: String(method),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(typeof body === "string" && args.isSized !== false
        ? { "content-length": `${new TextEncoder().encode(body).length}` }
        : {}),
      ...headers as Record<string, string>,
    },
    ...(body === undefined ? {} : { body }),
  };
  return new Request(String(url), init);
}

function contextOf({ principal }: Fields): HttpContext {
  // The library validates the principal.
  return principal === undefined ? {} : { principal } as HttpContext;
}

async function describe(response: Response, isHead: boolean): Promise<object> {
  const { status } = response;
  const headers = Object.fromEntries(response.headers);
  if (isHead) {
    await response.body?.cancel();
    return { status, headers };
  }
  const text = await response.text();
  if (headers["content-type"] === "text/event-stream") {
    const messages = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => JSON.parse(data));
    const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id);
    return { status, headers, messages, ids };
  }
  return text === "" ? { status, headers } : { status, headers, json: JSON.parse(text) };
}

function createServer(args: Fields, extensions: DescribedExtensions, clock: Clock): McpServer {
  const { visibleTo } = args;
  const config = pick(
    args,
    "name",
    "version",
    "title",
    "description",
    "websiteUrl",
    "icons",
    "instructions",
    "cache",
    "pageSize",
  );
  const server = new McpServer({
    name: "kit-described",
    version: "1.0.0",
    ...config,
    ...fieldsOf(args, "limits"),
    requestState: requestStateOf(args, clock),
    extensions: extensions.list,
    ...(isFields(visibleTo)
      ? {
        visible: ({ name }, principal) =>
          visibleTo[name] === undefined || visibleTo[name] === principal?.subject,
      }
      : {}),
    onError: () => {},
  } as McpServerConfig);
  register(server, args, extensions);
  return server;
}

function requestStateOf(args: Fields, clock: Clock): object {
  const { keys, ...options } = fieldsOf(args, "requestState");
  return {
    ...options,
    ...(Array.isArray(keys) ? { keys: keys.map((hex) => bytesOf({ hex }, "hex")) } : {}),
    now: () => clock.now,
  };
}

/** Registers tools, resources, resource templates and prompts. The library validates their descriptions. */
function register(server: McpServer, args: Fields, extensions: DescribedExtensions): void {
  for (const item of listOf(args, "tools")) {
    const handler = (input: unknown, context: RequestContext) => {
      const { progress, waits, asks, task } = item;
      if (progress === undefined && waits !== true && asks === undefined && task === undefined) {
        return produce(item, input);
      }
      return work(item, input, context, extensions);
    };
    if (isFields(item.page)) registerPage(server, about(item), item.page, handler);
    else server.registerTool(about(item) as never, handler);
  }
  for (const item of listOf(args, "resources")) {
    server.registerResource(about(item) as never, (uri) => produce(item, uri));
  }
  for (const item of listOf(args, "templates")) {
    server.registerResourceTemplate(
      about(item) as never,
      (uri, variables) => produce(item, JSON.stringify({ uri, variables })),
      completionOf(item),
    );
  }
  for (const item of listOf(args, "prompts")) {
    server.registerPrompt(
      about(item) as never,
      (values) => produce(item, JSON.stringify(values)),
      completionOf(item),
    );
  }
}

/** Members of an item that describe its handler. */
const HANDLER_MEMBERS = [
  "returns",
  "special",
  "bytesHex",
  "throws",
  "rejects",
  "complete",
  "progress",
  "waits",
  "asks",
  "task",
  "page",
];

function about(item: Fields): Fields {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !HANDLER_MEMBERS.includes(name)),
  );
}

/** Sends what a tool sends, or waits until the request is aborted. */
async function work(
  item: Fields,
  input: unknown,
  context: RequestContext,
  extensions: DescribedExtensions,
): Promise<unknown> {
  const started = await extensions.start(item.task, context);
  for (let step = 1; step <= Number(item.progress ?? 0); step++) await context.progress(step);
  if (item.waits === true) {
    await new Promise((resolve) => started.signal.addEventListener("abort", resolve));
  }
  if (item.asks !== undefined) return await askAll(item.asks, started);
  return produce(item, input);
}

/** Returns what the handler of an item returns. A handler without a described result returns its input. */
function produce(item: Fields, input: unknown): unknown {
  const { returns, special, bytesHex, throws, rejects } = item;
  if (isFields(rejects)) {
    throw McpError.protocolError(textOf(rejects, "message"), {
      rpcCode: Number(rejects.code),
      ...("data" in rejects ? { data: rejects.data } : {}),
    });
  }
  if (throws !== undefined) throw new Error(String(throws));
  if (special !== undefined) return makeValue(special);
  if (bytesHex !== undefined) return bytesOf(item, "bytesHex");
  return returns ?? input;
}

const BYTES = new Uint8Array([0x00, 0xff]);

/** Creates a value that JSON cannot represent, or that has another form in JSON. */
function makeValue(name: unknown): unknown {
  switch (name) {
    case "infinity":
      return Infinity;
    case "symbol":
      return Symbol("kit");
    case "invalid-date":
      return { at: new Date(NaN) };
    case "hole":
      return [1, , 3];
    case "undefined-item":
      return [undefined];
    case "deep":
      return makeDeep(300, 1);
    case "deep-map":
      return makeDeep(300, new Map([["a", 1]]));
    case "promise-member":
      return { later: Promise.resolve(1) };
    case "bytes-member":
      return { data: BYTES };
    case "class":
      return new (class Empty {})();
    case "instance":
      return new (class Full {
        a = 1;
      })();
    case "null-prototype":
      return Object.assign(Object.create(null), { a: 1 });
    case "to-json":
      return { list: [{ toJSON: () => "z" }] };
    case "to-json-undefined":
      return { a: { toJSON: () => undefined } };
    case "blob":
      return { uri: "test://in", blob: BYTES };
    case "blobs":
      return [{ uri: "test://in", blob: BYTES }, { uri: "test://in", text: "t" }];
    case "strange-blob":
      return { uri: 1, blob: BYTES };
    default:
      return makeSpecial(name);
  }
}

function makeDeep(levels: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

/** Completers that return the listed values that start with the typed text, or a value that is not a list. */
function completionOf({ complete }: Fields): object {
  if (!isFields(complete)) return {};
  const completers = Object.entries(complete).map(([name, values]) => [
    name,
    (typed: string, others: Fields) =>
      Array.isArray(values)
        ? values.filter((each) => typeof each !== "string" || each.startsWith(typed))
        : values === "others"
        ? Object.entries(others).flat()
        : values,
  ]);
  return { complete: Object.fromEntries(completers) };
}

function listOf(args: Fields, name: string): readonly Fields[] {
  const list = args[name] ?? [];
  if (Array.isArray(list) && list.every(isFields)) return list;
  throw new BadArgs(`"${name}" must be an array of objects`);
}

function describedOf({ on }: OpCall): Described {
  return describedBy(on);
}

function describedBy(on: unknown): Described {
  if (on instanceof Described) return on;
  throw new BadArgs('"on" must be the handle of a server');
}
