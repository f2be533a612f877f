import { McpClient, type McpClientConfig } from "../client.ts";
import { type Gateway, type GatewayOptions, mcpGateway } from "../gateway.ts";
import { type McpServer, servePipe } from "../server.ts";
import type { Pipe } from "../jsonrpc/contracts.ts";
import { createMemoryTransport } from "../transport/memory.ts";

/** Protocol eras. */
export const ERAS = ["modern", "legacy"] as const;

/** A protocol era. */
export type TestedEra = typeof ERAS[number];

/** Creates a client for a server in the same process. */
export function clientOf(
  server: McpServer,
  protocol: TestedEra = "modern",
  config: Partial<McpClientConfig> = {},
): McpClient {
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  return new McpClient({ transport, protocol, ...config });
}

/** Creates and connects a client for a server in the same process. */
export async function connectTo(
  server: McpServer,
  protocol: TestedEra = "modern",
  config: Partial<McpClientConfig> = {},
): Promise<McpClient> {
  const client = clientOf(server, protocol, config);
  await client.connect();
  return client;
}

/** Creates a gateway whose errors are collected instead of printed. */
export async function openGateway(
  upstreams: GatewayOptions["upstreams"],
  options: Partial<GatewayOptions> = {},
): Promise<Gateway & { readonly errors: string[] }> {
  const errors: string[] = [];
  const onError = (error: unknown): void => {
    errors.push(error instanceof Error ? error.message : String(error));
  };
  const gateway = await mcpGateway({ name: "all", version: "1", upstreams, onError, ...options });
  return { ...gateway, errors };
}

/** A client whose connections a test can end, and the number of connections that it has opened. */
export interface Breakable {
  readonly client: McpClient;
  readonly break: () => Promise<void>;
  readonly isDown: (isDown: boolean) => void;
  readonly starts: () => number;
}

/** Creates a client for a server whose connections a test can end or reject. */
export function breakable(server: McpServer, protocol: TestedEra = "modern"): Breakable {
  let open: Pipe | undefined;
  let starts = 0;
  let isDown = false;
  const transport = createMemoryTransport(async (pipe) => {
    starts++;
    if (isDown) throw new Error("the server is down");
    open = pipe;
    await servePipe(server, pipe);
  });
  return {
    client: new McpClient({ transport, protocol, onError: () => {} }),
    break: async () => await open?.close(),
    isDown: (value) => void (isDown = value),
    starts: () => starts,
  };
}
