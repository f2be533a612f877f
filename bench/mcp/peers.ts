/**
 * Declared types of the compared packages, as documented by each package.
 *
 * @module
 */

/** Arguments of the tool that all servers provide. */
export interface Sum {
  readonly a: number;
  readonly b: number;
}

/** A Zod schema, which is also a Standard Schema. */
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

/** The `zod` package. */
export interface Zod {
  object(shape: object): ZodSchema;
  number(): unknown;
  toJSONSchema(schema: unknown): unknown;
}

type Handler = (sum: Sum) => unknown;

/** A function that returns the response to a request. */
export type Fetch = (request: Request) => Promise<Response>;

/** A `node:http` request listener. */
export type NodeListener = (incoming: never, outgoing: never) => unknown;

/** The `mcp-lite` package. */
export interface McpLite {
  readonly McpServer: new (options: object) => {
    tool(name: string, definition: { inputSchema: unknown; handler: Handler }): void;
  };
  readonly StreamableHttpTransport: new () => { bind(server: unknown): Fetch };
}

/** A `fastmcp` tool. */
interface FastMcpTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly execute: (sum: Sum) => Promise<unknown>;
}

/** The `fastmcp` package. */
export interface FastMcp {
  readonly FastMCP: new (info: object) => {
    addTool(tool: FastMcpTool): void;
    start(options: object): Promise<void>;
    connect(transport: SdkTransport): Promise<unknown>;
  };
}

/** The part of the `fastmcp` package for runtimes with a `fetch` handler. */
export interface FastMcpEdge {
  readonly EdgeFastMCP: new (info: object) => {
    addTool(tool: FastMcpTool): void;
    readonly fetch: Fetch;
  };
}

/** The `mcp-use` package. */
export interface McpUse {
  readonly MCPServer: new (info: object) => {
    tool(
      definition: {
        readonly name: string;
        readonly description: string;
        readonly inputSchema: unknown;
      },
      handler: (sum: Sum) => Promise<unknown>,
    ): void;
    readonly fetch: Fetch;
    listen(port: number, options: { readonly host: string }): Promise<unknown>;
  };
}

/** A transport from one of the SDKs. */
export type SdkTransport = object;

/** A server from one of the SDKs. */
export interface SdkServer {
  registerTool(name: string, definition: { inputSchema: unknown }, handler: Handler): void;
  connect(transport: SdkTransport): Promise<void>;
}

/** A client from one of the SDKs. */
export interface SdkClient {
  connect(transport: SdkTransport): Promise<void>;
  callTool(
    params: { name: string; arguments: object },
  ): Promise<{ readonly content: readonly { readonly text?: string }[] }>;
  close(): Promise<void>;
}

/** Server class from one of the SDKs. */
export type SdkServerClass = new (info: object) => SdkServer;
/** Client class from one of the SDKs. */
export type SdkClientClass = new (info: object, options?: object) => SdkClient;
type HttpTransportClass = new (url: URL) => SdkTransport;
type InMemoryClass = {
  createLinkedPair(): [SdkTransport, SdkTransport];
};

/** The exports used from each package, keyed by specifier. */
export interface Peers {
  readonly zod: Zod;
  readonly "mcp-lite": McpLite;
  readonly fastmcp: FastMcp;
  readonly "fastmcp/edge": FastMcpEdge;
  readonly "mcp-use": McpUse;
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
 * Loads a package. `deno check` uses a different import map and cannot resolve the package, so the
 * specifier is computed and the type is declared in this module.
 */
export async function loadPeer<Name extends keyof Peers>(name: Name): Promise<Peers[Name]> {
  return await import(String(name));
}
