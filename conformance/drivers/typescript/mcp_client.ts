/**
 * MCP client operations, implemented with `@parley/mcp`.
 *
 * @module
 */

import type { McpClient, RequestOptions, Subscription } from "@parley/mcp";
import { appsExtension, readApp, toolsForApp, toolsForModel } from "@parley/mcp/apps";
import type { RelayOptions } from "@parley/mcp/client";
import type { RpcNotification } from "@parley/mcp/protocol";
import type { ClientSkills } from "@parley/mcp/skills";
import type { ClientTasks } from "@parley/mcp/tasks";
import { failAs, toHandlers } from "./mcp_client_handlers.ts";
import { Client, type ClientPlatform, connectClient, SKILLS, TASKS } from "./mcp_connection.ts";
import {
  BadArgs,
  fieldsOf,
  isFields,
  type OpCall,
  type Operation,
  pick,
  textOf,
  toHex,
} from "./operation.ts";

/** A subscription stream, read one notification at a time. */
class Listening {
  readonly subscription: Subscription;
  /** Aborts the signal of the subscription. */
  readonly aborting: AbortController;
  readonly #notifications: AsyncIterator<RpcNotification>;

  constructor(subscription: Subscription, aborting: AbortController) {
    this.subscription = subscription;
    this.aborting = aborting;
    this.#notifications = subscription[Symbol.asyncIterator]();
  }

  async next(): Promise<RpcNotification | null> {
    const { done, value } = await this.#notifications.next();
    return done === true ? null : value;
  }

  /** Stops reading, as a program does that leaves its loop over the notifications. */
  async leave(): Promise<void> {
    await this.#notifications.return?.();
  }
}

/** The lists of a client that watches the tools. */
class Watching {
  readonly lists: ReturnType<McpClient["watchTools"]>;

  constructor(lists: ReturnType<McpClient["watchTools"]>) {
    this.lists = lists;
  }
}

/** Creates the operations, keyed by name. */
export function createClientOps(platform: ClientPlatform): Readonly<Record<string, Operation>> {
  return {
    "mcp.client.connect": async (call) => {
      const { on, handles } = call;
      if (on instanceof Client) {
        const { signal } = optionsOf(call);
        return await on.client.connect(signal === undefined ? {} : { signal });
      }
      const client = await connectClient(call, platform);
      return { handle: handles.add(client, () => client.client.disconnect()) };
    },
    ...CONNECTED_OPS,
  };
}

