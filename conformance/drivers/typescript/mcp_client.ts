/**
 * MCP client operations, implemented with `@parley/mcp`.
 *
 * @module
 */

import {
  HttpTransport,
  McpClient,
  type McpClientConfig,
  type RequestOptions,
  SseTransport,
  type Subscription,
} from "@parley/mcp";
import { appsExtension, readApp, toolsForApp, toolsForModel } from "@parley/mcp/apps";
import type { RpcNotification } from "@parley/mcp/protocol";
import { type ClientSkills, clientSkills } from "@parley/mcp/skills";
import { type ClientTasks, clientTasks } from "@parley/mcp/tasks";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  isFields,
  type OpCall,
  type Operation,
  pick,
  textOf,
  toHex,
  Unsupported,
} from "./operation.ts";

/** Creates a transport that starts a server process. */
export type SpawnServer = (
  command: string,
  args: readonly string[],
  options: Fields,
) => McpClientConfig["transport"];

/** Ids of the tasks and skills extensions. The id of the apps extension is the `id` of {@linkcode appsExtension}. */
const TASKS = "io.modelcontextprotocol/tasks";
const SKILLS = "io.modelcontextprotocol/skills";
/** Protocol versions that a client can be restricted to. */
const PROTOCOLS = [
  "auto",
  "modern",
  "legacy",
  "2026-07-28",
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
] as const;

/** Options of a client that cases can set. */
const CLIENT_OPTIONS = [
  "capabilities",
  "clientInfo",
  "connectTimeoutMs",
  "enforceCapabilities",
  "maxConcurrent",
  "maxInputRequests",
  "maxListChars",
  "maxListItems",
  "maxListPages",
  "maxQueued",
  "probeTimeoutMs",
  "throwOnToolError",
];

/** Minimum poll interval of tasks, in milliseconds. */
const MIN_POLL_MS = 10;

/** A client and the notifications that it has received. */
class Client {
  readonly client: McpClient;
  readonly heard: RpcNotification[] = [];
  readonly tasks: ClientTasks | undefined;
  readonly taskChanges: object[] = [];
  readonly skills: ClientSkills;

  constructor(config: McpClientConfig, { extensions, extensionOptions = {} }: Fields) {
    const ids: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
    // The library validates the options.
    const { tasks, skills } = isFields(extensionOptions) ? extensionOptions : {};
    const onChange = (task: object): void => void this.taskChanges.push(task);
    this.tasks = ids.includes(TASKS)
      ? clientTasks({ minPollMs: MIN_POLL_MS, ...(tasks ?? {}), onChange })
      : undefined;
    this.client = new McpClient({
      ...config,
      onNotification: (each) => void this.heard.push(each),
      extensions: [
        ...(this.tasks === undefined ? [] : [this.tasks]),
        ...(ids.includes(appsExtension.id) ? [appsExtension] : []),
      ],
    });
    this.skills = clientSkills(this.client, { ...(skills ?? {}), onError: () => {} });
  }
}

/** A subscription stream, read one notification at a time. */
class Listening {
  readonly subscription: Subscription;
  readonly #news: AsyncIterator<RpcNotification>;

  constructor(subscription: Subscription) {
    this.subscription = subscription;
    this.#news = subscription[Symbol.asyncIterator]();
  }

  async next(): Promise<RpcNotification | null> {
    const { done, value } = await this.#news.next();
    return done === true ? null : value;
  }
}

/** Creates the operations, keyed by name. `spawnServer` is omitted on platforms without processes. */
export function createClientOps(spawnServer?: SpawnServer): Readonly<Record<string, Operation>> {
  return {
    "mcp.client.connect": async ({ args, handles, signal }) => {
      const { handlers, protocol } = args;
      const client = new Client({
        transport: toTransport(
          fieldsOf(args, "transport"),
          fieldsOf(args, "transportOptions"),
          spawnServer,
        ),
        ...(isFields(handlers) ? { handlers: toHandlers(handlers) } : {}),
        ...(protocol === undefined ? {} : { protocol: toProtocol(protocol) }),
        // The library validates the options.
        ...pick(fieldsOf(args, "options"), ...CLIENT_OPTIONS),
      }, args);
      await client.client.connect({ signal });
      return { handle: handles.add(client, () => client.client.disconnect()) };
    },
    ...CONNECTED_OPS,
  };
}

