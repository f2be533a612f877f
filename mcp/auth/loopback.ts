/**
 * Loopback redirect for native applications: opens a browser for the login and receives the
 * authorization response on the loopback interface.
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
 * On Deno, the listener requires `--allow-net=127.0.0.1`. Opening the browser requires
 * `--allow-run` for the operating system's command, such as `xdg-open`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8252#section-7.3 RFC 8252, section 7.3}
 * @module
 */

import { assertFunction, assertString, rejectArgument } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import process from "node:process";
import { abortable } from "@parley/internal/abortable";
import { integerFrom } from "@parley/internal/option-checks";
import { McpError } from "../shared/error.ts";
import type { Authorize } from "./config.ts";

/** Options for {@linkcode openLoopback}. */
export interface LoopbackOptions {
  /**
   * Port to listen on. `0` selects a free port. Set a port if the redirect URI is registered with a
   * port, or so that a client which registers dynamically does so once and not for each login.
   *
   * @default {0}
   */
  readonly port?: number;
  /**
   * Path of the redirect URI.
   *
   * @default {"/callback"}
   */
  readonly path?: string;
  /** Opens the authorization URL. If omitted, the URL opens in the default browser. */
  readonly open?: (url: URL) => Promise<void> | void;
  /**
   * Text that the browser shows after the redirect. The default text tells the user to close the
   * window.
   */
  readonly message?: string;
}

/** A listener on the loopback interface. */
export interface Loopback {
  /** Redirect URI of the listener. */
  readonly redirectUri: string;
  /**
   * Runs a login: opens the authorization URL and waits for the redirect. The authorization URL
   * must contain a `state` that no other login in progress has, the redirect URI of the listener,
   * and a PKCE challenge with S256. Otherwise, any web page or program could complete the login, so
   * the function rejects with a `TypeError` and does not open the URL.
   */
  readonly authorize: Authorize;
  /** Closes the listener and rejects pending logins. Later calls to `close()` have no effect. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a listener for OAuth redirects on `127.0.0.1`. The listener does not keep the process
 * alive.
 *
 * @param options Port and path of the listener, and the function that opens the browser.
 * @throws {McpError} With code `auth_error` if the port is not available.
 *
 * @example Receive an authorization response
 * ```ts
 * import { generatePkceChallenge } from "@parley/mcp/auth";
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
 * const { challenge, method } = await generatePkceChallenge();
 * login.searchParams.set("redirect_uri", redirectUri);
 * login.searchParams.set("code_challenge", challenge);
 * login.searchParams.set("code_challenge_method", method);
 * const callback = await authorize(login, { signal: AbortSignal.timeout(5000) });
 * assertEquals(new URL(String(callback)).searchParams.get("code"), "c1");
 * await close();
 * ```
 */
export async function openLoopback(options: LoopbackOptions = {}): Promise<Loopback> {
  const { port, path, open, message } = readOptions(options);
  const waiting = new Map<string, (callback: URL) => void>();
  const server = createServer((request, response) => {
    const callback = callbackOf(request, path);
    const state = callback?.searchParams.get("state") ?? "";
    const settle = waiting.get(state);
    if (callback === undefined || settle === undefined) return answer(response, 404, UNKNOWN);
    waiting.delete(state);
    answer(response, 200, message);
    settle(callback);
  });
  const redirectUri = `http://127.0.0.1:${await listen(server, port)}${path}`;
  const closing = new AbortController();
  return {
    redirectUri,
    authorize: async (url, { signal }) => {
      const state = stateOf(url, redirectUri);
      if (waiting.has(state)) {
        throw new TypeError('"state" in the authorization URL must be new for each login');
      }
      const end = AbortSignal.any([signal, closing.signal]);
      end.throwIfAborted();
      const back = new Promise<URL>((resolve) => waiting.set(state, resolve));
      try {
        // The redirect may arrive before `open()` resolves. If `open()` rejects or the login is
        // aborted, `authorize` rejects.
        await abortable(Promise.race([back, open(url)]), end);
        return await abortable(back, end);
      } finally {
        waiting.delete(state);
      }
    },
    close: () => {
      closing.abort(McpError.authError("the loopback listener was closed"));
      return end(server);
    },
  };
}

const DONE = "You can close this window and return to the application.";
const readOptions = optionsReader<LoopbackOptions>("options")({
  port: withDefault(0, integerFrom(0, 65_535)),
  path: withDefault("/callback", assertPath),
  open: withDefault(openBrowser, assertFunction),
  message: withDefault(DONE, assertString),
});

function assertPath(name: string, value: unknown): void {
  assertString(name, value);
  if (!value.startsWith("/")) rejectArgument(name, 'a path that starts with "/"', value);
}

/**
 * Returns the `state` of an authorization URL. The values in the URL are not quoted in errors,
 * because `state` is secret until the login has ended.
 *
 * @throws {TypeError} If the listener could not distinguish the redirect of the login from requests
 * of web pages and other programs (RFC 6749, section 10.12; RFC 8252, sections 8.1 and 8.9).
 */
function stateOf({ searchParams }: URL, redirectUri: string): string {
  const only = (name: string): string => {
    const [value = "", ...rest] = searchParams.getAll(name);
    if (value !== "" && rest.length === 0) return value;
    throw new TypeError(`the authorization URL must contain "${name}" once`);
  };
  if (only("redirect_uri") !== redirectUri) {
    throw new TypeError(`"redirect_uri" in the authorization URL must be "${redirectUri}"`);
  }
  only("code_challenge");
  if (only("code_challenge_method") !== "S256") {
    throw new TypeError('"code_challenge_method" in the authorization URL must be "S256"');
  }
  return only("state");
}

const UNKNOWN = "No login is in progress for this request.";

/** Returns the redirect URL, or `undefined` if the request is not for the redirect URI. */
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
    // The redirect URL contains the authorization code, which must not leak to other sites through
    // the `Referer` header.
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

/**
 * Commands that open a URL, keyed by operating system. The commands do not run a shell, so the URL
 * cannot inject a command.
 */
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
    // The error is not kept as the cause, because it contains the arguments of the command.
    child.once("error", ({ message }) => {
      reject(McpError.authError(`browser command "${command}" failed to start: ${message}`));
    });
  });
  child.unref();
}
