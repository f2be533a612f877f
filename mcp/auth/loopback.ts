/**
 * A login for programs on a person's machine: the browser opens, and comes back to an address on the machine itself.
 *
 * ```ts ignore
 * import { McpClient } from "@parley/mcp/client";
 * import { openLoopback } from "@parley/mcp/auth/loopback";
 *
 * const { redirectUri, authorize, close } = await openLoopback();
 * const client = new McpClient({
 *   transport: { type: "http", url: "https://mcp.example.com" },
 *   auth: { discover: true, redirectUri, authorize },
 * });
 * try {
 *   await client.connect();
 * } finally {
 *   await close();
 * }
 * ```
 *
 * On Deno, the listener needs `--allow-net=127.0.0.1`, the browser `--allow-run` for the command that opens it.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8252#section-7.3 RFC 8252, section 7.3}
 * @module
 */

import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import process from "node:process";
import { McpError } from "../shared/error.ts";
import type { Authorize } from "./config.ts";

/** How a browser is waited for. */
export interface LoopbackOptions {
  /** The port to listen at; 0 for any that is free. Name one where the redirect URI is registered with its port. Default 0. */
  readonly port?: number;
  /** The path of the redirect URI. Default `/callback`. */
  readonly path?: string;
  /** Opens an address for a person. Default: in the browser of the system. */
  readonly open?: (url: URL) => Promise<void> | void;
  /** What the browser shows in the end. Default: that the window may be closed. */
  readonly message?: string;
}

/** A listener on this machine. */
export interface Loopback {
  /** Where the browser is to be sent after the login. */
  readonly redirectUri: string;
  /** Leads a person through a login. */
  readonly authorize: Authorize;
  /** Stops listening; logins under way fail. May be called again. */
  readonly close: () => Promise<void>;
}

/**
 * Listens on this machine for browsers that come back from a login. The listener does not keep the program alive.
 *
 * @param options where, and how the browser opens
 * @throws {McpError} `auth_error` when the port is taken
 *
 * @example A browser that comes back at once
 * ```ts
 * import { openLoopback } from "@parley/mcp/auth/loopback";
 * import { assertEquals } from "@std/assert";
 *
 * const { redirectUri, authorize, close } = await openLoopback({
 *   open: async (url) => {
 *     const callback = new URL(url.searchParams.get("redirect_uri") ?? "");
 *     callback.searchParams.set("code", "c1");
 *     callback.searchParams.set("state", url.searchParams.get("state") ?? "");
 *     await (await fetch(callback)).text();
 *   },
 * });
 * const login = new URL("https://login.example.com/authorize?state=s1");
 * login.searchParams.set("redirect_uri", redirectUri);
 * const callback = await authorize(login, { signal: AbortSignal.timeout(5000) });
 * assertEquals(new URL(String(callback)).searchParams.get("code"), "c1");
 * await close();
 * ```
 */
export async function openLoopback(options: LoopbackOptions = {}): Promise<Loopback> {
  const { port = 0, path = "/callback", open = openBrowser, message = DONE } = options;
  const waiting = new Map<string, (callback: URL) => void>();
  const server = createServer((request, response) => {
    const callback = callbackOf(request, path);
    const settle = waiting.get(callback?.searchParams.get("state") ?? "");
    if (callback === undefined || settle === undefined) return answer(response, 404, UNKNOWN);
    answer(response, 200, message);
    settle(callback);
  });
  const redirectUri = `http://127.0.0.1:${await listen(server, port)}${path}`;
  const closing = new AbortController();
  return {
    redirectUri,
    authorize: async (url, { signal }) => {
      const state = url.searchParams.get("state") ?? "";
      const end = AbortSignal.any([signal, closing.signal]);
      end.throwIfAborted();
      const back = new Promise<URL>((resolve, reject) => {
        waiting.set(state, resolve);
        end.addEventListener("abort", () => reject(end.reason), { once: true });
      });
      try {
        // Whoever fails first is heard; the browser may come back before it has opened.
        await Promise.race([back, open(url)]);
        return await back;
      } finally {
        waiting.delete(state);
        // Nobody waits for it any more.
        back.catch(() => {});
      }
    },
    close: () => {
      closing.abort(McpError.authError("the loopback listener was closed"));
      return end(server);
    },
  };
}

const DONE = "You can close this window and return to the application.";
const UNKNOWN = "No login is in progress for this request.";

/** The address that a browser has come back to, if it is that of the listener. */
function callbackOf({ method, url = "/" }: IncomingMessage, path: string): URL | undefined {
  const base = "http://127.0.0.1";
  const callback = URL.canParse(url, base) ? new URL(url, base) : undefined;
  return method === "GET" && callback?.pathname === path ? callback : undefined;
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "connection": "close",
    // The address holds a code: it is not for the next page.
    "referrer-policy": "no-referrer",
  });
  response.end(text);
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      reject(McpError.authError(`port ${port} is not available`, { cause }));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  server.unref();
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The command that opens an address, by system. None of them is a shell, so that nothing in it is taken for a command. */
const BROWSERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

async function openBrowser({ href, protocol }: URL): Promise<void> {
  if (protocol !== "https:" && protocol !== "http:") {
    throw McpError.authError("the authorization URL is not an HTTP or HTTPS URL");
  }
  const [command, ...args] = BROWSERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, href], { stdio: "ignore", detached: true });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => {
      reject(McpError.authError(`browser command "${command}" failed to start`, { cause }));
    });
  });
  child.unref();
}
