/**
 * An MCP server over stdio with which no session can be used.
 *
 *     deno run -A conformance/testdata/hopeless_server.ts MODE
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { commandLine, exitNow, readInput, writeOut } from "../platform/process.ts";
import { LineSplitter } from "../subject/lines.ts";

/** Functions that handle a line of input, keyed by mode. */
const MODES: Readonly<Record<string, (line: string) => void>> = {
  /** Writes lines that are not JSON. */
  garbage: () => writeOut("<html>not found</html>\n"),
  /** Exits after it has opened a session. */
  closes: (line) => opening(line, () => exitNow(0)),
  /** Opens a session, then sends nothing. */
  mute: (line) => opening(line, () => {}),
  /** Opens a session in a protocol version that does not exist. */
  "unknown-version": (line) => opening(line, () => {}, "1999-01-01"),
  /** Never responds. */
  silent: () => {},
};

function opening(line: string, then: () => void, version?: string): void {
  const message = readJson(line)?.value;
  const { id, method, params } = isObject(message) ? message : {};
  const { protocolVersion = "2026-07-28" } = isObject(params) ? params : {};
  if (method !== "initialize" && method !== "server/discover") return then();
  const result = {
    protocolVersion: version ?? protocolVersion,
    supportedVersions: [version ?? protocolVersion],
    capabilities: { tools: {} },
    serverInfo: { name: "hopeless", version: "0" },
  };
  writeOut(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

if (import.meta.main) {
  const [mode = ""] = commandLine();
  const take = MODES[mode];
  if (take === undefined) throw new RangeError(`Unknown mode "${mode}"`);
  const lines = new LineSplitter({ line: take, overflow: () => exitNow(1) }, 1024 * 1024);
  readInput((chunk) => lines.push(chunk), () => exitNow(0));
}