function toProtocol(value: unknown): NonNullable<McpClientConfig["protocol"]> {
  const protocol = PROTOCOLS.find((each) => each === value);
  if (protocol === undefined) throw new BadArgs(`unknown protocol ${JSON.stringify(value)}`);
  return protocol;
}

/** Operations on connected clients. */
const CONNECTED_OPS: Readonly<Record<string, Operation>> = {
  "mcp.client.capabilities": (call) => ({ ...clientOf(call).capabilities() }),
  "mcp.client.server": (call) => {
    const { server } = clientOf(call);
    return { ...server, ...(server?.info === undefined ? {} : { serverInfo: server.info }) };
  },
  "mcp.client.listTools": async (call) => ({ items: await clientOf(call).listTools(call) }),
  "mcp.client.listResources": async (call) => ({ items: await clientOf(call).listResources(call) }),
  "mcp.client.listResourceTemplates": async (call) => ({
    items: await clientOf(call).listResourceTemplates(call),
  }),
  "mcp.client.listPrompts": async (call) => ({ items: await clientOf(call).listPrompts(call) }),
  "mcp.client.callTool": async (call) => {
    const { args } = call;
    const progress: object[] = [];
    const options = {
      ...optionsOf(call),
      ...(args.progress === true ? { onProgress: (each: object) => void progress.push(each) } : {}),
      ...(args.meta === undefined ? {} : { meta: fieldsOf(args, "meta") }),
    };
    const given = fieldsOf(args, "arguments");
    const result = await clientOf(call).callTool(textOf(args, "name"), given, options);
    return { result, progress };
  },
  "mcp.client.request": async (call) => ({
    result: await clientOf(call)
      .request(textOf(call.args, "method"), fieldsOf(call.args, "params"), optionsOf(call)),
  }),
  "mcp.client.followTask": async (call) => ({
    result: await tasksOf(call).resume(textOf(call.args, "taskId"), optionsOf(call)),
  }),
  "mcp.client.getTask": async (call) => ({
    task: await tasksOf(call).get(textOf(call.args, "taskId"), optionsOf(call)),
  }),
  "mcp.client.cancelTask": async (call) =>
    await tasksOf(call).cancel(textOf(call.args, "taskId"), optionsOf(call)),
  "mcp.skills.list": async (call) => {
    const { skills } = entryOf(call);
    return { items: await skills.list(optionsOf(call)), supported: skills.supported };
  },
  "mcp.skills.get": async (call) => ({
    skill: await entryOf(call).skills.get(textOf(call.args, "uri"), optionsOf(call)),
  }),
  "mcp.skills.read": async (call) => {
    const { skills } = entryOf(call);
    // The skill entry is passed unvalidated, because the library validates it.
    const entry = fieldsOf(call.args, "entry") as unknown as Parameters<ClientSkills["read"]>[0];
    const { path } = call.args;
    const file = typeof path === "string" ? path : undefined;
    const { bytes, ...rest } = await skills.read(entry, file, optionsOf(call));
    return { ...rest, hex: toHex(bytes) };
  },
  "mcp.apps.toolsForModel": async (call) => ({
    items: toolsForModel(await clientOf(call).listTools(call)),
  }),
  "mcp.apps.toolsForPage": async (call) => ({
    items: toolsForApp(await clientOf(call).listTools(call)),
  }),
  "mcp.apps.read": async (call) => {
    // The tool is passed unvalidated, because the library validates it.
    const tool = fieldsOf(call.args, "tool") as unknown as Parameters<typeof readApp>[1];
    const options = { ...optionsOf(call), ...pick(call.args, "maxBytes") };
    const page = await readApp(clientOf(call), tool, options);
    return page === undefined ? {} : { page: { ...page } };
  },
  "mcp.client.getResource": async (call) => {
    const { args } = call;
    return { result: await clientOf(call).getResource(textOf(args, "uri"), optionsOf(call)) };
  },
  "mcp.client.getPrompt": async (call) => {
    const { args } = call;
    const values = Object.entries(fieldsOf(args, "arguments"))
      .map(([name, value]) => [name, String(value)]);
    const name = textOf(args, "name");
    return {
      result: await clientOf(call).getPrompt(name, Object.fromEntries(values), optionsOf(call)),
    };
  },
  "mcp.client.complete": async (call) => {
    // The arguments are passed unvalidated, because the library validates them.
    const params = fieldsOf(call.args, "params") as unknown as Parameters<McpClient["complete"]>[0];
    return { result: await clientOf(call).complete(params, optionsOf(call)) };
  },
  "mcp.client.setLogLevel": async (call) => {
    const level = textOf(call.args, "level") as Parameters<McpClient["setLogLevel"]>[0];
    await clientOf(call).setLogLevel(level, optionsOf(call));
  },
  "mcp.client.listen": async (call) => {
    const filter = fieldsOf(call.args, "filter");
    const listening = new Listening(await clientOf(call).listen(filter, call));
    return { handle: call.handles.add(listening, () => listening.subscription.close()) };
  },
  "mcp.subscription.accepted": ({ on }) => ({ ...listeningOf(on).subscription.accepted }),
  "mcp.subscription.next": async ({ on }) => ({ notification: await listeningOf(on).next() }),
  "mcp.subscription.close": async ({ on }) => await listeningOf(on).subscription.close(),
  "mcp.client.rootsChanged": async (call) => await clientOf(call).rootsChanged(),
  "mcp.client.heard": (call) => {
    const { heard, taskChanges } = entryOf(call);
    return { items: [...heard], tasks: [...taskChanges] };
  },
  "mcp.client.disconnect": async (call) => await clientOf(call).disconnect(),
  "mcp.client.state": (call) => ({ connected: clientOf(call).connected }),
};

