/**
 * Servers that a case describes, implemented with `@parley/mcp`.
 *
 * @module
 */

import {
  type ChangeBus,
  type HttpHandler,
  type ListTemplateResources,
  mcpHandler,
  type McpHandlerOptions,
  McpServer,
  type McpServerConfig,
  memoryChangeBus,
  type RequestContext,
} from "@parley/mcp/server";
import { askAll, DescribedExtensions, registerPage } from "./mcp_extensions.ts";
import {
  describedExtension,
  type ExtensionRecords,
  librarySchema,
  perform,
  wrapRequests,
} from "./mcp_server_actions.ts";
import { makeValue, produce } from "./mcp_values.ts";
import {
  BadArgs,
  bytesOf,
  type Fields,
  fieldsOf,
  type Handles,
  isFields,
  pick,
  textOf,
} from "./operation.ts";

/**
 * Current time for the sessions and the request states of a server, in milliseconds since the
 * epoch.
 */
interface Clock {
  now: number;
}

/** A server, the handler that serves it over HTTP, and records of its functions. */
export class DescribedServer {
  readonly server: McpServer;
  readonly handler: HttpHandler;
  /** Tasks and skills. */
  readonly extensions: DescribedExtensions;
  readonly clock: Clock = { now: 0 };
  /** Requests that the middleware wrapped. */
  readonly wrapped: unknown[] = [];
  /** Subscriptions to the notifications of extensions. */
  readonly subscriptions: ExtensionRecords = {
    subscriptions: [],
    pending: Promise.withResolvers(),
    stopped: 0,
  };
  /** Functions that let the schemas of libraries finish. */
  readonly held: (() => void)[] = [];
  /** Context of the last call of a handler with actions. */
  context: RequestContext | undefined;

