/**
 * Shared code for MCP client drivers.
 *
 * @module
 */

import { serveDriver } from "../../../conformance/drivers/typescript/serve_driver.ts";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  isFields,
  type Operation,
  textOf,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";

/** URL or command of the test server. */
export type Endpoint =
  | { readonly url: string }
  | { readonly command: string; readonly args: string[] };

/** Options for a tool call. */
export interface CallOptions {
  /** Signal that aborts the call. */
  readonly signal: AbortSignal;
  /** Timeout, in milliseconds. */
  readonly timeout?: number;
  /** Called with each progress notification. */
  readonly onprogress?: (progress: object) => void;
}

/** A connected client. Methods that the client does not support are absent. */
export interface ConnectedClient {
  /** Returns the tools from one list call. */
  listTools(): Promise<readonly unknown[]>;
  /** Returns the resources from one list call. */
  listResources?(): Promise<readonly unknown[]>;
  /** Returns the resource templates from one list call. */
  listResourceTemplates?(): Promise<readonly unknown[]>;
  /** Returns the prompts from one list call. */
  listPrompts?(): Promise<readonly unknown[]>;
  /** Calls a tool. */
  callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<unknown>;
  /** Reads a resource. */
  readResource?(uri: string): Promise<unknown>;
  /** Gets a prompt. */
  getPrompt?(name: string, args: Record<string, string>): Promise<unknown>;
  /** Completes an argument. */
  complete?(params: Fields): Promise<unknown>;
  /** Returns the notifications that belong to no call. */
  heard?(): readonly object[];
  /** Sets the log level. */
  setLogLevel?(level: string): Promise<unknown>;
  /** Closes the session and the connection. */
  close(): Promise<unknown>;
}

/** A client library and its features. */
export interface ClientProgram {
  /** Name and version of the client. */
  readonly name: string;
  readonly version: string;
  /** Whether the client responds to input requests with the values in `handlers`. */
  readonly hasHandlers?: boolean;
  /** Whether the client is dual-era and prefers the modern era. */
  readonly isDualEra?: boolean;
  /** Whether the client can be restricted to the legacy era. */
  readonly hasProtocolOption?: boolean;
  /** Whether the client forwards progress notifications. */
  readonly hasProgress?: boolean;
  /** Whether one list call returns all pages. */
  readonly returnsAllPages?: boolean;
  /** Whether the errors of the client have the code and the data of an error response. */
  readonly hasRpcErrors?: boolean;
  /** Names of unsupported operations. */
  readonly unsupported?: readonly string[];
  /**
   * Connects a client. `handlers` contains the responses to input requests, and `protocol` the
   * protocol version that a case requires.
   */
  readonly connect: (
    endpoint: Endpoint,
    handlers: Fields,
    protocol?: string,
  ) => Promise<ConnectedClient>;
}

/** Serves the driver protocol for a client. */
export async function serveClient(program: ClientProgram): Promise<never> {
  const { name, version, hasHandlers = false, isDualEra = false, unsupported = [] } = program;
  const ops = Object.entries(opsOf(program))
    .filter(([op]) => !unsupported.includes(op.replace("mcp.client.", "")));
  return await serveDriver({
    implementation: { name, version, language: "typescript" },
    ops: Object.fromEntries(ops),
    features: {
      "mcp.client.handlers": hasHandlers,
      "mcp.client.dualEra": isDualEra,
      "mcp.client.progress": program.hasProgress === true,
      "mcp.client.pages": program.returnsAllPages === true,
      "mcp.client.protocol": program.hasProtocolOption === true,
      "mcp.client.rpcErrors": program.hasRpcErrors === true,
    },
    toErrorOutcome: (error) => ({
      error: {
        code: error instanceof BadArgs ? "invalid_argument" : "error",
        message: error instanceof Error ? error.message : String(error),
        ...(isRpcError(error) ? { data: { rpcCode: error.code, rpcData: error.data } } : {}),
      },
    }),
  });
}

function opsOf(program: ClientProgram): Readonly<Record<string, Operation>> {
  return {
    "mcp.client.connect": async ({ args, handles }) => {
      const { handlers, protocol } = args;
      const endpoint = toEndpoint(fieldsOf(args, "transport"));
      const client = await program.connect(
        endpoint,
        isFields(handlers) ? handlers : {},
        typeof protocol === "string" ? protocol : undefined,
      );
      return { handle: handles.add(client, async () => void await client.close()) };
    },
    "mcp.client.listTools": async ({ on }) => ({ items: await clientOf(on).listTools() }),
    "mcp.client.listResources": async ({ on }) => ({
      items: await need(clientOf(on).listResources?.()),
    }),
    "mcp.client.listResourceTemplates": async ({ on }) => ({
      items: await need(clientOf(on).listResourceTemplates?.()),
    }),
    "mcp.client.listPrompts": async ({ on }) => ({
      items: await need(clientOf(on).listPrompts?.()),
    }),
    "mcp.client.callTool": async ({ on, args, signal }) => {
      const progress: object[] = [];
      const result = await clientOf(on).callTool(
        textOf(args, "name"),
        { ...fieldsOf(args, "arguments") },
        {
          signal,
          ...(typeof args.timeoutMs === "number" ? { timeout: args.timeoutMs } : {}),
          ...(args.progress === true
            ? { onprogress: (each: object) => void progress.push(each) }
            : {}),
        },
      );
      return { result, progress };
    },
    "mcp.client.getResource": async ({ on, args }) => ({
      result: await need(clientOf(on).readResource?.(textOf(args, "uri"))),
    }),
    "mcp.client.getPrompt": async ({ on, args }) => {
      const given = Object.entries(fieldsOf(args, "arguments"))
        .map(([key, value]) => [key, String(value)]);
      const prompt = clientOf(on).getPrompt?.(textOf(args, "name"), Object.fromEntries(given));
      return { result: await need(prompt) };
    },
    "mcp.client.complete": async ({ on, args }) => ({
      result: await need(clientOf(on).complete?.(fieldsOf(args, "params"))),
    }),
    "mcp.client.setLogLevel": async ({ on, args }) => {
      await need(clientOf(on).setLogLevel?.(textOf(args, "level")));
    },
    "mcp.client.heard": async ({ on }) => {
      const { heard } = clientOf(on);
      if (heard === undefined) throw new Unsupported("the client does not support the operation");
      return { items: await Promise.resolve(heard()) };
    },
    "mcp.client.disconnect": async ({ on }) => void await clientOf(on).close(),
  };
}

/** Returns true for the errors of both versions of the official SDK for an error response. */
function isRpcError(error: unknown): error is Error & { readonly code: number; data?: unknown } {
  return error instanceof Error && "code" in error && typeof error.code === "number";
}

function toEndpoint({ type, url, command, args }: Fields): Endpoint {
  if (type === "http" && typeof url === "string") return { url };
  if (type === "stdio" && typeof command === "string" && Array.isArray(args)) {
    return { command, args: args.map(String) };
  }
  throw new BadArgs('"transport" must have a URL or a command');
}

function clientOf(on: unknown): ConnectedClient {
  // Every handle refers to a client, because only `mcp.client.connect` creates handles.
  if (isFields(on)) return on as unknown as ConnectedClient;
  throw new BadArgs('"on" must be the handle of a client');
}

async function need<T>(result: Promise<T> | undefined): Promise<T> {
  if (result === undefined) throw new Unsupported("the client does not support the operation");
  return await result;
}
