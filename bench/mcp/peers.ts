/**
 * What the subjects use of the packages they are measured against, as their documentation shows it.
 *
 * @module
 */

/** The arguments of the tool that everybody offers. */
export interface Sum {
  readonly a: number;
  readonly b: number;
}

/** A schema of Zod, which is a Standard Schema as well. */
export interface ZodSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) => { readonly issues?: undefined; readonly value: Sum } | {
      readonly issues: readonly { readonly message: string }[];
    };
    readonly jsonSchema: {
      readonly input: () => Readonly<Record<string, unknown>>;
      readonly output: () => Readonly<Record<string, unknown>>;
    };
  };
}

/** `zod`. */
export interface Zod {
  object(shape: object): ZodSchema;
  number(): unknown;
  toJSONSchema(schema: unknown): unknown;
}

type Handler = (sum: Sum) => unknown;

/** A function from Request to Response. */
export type Fetch = (request: Request) => Promise<Response>;

/** What `node:http` calls with a request and its response. */
export type NodeListener = (incoming: never, outgoing: never) => unknown;

/** `mcp-lite`. */
export interface McpLite {
  readonly McpServer: new (options: object) => {
    tool(name: string, definition: { inputSchema: unknown; handler: Handler }): void;
  };
  readonly StreamableHttpTransport: new () => { bind(server: unknown): Fetch };
}

/** One end of a connection of either SDK. */
export type SdkTransport = object;

/** A server of either SDK. */
export interface SdkServer {
  registerTool(name: string, definition: { inputSchema: unknown }, handler: Handler): void;
  connect(transport: SdkTransport): Promise<void>;
}

/** A client of either SDK. */
export interface SdkClient {
  connect(transport: SdkTransport): Promise<void>;
  callTool(
    params: { name: string; arguments: object },
  ): Promise<{ readonly content: readonly { readonly text?: string }[] }>;
  close(): Promise<void>;
}

/** The class of the servers of either SDK. */
export type SdkServerClass = new (info: object) => SdkServer;
/** The class of the clients of either SDK. */
export type SdkClientClass = new (info: object, options?: object) => SdkClient;
type HttpTransportClass = new (url: URL) => SdkTransport;
type InMemoryClass = {
  createLinkedPair(): [SdkTransport, SdkTransport];
};

/** The packages by specifier, and what is used of each. */
export interface Peers {
  readonly zod: Zod;
  readonly "mcp-lite": McpLite;
  readonly "@hono/node-server": { getRequestListener(fetch: Fetch): NodeListener };
  readonly "@modelcontextprotocol/sdk/server/mcp.js": { readonly McpServer: SdkServerClass };
  readonly "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js": {
    readonly WebStandardStreamableHTTPServerTransport: new (options: object) => {
      handleRequest(request: Request): Promise<Response>;
    };
  };
  readonly "@modelcontextprotocol/sdk/server/streamableHttp.js": {
    readonly StreamableHTTPServerTransport: new (options: object) => {
      handleRequest(incoming: unknown, outgoing: unknown): Promise<void>;
      close(): Promise<void>;
    };
  };
  readonly "@modelcontextprotocol/sdk/client/index.js": { readonly Client: SdkClientClass };
  readonly "@modelcontextprotocol/sdk/inMemory.js": { readonly InMemoryTransport: InMemoryClass };
  readonly "@modelcontextprotocol/sdk/client/streamableHttp.js": {
    readonly StreamableHTTPClientTransport: HttpTransportClass;
  };
  readonly "@modelcontextprotocol/server": {
    readonly McpServer: SdkServerClass;
    readonly InMemoryTransport: InMemoryClass;
    createMcpHandler(create: () => SdkServer): { readonly fetch: Fetch };
  };
  readonly "@modelcontextprotocol/node": { toNodeHandler(handler: object): NodeListener };
  readonly "@modelcontextprotocol/client": {
    readonly Client: SdkClientClass;
    readonly StreamableHTTPClientTransport: HttpTransportClass;
  };
}

/**
 * Loads a package. A specifier that is computed is not followed by `deno check`, which looks at the repository with
 * another import map; so the types are those stated above.
 */
export async function loadPeer<Name extends keyof Peers>(name: Name): Promise<Peers[Name]> {
  return await import(String(name));
}
