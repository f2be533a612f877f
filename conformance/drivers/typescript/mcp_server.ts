/**
 * `mcp` operations on servers whose tools, resources and prompts a case describes, implemented with `@parley/mcp`.
 *
 * @module
 */

import {
  type ChangeBus,
  type HttpContext,
  type HttpHandler,
  type InputRequest,
  McpError,
  mcpHandler,
  type McpHandlerOptions,
  McpServer,
  type McpServerConfig,
  memoryChangeBus,
  type RequestContext,
  type ServerExtension,
  serveStdio,
} from "@parley/mcp/server";
import type { McpRequest } from "@parley/mcp";
import { memorySkills, type ServerSkills, serverSkills } from "@parley/mcp/skills";
import { makeSpecial } from "./driver_protocol.ts";
import {
  describedExtension,
  driveExtensions,
  type ExtensionRecords,
  librarySchema,
  perform,
  wrapRequests,
} from "./mcp_server_actions.ts";
import {
  BadArgs,
  bytesOf,
  type Fields,
  fieldsOf,
  type Handles,
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

/** Records of the handlers, the middleware and the extensions of a server. */
interface Records {
  /** Context of the last call of a handler with actions. */
  context?: RequestContext;
  /** Requests that the middleware wrapped. */
  readonly wrapped: unknown[];
  readonly extensions: ExtensionRecords;
  /** Functions that let the schemas of libraries finish. */
  readonly held: (() => void)[];
}

/** A server, and the handler that serves it over HTTP. */
class Described {
  readonly server: McpServer;
  readonly handler: HttpHandler;
  readonly clock: Clock;
  readonly records: Records;

  constructor(server: McpServer, http: Fields, clock: Clock, records: Records) {
    const sessions = { ...fieldsOf(http, "sessions"), now: () => clock.now };
    this.server = server;
    this.clock = clock;
    this.records = records;
    // The library validates the options.
    this.handler = mcpHandler(server, { ...http, sessions } as McpHandlerOptions);
  }
}

/** Implementations of the operations, keyed by operation name. */
export const SERVER_OPS: Readonly<Record<string, Operation>> = {
  "mcp.server.new": async ({ args, handles }) => {
    const clock = { now: 0 };
    const records = { wrapped: [], extensions: { subscriptions: [], stopped: 0 }, held: [] };
    const server = await createServer(args, clock, records, handles);
    const described = new Described(server, fieldsOf(args, "http"), clock, records);
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
    const response = await described.handler(toRequest(args), contextOf(args));
    return await describe(response, args.reads === "head");
  },
  "mcp.server.change": async (call) => {
    const { server, records } = describedOf(call);
    const { add, removeTool, removeResource, removePrompt, updated, ends } = call.args;
    const { removeTemplate, listChanged, wrapped, late, extension } = call.args;
    if (isFields(add)) register(server, add, records);
    if (Array.isArray(late) && records.context !== undefined) {
      return { results: await perform(late, records.context, produce) };
    }
    if (isFields(extension)) return driveExtensions(extension, records.extensions);
    if (call.args.listeners === true) return { listeners: server.changes.size };
    if (call.args.releases === true) { for (const release of records.held.splice(0)) release(); }
    if (wrapped === true) return { requests: records.wrapped.splice(0) };
    if (typeof removeTemplate === "string") {
      return { removed: server.removeResourceTemplate(removeTemplate) };
    }
    if (typeof listChanged === "string") server.listChanged(listChanged as "tools");
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
    const piped = new Piped(
      describedOf(call).server,
      fieldsOf(call.args, "options"),
      call.args.isSlow === true,
    );
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

/** Supported features of servers. */
export const SERVER_FEATURES: Readonly<Record<string, boolean>> = {
  "mcp.server.actions": true,
  "mcp.server.around": true,
  "mcp.server.changeBus": true,
  "mcp.server.extensions": true,
  "mcp.server.librarySchemas": true,
};

/** A server that is served over lines. */
class Piped {
  readonly ended: Promise<void>;
  readonly #lines: (string | null)[] = [];
  readonly #written: unknown[] = [];
  /** Lets the server write the next line, if the reader of a slow pipe has taken the previous one. */
  readonly #accepts: (() => void)[] = [];
  #onLine: () => void = () => {};
  #onWrite: () => void = () => {};

  constructor(server: McpServer, options: Fields, isSlow: boolean) {
    this.ended = serveStdio(server, {
      ...options,
      reader: { readLine: () => this.#readLine() },
      writer: {
        writeLine: (line) => {
          this.#written.push(JSON.parse(line));
          this.#onWrite();
          return isSlow ? new Promise((resolve) => this.#accepts.push(resolve)) : Promise.resolve();
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
    for (const accept of this.#accepts.splice(0)) accept();
    return this.#written.splice(0);
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

/** Change buses that connect the servers of a case. */
const BUSES = new WeakMap<Handles, ChangeBus>();

function busOf(handles: Handles, kind: unknown): ChangeBus {
  if (kind === "rejects") {
    return {
      publish: () => Promise.reject(new Error("The bus is not available")),
      subscribe: () => Promise.reject(new Error("The bus is not available")),
    };
  }
  const bus = BUSES.get(handles) ?? memoryChangeBus();
  BUSES.set(handles, bus);
  return bus;
}

async function createServer(
  args: Fields,
  clock: Clock,
  records: Records,
  handles: Handles,
): Promise<McpServer> {
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
  const requestState = requestStateOf(args, clock);
  const server = new McpServer({
    name: "kit-described",
    version: "1.0.0",
    ...config,
    ...fieldsOf(args, "limits"),
    requestState,
    extensions: await createExtensions(args, records),
    ...(isFields(visibleTo)
      ? {
        visible: ({ name }, principal) =>
          visibleTo[name] === undefined || visibleTo[name] === principal?.subject,
      }
      : {}),
    ...("sharesChanges" in args ? { changeBus: busOf(handles, args.sharesChanges) } : {}),
    ...(isFields(args.around)
      ? { around: wrapRequests(args.around, records.wrapped, produce) }
      : {}),
    onError: () => {},
  } as McpServerConfig);
  // A program may overwrite its keys when it no longer needs them.
  for (const key of requestState.keys ?? []) key.fill(0);
  register(server, args, records);
  return server;
}

async function createExtensions(
  args: Fields,
  records: Records,
): Promise<readonly ServerExtension[]> {
  const described = listOf(args, "extensions").map((extension) =>
    describedExtension(
      extension,
      records.extensions,
      produce,
      (item, params, context) => handle(item, params, context, records),
    )
  );
  return isFields(args.skills) ? [await createSkills(args.skills), ...described] : described;
}

function requestStateOf(
  args: Fields,
  clock: Clock,
): Fields & { readonly keys?: readonly Uint8Array[] } {
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
function register(server: McpServer, args: Fields, records: Records): void {
  for (const item of listOf(args, "tools")) {
    server.registerTool(about(item, records) as never, (input: unknown, context) => {
      const { progress, waits } = item;
      if (progress === undefined && waits !== true) return handle(item, input, context, records);
      return work(item, input, context);
    });
  }
  for (const item of listOf(args, "resources")) {
    server.registerResource(
      about(item, records) as never,
      (uri, context) => handle(item, uri, context, records),
    );
  }
  for (const item of listOf(args, "templates")) {
    server.registerResourceTemplate(
      about(item, records) as never,
      (uri, variables, context) =>
        handle(item, JSON.stringify({ uri, variables }), context, records),
      completionOf(item),
    );
  }
  for (const item of listOf(args, "prompts")) {
    server.registerPrompt(
      about(item, records) as never,
      (values, context) => handle(item, JSON.stringify(values), context, records),
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
  "acts",
  "library",
  "outputLibrary",
  "specialMembers",
];

function about(item: Fields, { held }: Records): Fields {
  const { library, outputLibrary } = item;
  const members = Object.entries(item).filter(([name]) => !HANDLER_MEMBERS.includes(name));
  return {
    ...Object.fromEntries(members),
    ...mapMembers(fieldsOf(item, "specialMembers"), makeValue),
    ...(isFields(library) ? { inputSchema: librarySchema(library, produce, held) } : {}),
    ...(isFields(outputLibrary)
      ? { outputSchema: librarySchema(outputLibrary, produce, held) }
      : {}),
  };
}

function mapMembers(fields: Fields, map: (value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
}

/** Performs the actions of an item, or requests its input. A prompt receives results as JSON text. */
function handle(item: Fields, input: unknown, context: RequestContext, records: Records): unknown {
  const { acts, asks } = item;
  if (Array.isArray(acts)) {
    records.context = context;
    return perform(acts, context, produce).then((results) => produce(item, toText(item, results)));
  }
  // The input requests are passed unvalidated, because the library validates them.
  if (isFields(asks)) return context.askAll(asks as Record<string, InputRequest>);
  return produce(item, input);
}

function toText(item: Fields, results: unknown): unknown {
  return "arguments" in item ? JSON.stringify(results) : results;
}

/** Sends what a tool sends, or waits until the request is aborted. */
async function work(item: Fields, input: unknown, context: RequestContext): Promise<unknown> {
  for (let step = 1; step <= Number(item.progress ?? 0); step++) await context.progress(step);
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
