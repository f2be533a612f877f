/**
 * Uses features that depend on the platform and that the kit's drivers do not use: a journal in a
 * file, server processes and a client over stdio. The program runs next to `everything_stdio.js`,
 * in a project where the packages are installed.
 *
 * @module
 */

import { rm } from "node:fs/promises";
import process from "node:process";
import { McpClient } from "@parley/mcp/client";
import { spawnServer } from "@parley/mcp/process";
import { ToolLoopAgent } from "@parley/runtime";
import { fileStore } from "@parley/runtime/file";
import { JsonlJournal, recordSteps } from "@parley/runtime/journal";
import { scriptedModel } from "@parley/runtime/testing";
import { check, checkEqual } from "./assertions.ts";

/**
 * Runs an agent, and then replays the run from its journal file without executing any step a second
 * time.
 */
async function useJournal(path: string): Promise<void> {
  await rm(path, { force: true });
  let executions = 0;
  const texts: string[] = [];
  for (const turns of [[{ calls: [{ toolName: "count", input: {} }] }, { text: "One" }], []]) {
    const agent = new ToolLoopAgent({ name: "counter", model: scriptedModel(turns) });
    agent.registry.register({
      name: "count",
      description: "Counts",
      inputSchema: { type: "object" },
      execute: () => ++executions,
    });
    const stepRunner = recordSteps(await JsonlJournal.open(fileStore(path)));
    texts.push((await agent.run("Count", { runId: "r1", stepRunner })).finalText);
    await agent.terminate();
  }
  checkEqual([executions, ...texts], [1, "One", "One"], "a journal is not replayed");
}

/** Starts, calls and stops an MCP server process, in both protocol eras. */
async function useProcess(args: readonly string[]): Promise<void> {
  for (const protocol of ["modern", "legacy"] as const) {
    const transport = spawnServer(process.execPath, args);
    const client = new McpClient({ transport, protocol });
    await client.connect();
    try {
      const { content } = await client.callTool("add_numbers", { a: 1, b: 2 });
      checkEqual(content, [{ type: "text", text: "3" }], `no result from a process, ${protocol}`);
      check((await client.listTools()).length > 3, `no tools from a process, ${protocol}`);
    } finally {
      await client.disconnect();
    }
    checkEqual(
      transport.exit,
      { code: 0, signal: null },
      `a server process does not exit normally, ${protocol}`,
    );
    checkEqual(transport.pid, undefined, `a server process is still running, ${protocol}`);
  }
}

const [journal = "", ...server] = process.argv.slice(2);
await useJournal(journal);
await useProcess(server);
process.stdout.write("journal, server processes and client work\n");