/** Features that the client supports. */
export const CLIENT_FEATURES: Readonly<Record<string, boolean>> = {
  "mcp.client.dualEra": true,
  "mcp.client.errorDetails": true,
  "mcp.client.extensionOptions": true,
  "mcp.client.handlers": true,
  "mcp.client.meta": true,
  "mcp.client.options": true,
  "mcp.client.pages": true,
  "mcp.client.progress": true,
  "mcp.client.protocol": true,
  "mcp.client.sse": true,
  [TASKS]: true,
  [SKILLS]: true,
  [appsExtension.id]: true,
};

/** Creates a transport. The library validates the options. */
function toTransport(
  config: Fields,
  options: Fields,
  spawnServer?: SpawnServer,
): McpClientConfig["transport"] {
  const { type, url, command, args } = config;
  if ((type === "http" || type === "sse") && typeof url === "string") {
    if (Object.keys(options).length === 0) return { type, url };
    return type === "http" ? new HttpTransport(url, options) : new SseTransport(url, options);
  }
  if (type !== "stdio" || typeof command !== "string" || !Array.isArray(args)) {
    throw new BadArgs(`unknown transport ${JSON.stringify(config)}`);
  }
  if (spawnServer === undefined) throw new Unsupported("this platform cannot start processes");
  return spawnServer(command, args.map(String), options);
}

/** Creates handlers that return the results given in the case. */
function toHandlers(answers: Fields): NonNullable<McpClientConfig["handlers"]> {
  // The results are passed unvalidated, because an application's handlers can return any value.
  const handlers: unknown = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, toHandler(answer)]),
  );
  return handlers as NonNullable<McpClientConfig["handlers"]>;
}

/** Creates a handler. A result with `hangs` true means that the handler waits until it is aborted. */
function toHandler(answer: unknown): (...args: readonly unknown[]) => unknown {
  if (!isFields(answer) || answer.hangs !== true) return () => answer;
  return (...args) =>
    new Promise((_resolve, reject) => {
      const signal = args.at(-1);
      if (!(signal instanceof AbortSignal)) return;
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
}

function optionsOf({ args, signal }: OpCall): RequestOptions {
  const { timeoutMs, maxTotalMs, handlers } = args;
  return {
    signal,
    ...(isFields(handlers) ? { handlers: toHandlers(handlers) } : {}),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    ...(typeof maxTotalMs === "number" ? { maxTotalMs } : {}),
  };
}

function entryOf({ on }: OpCall): Client {
  if (on instanceof Client) return on;
  throw new BadArgs('"on" must be the handle of a client');
}

function tasksOf(call: OpCall): ClientTasks {
  const { tasks } = entryOf(call);
  if (tasks === undefined) throw new BadArgs("the client does not support tasks");
  return tasks;
}

function clientOf(call: OpCall): McpClient {
  return entryOf(call).client;
}

function listeningOf(on: unknown): Listening {
  if (on instanceof Listening) return on;
  throw new BadArgs('"on" must be the handle of a subscription');
}
