/**
 * `mcp` operations on servers that a case describes, implemented with `@parley/mcp`.
 *
 * @module
 */

import type { McpRequest } from "@parley/mcp";
import { describedBy, DescribedServer } from "./mcp_described_server.ts";
import { GATEWAY_OPS, servedBy } from "./mcp_gateway.ts";
import { PIPE_OPS, Piped } from "./mcp_pipe.ts";
import { driveExtensions, perform } from "./mcp_server_actions.ts";
import { describeReply, fetchFrom } from "./mcp_server_http.ts";
import type { FetchThroughNode } from "./node_listener.ts";
import { BadArgs, fieldsOf, isFields, type Operation, Unsupported } from "./operation.ts";

/**
 * Creates the operations, keyed by name. `fetchThroughNode` is omitted on platforms without
 * `node:http`.
 */
export function createServerOps(
  fetchThroughNode?: FetchThroughNode,
): Readonly<Record<string, Operation>> {
  return {
    ...SERVER_OPS,
    ...PIPE_OPS,
    ...GATEWAY_OPS,
    "mcp.server.fetch": async ({ args, on, signal }) => {
      const { handler, clock } = servedBy(on);
      if (typeof args.atMs === "number") clock.now = args.atMs;
      if (args.framework === undefined) return await fetchFrom(handler, args, signal);
      if (fetchThroughNode === undefined) throw new Unsupported("this platform has no node:http");
      return describeReply(await fetchThroughNode(handler, args));
    },
  };
}

/** Interval between the requests for the state of a task, in milliseconds. */
const POLL_MS = 5;

/** Implementations of the operations that need no platform APIs, keyed by operation name. */
const SERVER_OPS: Readonly<Record<string, Operation>> = {
  "mcp.server.new": async ({ args, handles }) => {
    const described = await DescribedServer.create(args, handles);
    return { handle: handles.add(described, () => described.handler.close()) };
  },
  "mcp.server.request": async ({ args, on }) => {
    const { server } = describedBy(on);
    // The request is passed unvalidated, because cases test malformed requests.
    const request = fieldsOf(args, "request") as unknown as McpRequest;
    let response = await server.handleRequest(request);
    while (args.polls === true && isWorking(response.result)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      response = await server.handleRequest(request);
    }
    return { response };
  },
  "mcp.server.change": async ({ args, on }) => {
    const described = describedBy(on);
    const { server, extensions } = described;
    const { add, removeTool, removeResource, removePrompt, updated, ends } = args;
    const { removeTemplate, listChanged, update } = args;
    if (isFields(add)) described.register(add);
    if (isFields(update)) described.update(update);
    await extensions.change(args);
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
  "mcp.server.act": async ({ args, on }) => {
    const { context } = describedBy(on);
    if (context === undefined) throw new BadArgs("no handler with actions was called");
    if (!Array.isArray(args.acts)) throw new BadArgs('"acts" must be an array');
    return { results: await perform(args.acts, context) };
  },
  "mcp.server.extend": ({ args, on }) => driveExtensions(args, describedBy(on).subscriptions),
  "mcp.server.observe": ({ on }) => {
    const { server, wrapped } = describedBy(on);
    return { requests: wrapped.splice(0), listeners: server.changes.size };
  },
  "mcp.server.release": ({ on }) => {
    for (const release of describedBy(on).held.splice(0)) release();
  },
  "mcp.server.close": ({ on }) => servedBy(on).handler.close(),
  "mcp.server.pipe": ({ args, on, handles }) => {
    const piped = new Piped(describedBy(on).server, args);
    return { handle: handles.add(piped, () => piped.feed(null)) };
  },
};

/** Supported features of servers. */
export const SERVER_FEATURES: Readonly<Record<string, boolean>> = {
  "mcp.server.actions": true,
  "mcp.server.around": true,
  "mcp.server.changeBus": true,
  "mcp.server.extensions": true,
  "mcp.server.librarySchemas": true,
  "mcp.server.promptSchemas": true,
  "mcp.server.templateLists": true,
  "mcp.server.updates": true,
};

function isWorking(task: unknown): boolean {
  return isFields(task) && task.status === "working";
}