/** Operations on connected clients. */
const CONNECTED_OPS: Readonly<Record<string, Operation>> = {
  "mcp.client.capabilities": (call) => ({ ...clientOf(call).capabilities() }),
  "mcp.client.server": (call) => {
    const { server } = clientOf(call);
    return { ...server, ...(server?.info === undefined ? {} : { serverInfo: server.info }) };
  },
  "mcp.client.listTools": async (call) => ({
    items: await clientOf(call).listTools(optionsOf(call)),
  }),
  "mcp.client.listResources": async (call) => ({
    items: await clientOf(call).listResources(optionsOf(call)),
  }),
  "mcp.client.listResourceTemplates": async (call) => ({
    items: await clientOf(call).listResourceTemplates(optionsOf(call)),
  }),
  "mcp.client.listPrompts": async (call) => ({
    items: await clientOf(call).listPrompts(optionsOf(call)),
  }),
  "mcp.client.callTool": async (call) => {
    const { args } = call;
    const progress: object[] = [];
    const options = {
      ...optionsOf(call),
      ...(args.progress === undefined ? {} : {
        onProgress: (each: object) => {
          progress.push(each);
          return failAs(args.progress);
        },
      }),
    };
    const given = args.arguments === undefined ? undefined : fieldsOf(args, "arguments");
    const result = await clientOf(call).callTool(textOf(args, "name"), given, options);
    return { result, progress };
  },
  "mcp.client.request": async (call) => {
    const { args } = call;
    const params = args.params === undefined ? undefined : fieldsOf(args, "params");
    const method = textOf(args, "method");
    return { result: await clientOf(call).request(method, params, optionsOf(call)) };
  },
  "mcp.client.relay": async (call) => {
    const { args } = call;
    const notifications: RpcNotification[] = [];
    const result = await clientOf(call).relay(textOf(args, "method"), fieldsOf(args, "params"), {
      ...optionsOf(call),
      client: toRelayed(call),
      ...(args.listens === true
        ? { onNotification: (each: RpcNotification) => void notifications.push(each) }
        : {}),
    });
    return { result, notifications };
  },
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
    items: toolsForModel(await clientOf(call).listTools(optionsOf(call))),
  }),
  "mcp.apps.toolsForPage": async (call) => ({
    items: toolsForApp(await clientOf(call).listTools(optionsOf(call))),
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
    const values = args.arguments === undefined ? undefined : Object.fromEntries(
      Object.entries(fieldsOf(args, "arguments")).map(([name, value]) => [name, String(value)]),
    );
    const name = textOf(args, "name");
    return { result: await clientOf(call).getPrompt(name, values, optionsOf(call)) };
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
    const aborting = new AbortController();
    const { signal = call.signal, ...options } = optionsOf(call);
    const subscription = await clientOf(call).listen(filter, {
      ...options,
      signal: AbortSignal.any([signal, aborting.signal]),
      ...(call.args.client === undefined ? {} : { client: toRelayed(call) }),
    });
    const listening = new Listening(subscription, aborting);
    return { handle: call.handles.add(listening, () => listening.subscription.close()) };
  },
  "mcp.subscription.accepted": ({ on }) => ({ ...listeningOf(on).subscription.accepted }),
  "mcp.subscription.next": async ({ on }) => ({ notification: await listeningOf(on).next() }),
  "mcp.subscription.leave": async ({ on }) => await listeningOf(on).leave(),
  "mcp.subscription.close": async ({ on }) => await listeningOf(on).subscription.close(),
  "mcp.subscription.abort": ({ on }) => listeningOf(on).aborting.abort(),
  "mcp.client.watchTools": (call) => {
    const lists = new Watching(clientOf(call).watchTools());
    return { handle: call.handles.add(lists) };
  },
  "mcp.watch.next": async ({ on }) => {
    const { done, value } = await watchingOf(on).lists.next();
    return { items: done === true ? null : value };
  },
  "mcp.watch.close": async ({ on }) => void await watchingOf(on).lists.return(),
  "mcp.client.rootsChanged": async (call) => await clientOf(call).rootsChanged(),
  "mcp.client.asked": (call) => ({ items: [...entryOf(call).handlerCalls] }),
  "mcp.client.heard": (call) => {
    const { notifications, taskChanges, tolerated } = entryOf(call);
    return { items: [...notifications], tasks: [...taskChanges], tolerated: [...tolerated] };
  },
  "mcp.client.disconnect": async (call) => await clientOf(call).disconnect(),
  "mcp.client.state": (call) => {
    const { connected, era } = clientOf(call);
    return { connected, ...(era === undefined ? {} : { era }) };
  },
};

/** Features that the client supports. */
export const CLIENT_FEATURES: Readonly<Record<string, boolean>> = {
  "mcp.client.auth": true,
  "mcp.client.dualEra": true,
  "mcp.client.errorDetails": true,
  "mcp.client.extensionOptions": true,
  "mcp.client.environment": true,
  "mcp.client.handlers": true,
  "mcp.client.meta": true,
  "mcp.client.options": true,
  "mcp.client.pages": true,
  "mcp.client.progress": true,
  "mcp.client.rpcErrors": true,
  "mcp.client.protocol": true,
  "mcp.client.relay": true,
  "mcp.client.sse": true,
  "mcp.client.tolerance": true,
  [TASKS]: true,
  [SKILLS]: true,
  [appsExtension.id]: true,
};

/** Returns the client on whose behalf a request is sent. */
function toRelayed({ args }: OpCall): RelayOptions["client"] {
  // The description is passed unvalidated, because the library validates it.
  return fieldsOf(args, "client") as unknown as RelayOptions["client"];
}

function optionsOf(call: OpCall): RequestOptions {
  const { args, signal } = call;
  const { timeoutMs, maxTotalMs, maxInputMs, handlers, isAborted } = args;
  return {
    signal: isAborted === true ? AbortSignal.abort() : signal,
    ...(isFields(handlers) ? { handlers: toHandlers(handlers, entryOf(call).handlerCalls) } : {}),
    ...(args.meta === undefined ? {} : { meta: fieldsOf(args, "meta") }),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    ...(typeof maxTotalMs === "number" ? { maxTotalMs } : {}),
    ...(typeof maxInputMs === "number" ? { maxInputMs } : {}),
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

function watchingOf(on: unknown): Watching {
  if (on instanceof Watching) return on;
  throw new BadArgs('"on" must be the handle of watched lists');
}
