/**
 * `mcp` operations on gateways in front of described servers, implemented with `@parley/mcp`.
 *
 * @module
 */

import { createMemoryTransport, McpClient } from "@parley/mcp";
import { type Gateway, mcpGateway } from "@parley/mcp/gateway";
import { type HttpHandler, mcpHandler, type McpServer, servePipe } from "@parley/mcp/server";
import { describedBy, type DescribedServer, visibilityOf } from "./mcp_described_server.ts";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type Handles,
  isFields,
  type Operation,
  textOf,
} from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const GATEWAY_OPS: Readonly<Record<string, Operation>> = {
  "mcp.gateway.new": async ({ args, handles }) => {
    const described = await DescribedGateway.create(args, handles);
    return { handle: handles.add(described, () => described.handler.close()) };
  },
  "mcp.gateway.refresh": async ({ on }) => ({ clashes: await gatewayOf(on).gateway.refresh() }),
  "mcp.gateway.cut": ({ args, on }) => gatewayOf(on).cut(textOf(args, "server")),
};

/** A gateway, and the handler that serves it over HTTP. */
class DescribedGateway {
  readonly gateway: Gateway;
  readonly handler: HttpHandler;
  readonly clock = { now: 0 };
  readonly #lines: ReadonlyMap<string, Line>;

  constructor(gateway: Gateway, lines: ReadonlyMap<string, Line>) {
    this.gateway = gateway;
    this.handler = mcpHandler(gateway.server);
    this.#lines = lines;
  }

  get server(): McpServer {
    return this.gateway.server;
  }

  /** Creates a gateway in front of the servers whose handles are given. */
  static async create(args: Fields, handles: Handles): Promise<DescribedGateway> {
    const { unlisted, visibleTo } = args;
    const servers = Object.entries(fieldsOf(args, "servers"));
    const lines = new Map(
      servers.map(([key, handle]) => [key, new Line(describedBy(handles.get(handle)).server)]),
    );
    const upstreams = Array.from(lines, ([key, { client }]) => [key, {
      client,
      prefix: "",
      ...(Array.isArray(unlisted) && unlisted.includes(key) && { listResources: false }),
    }]);
    const gateway = await mcpGateway({
      name: "kit-gateway",
      version: "1.0.0",
      upstreams: Object.fromEntries(upstreams),
      ...(isFields(visibleTo) ? { visible: visibilityOf(visibleTo) } : {}),
      onError: () => {},
    });
    return new DescribedGateway(gateway, lines);
  }

  /** Makes a server unreachable. */
  cut(server: string): void {
    this.#lines.get(server)?.cut();
  }
}

function gatewayOf(on: unknown): DescribedGateway {
  if (on instanceof DescribedGateway) return on;
  throw new BadArgs('"on" must be the handle of a gateway');
}

/** The connections of a gateway to one server. */
class Line {
  readonly client: McpClient;
  readonly #cutting = new AbortController();

  constructor(server: McpServer) {
    const { signal } = this.#cutting;
    this.client = new McpClient({
      transport: createMemoryTransport((pipe) => servePipe(server, pipe, { signal })),
    });
  }

  /** Ends the connection, and each further connection at its start. */
  cut(): void {
    this.#cutting.abort();
  }
}

/** Returns the server or the gateway with a handle. */
export function servedBy(on: unknown): Pick<DescribedServer, "server" | "handler" | "clock"> {
  return on instanceof DescribedGateway ? on : describedBy(on);
}