  /** Creates a server. The library validates the options. */
  constructor(args: Fields, extensions: DescribedExtensions, handles: Handles) {
    this.extensions = extensions;
    this.server = new McpServer(this.#toConfig(args, handles));
    this.register(args);
    const http = fieldsOf(args, "http");
    const sessions = { ...fieldsOf(http, "sessions"), now: () => this.clock.now };
    this.handler = mcpHandler(this.server, { ...http, sessions } as McpHandlerOptions);
  }

  /** Creates a server and its tasks and skills. */
  static async create(args: Fields, handles: Handles): Promise<DescribedServer> {
    const findShared = (handle: string) => describedBy(handles.get(handle)).extensions;
    const extensions = await DescribedExtensions.create(args, findShared);
    return new DescribedServer(args, extensions, handles);
  }

  /**
   * Registers tools, resources, resource templates and prompts. The library validates their
   * descriptions.
   */
  register(args: Fields): void {
    const { server } = this;
    for (const item of listOf(args, "tools")) {
      const handler = (input: unknown, context: RequestContext) =>
        this.#handle(item, input, context);
      if (isFields(item.page)) registerPage(server, this.#about(item), item.page, handler);
      else server.registerTool(this.#about(item) as never, handler);
    }
    for (const item of listOf(args, "resources")) {
      server.registerResource(
        this.#about(item) as never,
        (uri, context) => this.#handle(item, uri, context),
      );
    }
    for (const item of listOf(args, "templates")) {
      server.registerResourceTemplate(
        this.#about(item) as never,
        (uri, variables, context) =>
          this.#handle(item, JSON.stringify({ uri, variables }), context),
        { ...completionOf(item), ...listingOf(item) },
      );
    }
    for (const item of listOf(args, "prompts")) {
      server.registerPrompt(
        this.#about(item) as never,
        (values, context) => this.#handle(item, JSON.stringify(values), context),
        completionOf(item),
      );
    }
  }

  /**
   * Replaces items. Each member of `update` contains new items, keyed by the name of the item that
   * they replace. With `keeps`, the item keeps the handler of the replaced item.
   */
  update(update: Fields): void {
    const { server } = this;
    for (const [name, item] of entriesOf(update, "tools")) {
      const handler = (input: unknown, context: RequestContext) =>
        this.#handle(item, input, context);
      server.updateTool(
        name,
        this.#about(item) as never,
        item.keeps === true ? undefined : handler,
      );
    }
    for (const [uri, item] of entriesOf(update, "resources")) {
      const handler = (uri: string, context: RequestContext) => this.#handle(item, uri, context);
      const kept = item.keeps === true ? undefined : handler;
      server.updateResource(uri, this.#about(item) as never, kept);
    }
    for (const [uriTemplate, item] of entriesOf(update, "templates")) {
      const handler = (uri: string, variables: object, context: RequestContext) =>
        this.#handle(item, JSON.stringify({ uri, variables }), context);
      const kept = item.keeps === true ? undefined : handler;
      server.updateResourceTemplate(uriTemplate, this.#about(item) as never, kept);
    }
    for (const [name, item] of entriesOf(update, "prompts")) {
      const handler = (values: unknown, context: RequestContext) =>
        this.#handle(item, JSON.stringify(values), context);
      const kept = item.keeps === true ? undefined : handler;
      server.updatePrompt(name, this.#about(item) as never, kept);
    }
  }

  /** Returns the description of an item, without the members that describe its handler. */
  #about(item: Fields): Fields {
    const { library, outputLibrary, argumentsLibrary } = item;
    const members = Object.entries(item).filter(([name]) => !HANDLER_MEMBERS.includes(name));
    const toSchema = (described: Fields) => librarySchema(described, this.held);
    return {
      ...Object.fromEntries(members),
      ...mapMembers(fieldsOf(item, "specialMembers"), makeValue),
      ...(isFields(library) ? { inputSchema: toSchema(library) } : {}),
      ...(isFields(outputLibrary) ? { outputSchema: toSchema(outputLibrary) } : {}),
      ...(isFields(argumentsLibrary) ? { argumentsSchema: toSchema(argumentsLibrary) } : {}),
    };
  }

  #toConfig(args: Fields, handles: Handles): McpServerConfig {
    const { visibleTo, around } = args;
    const described = listOf(args, "extensions").map((extension) =>
      describedExtension(
        extension,
        this.subscriptions,
        (item, params, context) => this.#handle(item, params, context),
      )
    );
    return {
      name: "kit-described",
      version: "1.0.0",
      ...pick(args, ...CONFIG_MEMBERS),
      ...fieldsOf(args, "limits"),
      requestState: requestStateOf(args, this.clock),
      extensions: [...this.extensions.list, ...described],
      ...(isFields(visibleTo) ? { visible: visibilityOf(visibleTo) } : {}),
      ...("sharesChanges" in args ? { changeBus: busOf(handles, args.sharesChanges) } : {}),
      ...(isFields(around) ? { around: wrapRequests(around, this.wrapped) } : {}),
      onError: () => {},
    } as McpServerConfig;
  }

  /** Does what an item describes. A prompt receives the results of its actions as JSON text. */
  #handle(item: Fields, input: unknown, context: RequestContext): unknown {
    const { acts, asks, progress, waits, task } = item;
    if (Array.isArray(acts)) {
      this.context = context;
      return perform(acts, context).then((results) =>
        produce(item, "arguments" in item ? JSON.stringify(results) : results)
      );
    }
    const isSimple = [asks, progress, waits, task].every((each) => each === undefined);
    return isSimple ? produce(item, input) : this.#work(item, input, context);
  }

  /** Starts a task, requests input, sends progress, or waits until the request is aborted. */
  async #work(item: Fields, input: unknown, context: RequestContext): Promise<unknown> {
    const started = await this.extensions.start(item.task, context);
    for (let step = 1; step <= Number(item.progress ?? 0); step++) {
      const sent = context.progress(step);
      if (item.together !== true) await sent;
    }
    if (item.waits === true) {
      await new Promise((resolve) => started.signal.addEventListener("abort", resolve));
    }
    if (item.asks !== undefined) return await askAll(item.asks, started);
    return produce(item, input);
  }
}

/** Returns the server with a handle. */
export function describedBy(on: unknown): DescribedServer {
  if (on instanceof DescribedServer) return on;
  throw new BadArgs('"on" must be the handle of a server');
}

/** Members of the arguments that are options of the server. */
const CONFIG_MEMBERS = [
  "name",
  "version",
  "title",
  "description",
  "websiteUrl",
  "icons",
  "instructions",
  "cache",
  "pageSize",
];

/** Hides items from all users except the named one. */
export function visibilityOf(visibleTo: Fields): NonNullable<McpServerConfig["visible"]> {
  return ({ name }, principal) => {
    const subject = visibleTo[name];
    if (isFields(subject)) throw new Error(textOf(subject, "throws"));
    return subject === undefined || subject === principal?.subject;
  };
}

/** Change buses that connect the servers of a case. */
const BUSES = new WeakMap<Handles, ChangeBus>();

function busOf(handles: Handles, kind: unknown): ChangeBus {
  if (kind === "rejects") {
    const reject = () => Promise.reject(new Error("the bus is not available"));
    return { publish: reject, subscribe: reject };
  }
  const bus = BUSES.get(handles) ?? memoryChangeBus();
  BUSES.set(handles, bus);
  return bus;
}

function requestStateOf(args: Fields, clock: Clock): object {
  const { keys, ...options } = fieldsOf(args, "requestState");
  return {
    ...options,
    ...(Array.isArray(keys) ? { keys: keys.map((hex) => bytesOf({ hex }, "hex")) } : {}),
    now: () => clock.now,
  };
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
  "acts",
  "library",
  "outputLibrary",
  "argumentsLibrary",
  "keeps",
  "specialMembers",
  "lists",
  "excess",
  "task",
  "page",
];

function mapMembers(fields: Fields, map: (value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
}

/**
 * Completers that return the listed values that start with the typed text, or a value that is not a
 * list.
 */
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

/**
 * A function that lists the described resources. The cursor of a page is the index of its first
 * resource. With `excess`, each page has more resources than requested.
 */
function listingOf({ lists, excess = 0 }: Fields): object {
  if (!Array.isArray(lists)) return {};
  const list: ListTemplateResources = ({ cursor = "0", limit }) => {
    const start = Number(cursor);
    const end = start + limit;
    const resources = lists.slice(start, end + Number(excess));
    return end < lists.length ? { resources, nextCursor: `${end}` } : { resources };
  };
  return { list };
}

function entriesOf(args: Fields, name: string): readonly (readonly [string, Fields])[] {
  return Object.keys(fieldsOf(args, name)).map((key) => [key, fieldsOf(fieldsOf(args, name), key)]);
}

function listOf(args: Fields, name: string): readonly Fields[] {
  const list = args[name] ?? [];
  if (Array.isArray(list) && list.every(isFields)) return list;
  throw new BadArgs(`"${name}" must be an array of objects`);
}
