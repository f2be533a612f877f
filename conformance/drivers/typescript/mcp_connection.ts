/**
 * Clients that a case describes, and their transports, implemented with `@parley/mcp`.
 *
 * @module
 */

import {
  HttpTransport,
  McpClient,
  type McpClientConfig,
  McpError,
  SseTransport,
} from "@parley/mcp";
import type { HttpFetch } from "@parley/mcp/client";
import { appsExtension } from "@parley/mcp/apps";
import type { RpcNotification } from "@parley/mcp/protocol";
import { type ClientSkills, clientSkills } from "@parley/mcp/skills";
import { type ClientTasks, clientTasks } from "@parley/mcp/tasks";
import { failAs, type HandlerCall, toHandlers } from "./mcp_client_handlers.ts";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  isFields,
  type OpCall,
  pick,
  Unsupported,
} from "./operation.ts";

/** Creates a transport that starts a server process. */
export type SpawnServer = (
  command: string,
  args: readonly string[],
  options: Fields,
) => McpClientConfig["transport"];

/** Environment variables of the driver, keyed by name. */
export type Environment = Record<string, string | undefined>;

/** Functions and values of the platform that a client can use. */
export interface ClientPlatform {
  /** Starts MCP servers as processes. If omitted, the client does not support stdio. */
  readonly spawnServer?: SpawnServer;
  /** Environment variables of the driver, which processes can inherit. */
  readonly environment?: Environment;
}

/**
 * Ids of the tasks and skills extensions. The id of the apps extension is the `id` of
 * {@linkcode appsExtension}.
 */
export const TASKS = "io.modelcontextprotocol/tasks";
export const SKILLS = "io.modelcontextprotocol/skills";
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
  "era",
  "maxConcurrent",
  "maxInputRequests",
  "maxListChars",
  "maxListItems",
  "maxListPages",
  "maxQueued",
  "probeTimeoutMs",
  "strict",
  "throwOnToolError",
];

/** Minimum poll interval of tasks, in milliseconds. */
const MIN_POLL_MS = 10;

/** A client, the notifications that it has received, and the calls of its handlers. */
export class Client {
  readonly client: McpClient;
  readonly notifications: RpcNotification[] = [];
  readonly handlerCalls: HandlerCall[] = [];
  readonly tasks: ClientTasks | undefined;
  readonly taskChanges: object[] = [];
  /** Reports of deviations that the client has accepted. */
  readonly tolerated: object[] = [];
  readonly skills: ClientSkills;

  constructor(
    config: McpClientConfig,
    { extensions, extensionOptions = {}, handlers, onNotification }: Fields,
  ) {
    const ids: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
    // The library validates the options.
    const { tasks, skills } = isFields(extensionOptions) ? extensionOptions : {};
    const onChange = (task: object): void => void this.taskChanges.push(task);
    this.tasks = ids.includes(TASKS)
      ? clientTasks({ minPollMs: MIN_POLL_MS, ...(tasks ?? {}), onChange })
      : undefined;
    this.client = new McpClient({
      ...config,
      ...(isFields(handlers) ? { handlers: toHandlers(handlers, this.handlerCalls) } : {}),
      onNotification: (each) => {
        this.notifications.push(each);
        return failAs(onNotification);
      },
      onError: (error) => {
        if (error instanceof McpError && error.is("tolerated")) this.tolerated.push(error.details);
      },
      extensions: [
        ...(this.tasks === undefined ? [] : [this.tasks]),
        ...(ids.includes(appsExtension.id) ? [appsExtension] : []),
      ],
    });
    this.skills = clientSkills(this.client, { ...(skills ?? {}), onError: () => {} });
  }
}

/** Creates a client from the arguments of `mcp.client.connect`, and connects it. */
export async function connectClient(
  { args, signal }: OpCall,
  { spawnServer, environment = {} }: ClientPlatform,
): Promise<Client> {
  const { protocol } = args;
  const client = new Client({
    transport: toTransport(
      fieldsOf(args, "transport"),
      fieldsOf(args, "transportOptions"),
      spawnServer,
    ),
    ...pick(args, "auth"),
    ...(protocol === undefined ? {} : { protocol: toProtocol(protocol) }),
    // The library validates the options.
    ...pick(fieldsOf(args, "options"), ...CLIENT_OPTIONS),
  }, args);
  const restore = setVariables(environment, fieldsOf(args, "environment"));
  try {
    await client.client.connect({ signal });
  } finally {
    restore();
  }
  return client;
}

function toProtocol(value: unknown): NonNullable<McpClientConfig["protocol"]> {
  const protocol = PROTOCOLS.find((each) => each === value);
  if (protocol === undefined) throw new BadArgs(`unknown protocol ${JSON.stringify(value)}`);
  return protocol;
}

/** Creates a transport. The library validates the options. */
function toTransport(
  config: Fields,
  options: Fields,
  spawnServer?: SpawnServer,
): McpClientConfig["transport"] {
  const { type, url, command, args } = config;
  if ((type === "http" || type === "sse") && typeof url === "string") {
    if (Object.keys(options).length === 0) return { type, url };
    const { loginMs, ...rest } = options;
    const given = loginMs === undefined
      ? rest
      : { ...rest, fetch: fetchAfterLogin(Number(loginMs)) };
    return type === "http" ? new HttpTransport(url, given) : new SseTransport(url, given);
  }
  if (type !== "stdio" || typeof command !== "string" || !Array.isArray(args)) {
    throw new BadArgs(`unknown transport ${JSON.stringify(config)}`);
  }
  if (spawnServer === undefined) throw new Unsupported("this platform cannot start processes");
  return spawnServer(command, args.map(String), options);
}

/** Creates a fetch function that waits before each request, as if the user had to log in. */
function fetchAfterLogin(loginMs: number): HttpFetch {
  return async (url, init) => {
    const login = new Promise<void>((resolve) => setTimeout(resolve, loginMs));
    init.pauseTimeout?.(login);
    await login;
    return await fetch(url, init);
  };
}

/** Sets environment variables. Returns a function that restores their previous values. */
function setVariables(environment: Environment, variables: Fields): () => void {
  const before = Object.keys(variables).map((name) => [name, environment[name]] as const);
  for (const [name, value] of Object.entries(variables)) environment[name] = String(value);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete environment[name];
      else environment[name] = value;
    }
  };
}
