/**
 * What the drivers of MCP clients have in common.
 *
 * @module
 */

import { serveDriver } from "../typescript/serve_driver.ts";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  isFields,
  type Operation,
  textOf,
  Unsupported,
} from "../typescript/operation.ts";

/** Where the kit waits as a server. */
export type Way =
  | { readonly url: string }
  | { readonly command: string; readonly args: string[] };

/** How a tool is called. */
export interface CallOptions {
  /** Gives up. */
  readonly signal: AbortSignal;
  /** How long to wait. */
  readonly timeout?: number;
  /** Hears of progress. */
  readonly onprogress?: (progress: object) => void;
}

/** A client that is connected. What it has no way to do is absent. */
export interface Connected {
  /** The tools, as far as one call gives them. */
  listTools(): Promise<readonly unknown[]>;
  /** The resources, as far as one call gives them. */
  listResources?(): Promise<readonly unknown[]>;
  /** The templates, as far as one call gives them. */
  listResourceTemplates?(): Promise<readonly unknown[]>;
  /** The prompts, as far as one call gives them. */
  listPrompts?(): Promise<readonly unknown[]>;
  /** Calls a tool. */
  callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<unknown>;
  /** Reads a resource. */
  readResource?(uri: string): Promise<unknown>;
  /** Gets a prompt. */
  getPrompt?(name: string, args: Record<string, string>): Promise<unknown>;
  /** Completes an argument. */
  complete?(params: Fields): Promise<unknown>;
  /** Sets the log level. */
  setLogLevel?(level: string): Promise<unknown>;
  /** Ends the session and the connection. */
  close(): Promise<unknown>;
}

/** A client to drive. */
export interface ClientProgram {
  /** Its name and version. */
  readonly name: string;
  readonly version: string;
  /** Whether it answers what `handlers` say. */
  readonly hasHandlers?: boolean;
  /** Whether it looks for the newest era first. */
  readonly isDualEra?: boolean;
  /** Whether it can be held to the older era. */
  readonly takesProtocol?: boolean;
  /** Whether it hands progress on. */
  readonly hasProgress?: boolean;
  /** Whether one call gives a whole list, however many pages it has. */
  readonly givesWholeLists?: boolean;
  /** Names of operations that it has not. */
  readonly lacks?: readonly string[];
  /** Connects; `handlers` are the answers to give, `protocol` the revision that a case insists on. */
  readonly connect: (way: Way, handlers: Fields, protocol?: string) => Promise<Connected>;
}

/** Serves the driver protocol for a client. */
export async function serveClient(program: ClientProgram): Promise<never> {
  const { name, version, hasHandlers = false, isDualEra = false, lacks = [] } = program;
  const ops = Object.entries(opsOf(program))
    .filter(([op]) => !lacks.includes(op.replace("mcp.client.", "")));
  return await serveDriver({
    implementation: { name, version, language: "typescript" },
    ops: Object.fromEntries(ops),
    features: {
      "mcp.client.handlers": hasHandlers,
      "mcp.client.dualEra": isDualEra,
      "mcp.client.progress": program.hasProgress === true,
      "mcp.client.pages": program.givesWholeLists === true,
      "mcp.client.protocol": program.takesProtocol === true,
    },
    toErrorOutcome: (error) => ({
      error: {
        code: error instanceof BadArgs ? "invalid_argument" : "error",
        message: error instanceof Error ? error.message : String(error),
      },
    }),
  });
}

function opsOf(program: ClientProgram): Readonly<Record<string, Operation>> {
  return {
    "mcp.client.connect": async ({ args, handles }) => {
      const { handlers, protocol } = args;
      const way = toWay(fieldsOf(args, "transport"));
      const client = await program.connect(
        way,
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
    "mcp.client.disconnect": async ({ on }) => void await clientOf(on).close(),
  };
}

function toWay({ type, url, command, args }: Fields): Way {
  if (type === "http" && typeof url === "string") return { url };
  if (type === "stdio" && typeof command === "string" && Array.isArray(args)) {
    return { command, args: args.map(String) };
  }
  throw new BadArgs("no such transport");
}

function clientOf(on: unknown): Connected {
  // Only `mcp.client.connect` makes handles.
  if (isFields(on)) return on as unknown as Connected;
  throw new BadArgs("the handle is no client");
}

async function need<T>(result: Promise<T> | undefined): Promise<T> {
  if (result === undefined) throw new Unsupported("the client has no such thing");
  return await result;
}
