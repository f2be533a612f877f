import { main } from "../cli.ts";
import { mcpHandler, McpServer, type ServerExtension } from "../server.ts";

/** What a command has printed and written. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Files that the command has written, as text. */
  readonly written: ReadonlyMap<string, string>;
}

export interface RunOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Lines that the user types. If omitted, the command has no terminal. */
  readonly lines?: readonly string[];
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Called when the command has printed to standard output. */
  readonly onOut?: () => void;
}

/** Runs a `parley-mcp` command in this process. */
export async function runCommand(
  args: readonly string[],
  options: RunOptions = {},
): Promise<Run> {
  const { files = {}, env = { TOKEN: "s3cret" }, stdin, lines, columns, signal, onOut } = options;
  let [out, err] = ["", ""];
  const written = new Map<string, string>();
  const code = await main(args, {
    out: (text) => {
      out += text;
      onOut?.();
    },
    err: (text) => void (err += text),
    readFile: (path) => {
      const text = files[path];
      return text === undefined ? Promise.reject(new Error("no such file")) : Promise.resolve(text);
    },
    writeFile: (path, bytes) => {
      if (path.includes("/")) return Promise.reject(new Error("no such folder"));
      written.set(path, new TextDecoder().decode(bytes));
      return Promise.resolve();
    },
    readStdin: () =>
      stdin === undefined ? Promise.reject(new Error("unexpected")) : Promise.resolve(stdin),
    ...(lines === undefined ? {} : { ask: createAsk(lines, (text) => void (err += text)) }),
    ...(columns === undefined ? {} : { columns }),
    env,
    signal: signal ?? new AbortController().signal,
  });
  return { code, out, err, written };
}

/** Prints each question and the line that the user types. */
function createAsk(lines: readonly string[], print: (text: string) => void) {
  const rest = [...lines];
  return (question: string) => {
    const line = rest.shift();
    print(`${question}${line ?? "^D"}\n`);
    return Promise.resolve(line);
  };
}

/** An HTTP server on loopback that requires the bearer token `s3cret`. */
export interface TokenServer extends AsyncDisposable {
  readonly url: string;
  /** Resolves when the tool `hang` is called. */
  readonly hanging: Promise<void>;
}

/** Text with control characters and bidirectional marks. */
export const HOSTILE = "a\u001b[31m\u009b\u202eb\u2028c";

/**
 * Starts a {@linkcode TokenServer} with several tools, a resource and a prompt.
 *
 * @param names Names of additional tools.
 * @param register Registers additional tools.
 * @param extensions Extensions of the server.
 */
export function serveWithToken(
  names: readonly string[] = [],
  register: (server: McpServer) => void = () => {},
  extensions: readonly ServerExtension[] = [],
): TokenServer {
  const started = Promise.withResolvers<void>();
  const server = createServer(started.resolve, extensions);
  for (const name of names) server.registerTool({ name }, () => "");
  register(server);
  const handler = mcpHandler(server, { allowedHosts: ["127.0.0.1"] });
  const http = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    if (request.headers.get("authorization") === "Bearer s3cret") return handler(request);
    return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
  });
  return {
    url: `http://127.0.0.1:${http.addr.port}/mcp`,
    hanging: started.promise,
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      await server.close();
      await http.shutdown();
    },
  };
}

const PARAMETERS = {
  type: "object",
  properties: {
    text: { type: "string" },
    times: { type: "integer" },
    limit: { anyOf: [{ type: "number" }, { type: "null" }] },
    tags: { type: "array", items: { type: "string" } },
    other: {},
  },
  required: ["text"],
};

function createServer(onHang: () => void, extensions: readonly ServerExtension[]): McpServer {
  const server = new McpServer({ name: "demo", version: "1.0.0", extensions });
  server.registerTool(
    { name: "echo", description: "Returns its arguments\nas JSON", inputSchema: PARAMETERS },
    (args) => JSON.stringify(args),
  );
  server.registerTool({ name: "fail" }, () => {
    return { content: [{ type: "text", text: "out of paper" }], isError: true };
  });
  server.registerTool({ name: "hostile", description: HOSTILE }, () => `${HOSTILE}\r\n\tend`);
  server.registerTool({ name: "picture" }, () => {
    return { content: [{ type: "image", mimeType: "image/png", data: btoa("pixels") }] };
  });
  server.registerTool({ name: "hang" }, () => {
    onHang();
    return new Promise<string>(() => {});
  });
  server.registerResource({ uri: "note://1", name: "note", mimeType: "text/plain" }, () => "milk");
  server.registerPrompt(
    { name: "greet", description: "Greets", arguments: [{ name: "who", required: true }] },
    ({ who }) => `Greet ${who}`,
  );
  return server;
}
