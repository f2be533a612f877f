/**
 * Serves an agent to editors, such as Zed and JetBrains IDEs, with the Agent Client Protocol,
 * version 1.
 *
 * {@linkcode serveAcpStdio} is the main function of the program that the editor starts.
 * {@linkcode serveAcp} serves other streams. The conversations are sessions in a `SessionStorage`,
 * so the editor can load them later. {@linkcode acpTools} creates tools that use the files and the
 * terminals of the editor.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { acpTools, serveAcp } from "@parley/runtime/acp";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const toEditor = new TransformStream<Uint8Array, Uint8Array>();
 * const fromEditor = new TransformStream<Uint8Array, Uint8Array>();
 * const serving = serveAcp({ readable: fromEditor.readable, writable: toEditor.writable }, {
 *   name: "coder",
 *   version: "1.0.0",
 *   storage: memoryStorage(),
 *   make: (session) =>
 *     new ToolLoopAgent({
 *       name: "coder",
 *       model: scriptedModel([{ text: "Hello" }]),
 *       tools: acpTools(session),
 *     }),
 * });
 *
 * const received = new Response(toEditor.readable).text();
 * const editor = fromEditor.writable.getWriter();
 * const params = { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } } };
 * const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
 * await editor.write(new TextEncoder().encode(`${line}\n`));
 * await editor.close();
 * await serving;
 * assertEquals(JSON.parse(await received).result.protocolVersion, 1);
 * ```
 *
 * The agent runs with the rights of the editor's user, the only caller.
 * The module does not connect to the MCP servers that the user has configured in the editor: the
 * application does, with `session.mcpServers`. Lists of sessions, slash commands, authentication,
 * and diffs and terminals in tool calls are not supported.
 *
 * @see https://agentclientprotocol.com
 * @module
 */

export type { ServeAcpOptions } from "./acp/acp_options.ts";
export type {
  AcpCallOptions,
  AcpClient,
  AcpClientCapabilities,
  AcpCommandOptions,
  AcpCommandResult,
  AcpMcpServer,
  AcpMode,
  AcpReadOptions,
  AcpSession,
  AcpToolKind,
} from "./acp/acp_session.ts";
export { acpTools, type AcpToolsOptions } from "./acp/acp_tools.ts";
export {
  type AcpStreams,
  serveAcp,
  serveAcpStdio,
  type ServeAcpStdioOptions,
} from "./acp/serve_acp.ts";
