/**
 * `mcp` operations on servers whose tools, resources and prompts a case describes, implemented with `@parley/mcp`.
 *
 * @module
 */

import {
  type HttpContext,
  type HttpHandler,
  type InputRequest,
  McpError,
  mcpHandler,
  type McpHandlerOptions,
  McpServer,
  type McpServerConfig,
  type RequestContext,
  serveStdio,
} from "@parley/mcp/server";
import type { McpRequest } from "@parley/mcp";
import { memorySkills, type ServerSkills, serverSkills } from "@parley/mcp/skills";
import { makeSpecial } from "./driver_protocol.ts";
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
  readonly handler: HttpHandler;
  readonly clock: Clock;

  constructor(server: McpServer, http: Fields, clock: Clock) {
    const sessions = { ...fieldsOf(http, "sessions"), now: () => clock.now };
    this.server = server;
    this.clock = clock;
    // The library validates the options.
    this.handler = mcpHandler(server, { ...http, sessions } as McpHandlerOptions);
  }
}

/** Implementations of the operations, keyed by operation name. */
export const SERVER_OPS: Readonly<Record<string, Operation>> = {
  "mcp.server.new": async ({ args, handles }) => {
    const clock = { now: 0 };
    const server = await createServer(args, clock);
    const described = new Described(server, fieldsOf(args, "http"), clock);
    return { handle: handles.add(described, () => described.handler.close()) };
  },
  "mcp.server.request": async (call) => ({
    // The request is passed unvalidated, because cases test malformed requests.
    response: await describedOf(call).server
      .handleRequest(fieldsOf(call.args, "request") as unknown as McpRequest),
  }),
  "mcp.server.fetch": async (call) => {
    const { args } = call;
    const described = describedOf(call);
    if (typeof args.atMs === "number") described.clock.now = args.atMs;
    const request = toRequest(args, call.signal);
    if (args.isRead === true) await request.text();
    const response = await described.handler(request, contextOf(args));
    await delay(args.readsAfterMs);
    return await describe(response, args.reads);
  },
  "mcp.server.change": async (call) => {
    const { server } = describedOf(call);
    const { add, removeTool, removeResource, removePrompt, updated, ends } = call.args;
    if (isFields(add)) register(server, add);
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
    const piped = new Piped(describedOf(call).server, call.args);
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
  "mcp.pipe.stop": ({ on }) => pipedOf(on).stop(),
  "mcp.pipe.ended": async ({ on }) => {
    await pipedOf(on).ended;
  },
};

/** A server that is served over lines. */
class Piped {
  readonly ended: Promise<void>;
  readonly #lines: (string | null)[] = [];
  readonly #written: unknown[] = [];
  readonly #output: unknown;
  readonly #controller = new AbortController();
  #onLine: () => void = () => {};
  #onWrite: () => void = () => {};
  #onRead: () => void = () => {};

  constructor(server: McpServer, args: Fields) {
    this.#output = args.output;
    if (args.stopped === true) this.stop();
    this.ended = serveStdio(server, {
      ...fieldsOf(args, "options"),
      signal: this.#controller.signal,
      reader: { readLine: () => this.#readLine() },
      writer: {
        writeLine: (line) => this.#writeLine(line),
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

  /** Aborts the signal that stops serving. */
  stop(): void {
    this.#controller.abort();
  }

  /** Waits for a number of messages from the server, and removes them. */
  async take(count: number): Promise<readonly unknown[]> {
    while (this.#written.length < count) {
      const written = new Promise<void>((resolve) => this.#onWrite = resolve);
      this.#onRead();
      await written;
    }
    this.#onRead();
    return this.#written.splice(0);
  }

  /** Writes a line. If the output is held, the line is written when the next call to `take()` reads it. */
  #writeLine(line: string): Promise<void> {
    if (this.#output === "broken") return Promise.reject(new Error("the output is broken"));
    this.#written.push(JSON.parse(line));
    this.#onWrite();
    if (this.#output !== "held") return Promise.resolve();
    return new Promise((resolve) => this.#onRead = resolve);
  }

  async #readLine(): Promise<string | null> {
    while (this.#lines.length === 0) {
      await new Promise<void>((resolve) => this.#onLine = resolve);
    }
    return this.#lines.shift() ?? null;
  }
}

function pipedOf(on: unknown): Piped {
  if (on instanceof Piped) return on;
  throw new BadArgs('"on" must be the handle of a pipe');
}

const BASE_URL = "http://127.0.0.1/mcp";

function toRequest(args: Fields, signal: AbortSignal): Request {
  const { method = "POST", url = BASE_URL, headers = {}, json, text, chunksHex } = args;
  const body = json !== undefined
    ? JSON.stringify(json)
    : typeof text === "string"
    ? text.padEnd(Number(args.padToBytes) || 0)
    : Array.isArray(chunksHex)
    ? ReadableStream.from(chunksOf(chunksHex, args))
    : undefined;
  // Node.js requires `duplex` if the body is a stream, but Deno's types do not contain `duplex`.
  const init: RequestInit & { readonly duplex: "half" } = {
    duplex: "half",
    method: String(method),
    signal,
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

/** Yields the chunks of a body, each after a delay if one is given, and then fails if the body breaks. */
async function* chunksOf(
  chunksHex: readonly unknown[],
  { chunkDelayMs, breaks }: Fields,
): AsyncGenerator<Uint8Array> {
  for (const hex of chunksHex) {
    await delay(chunkDelayMs);
    yield bytesOf({ hex }, "hex");
  }
  if (breaks === true) throw new Error("the body breaks");
}

async function delay(ms: unknown): Promise<void> {
  if (typeof ms === "number") await new Promise((resolve) => setTimeout(resolve, ms));
}

function contextOf({ principal }: Fields): HttpContext {
  // The library validates the principal.
  return principal === undefined ? {} : { principal } as HttpContext;
}

async function describe(response: Response, reads: unknown): Promise<object> {
  const { status } = response;
  const headers = Object.fromEntries(response.headers);
  if (reads === "head") {
    await response.body?.cancel();
    return { status, headers };
  }
  const text = await readText(response, typeof reads === "number" ? reads : Infinity);
  if (headers["content-type"] === "text/event-stream") {
    const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id);
    const retryMs = [...text.matchAll(/^retry: (.+)$/gm)].map(([, ms]) => Number(ms));
    const comments = [...text.matchAll(/^:/gm)].length;
    return { status, headers, messages: messagesOf(text), ids, retryMs, comments };
  }
  return text === "" ? { status, headers } : { status, headers, json: JSON.parse(text) };
}

/** Reads a body. Cancels the body after the given number of messages. */
async function readText({ body }: Response, count: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  // A loop over the body cancels the body when the loop ends.
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (count !== Infinity && messagesOf(text).length >= count) break;
  }
  return text + decoder.decode();
}

function messagesOf(text: string): readonly unknown[] {
  return [...text.matchAll(/^data: (.+)\n\n/gm)].map(([, data = ""]) => JSON.parse(data));
}

async function createServer(args: Fields, clock: Clock): Promise<McpServer> {
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
    ...(isFields(args.skills) ? { extensions: [await createSkills(args.skills)] } : {}),
    ...(isFields(visibleTo)
      ? {
        visible: ({ name }, principal) => {
          const subject = visibleTo[name];
          if (isFields(subject)) throw new Error(textOf(subject, "throws"));
          return subject === undefined || subject === principal?.subject;
        },
      }
      : {}),
    onError: () => {},
  } as McpServerConfig);
  register(server, args);
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

/** Loads skills from files whose contents are given as text, or as bytes in hexadecimal. The library validates them. */
function createSkills({ files, ...options }: Fields): Promise<ServerSkills> {
  const contents = Object.entries(isFields(files) ? files : {}).map(([path, content]) => [
    path,
    isFields(content) ? bytesOf(content, "hex") : content,
  ]);
  const source = memorySkills(Object.fromEntries(contents));
  return serverSkills({ ...options, files: source, onError: () => {} });
}

/** Registers tools, resources, resource templates and prompts. The library validates their descriptions. */
function register(server: McpServer, args: Fields): void {
  for (const item of listOf(args, "tools")) {
    server.registerTool(about(item) as never, (input: unknown, context) => {
      const { progress, waits, asks } = item;
      if (progress === undefined && waits !== true && asks === undefined) {
        return produce(item, input);
      }
      return work(item, input, context);
    });
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
  "together",
  "waits",
  "asks",
];

function about(item: Fields): Fields {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !HANDLER_MEMBERS.includes(name)),
  );
}

/** Sends what a tool sends, or waits until the request is aborted. */
async function work(item: Fields, input: unknown, context: RequestContext): Promise<unknown> {
  for (let step = 1; step <= Number(item.progress ?? 0); step++) {
    const sent = context.progress(step);
    if (item.together !== true) await sent;
  }
  // The input requests are passed unvalidated, because the library validates them.
  if (isFields(item.asks)) return await context.askAll(item.asks as Record<string, InputRequest>);
  if (item.waits === true) {
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
  }
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
  if (on instanceof Described) return on;
  throw new BadArgs('"on" must be the handle of a server');
}
