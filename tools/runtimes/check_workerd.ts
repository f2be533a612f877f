/**
 * Uses the packages in a worker on workerd, with and without native Ed25519, against servers on
 * loopback. Calls the MCP server in the worker.
 *
 *     deno task check:packages workerd
 *
 * @module
 */

import { readFlags, runTool, step, ToolError } from "../cli.ts";
import { type Bundle, bundleProgram, endBundling } from "./bundle.ts";
import { startTestServer } from "./test_server.ts";
import { useComm } from "./programs/comm.ts";
import { useMcpClient } from "./programs/mcp.ts";
import { startWorker } from "./workerd.ts";

async function useWorker(bundle: Bundle, query: string): Promise<void> {
  const host = startTestServer();
  const worker = await startWorker(bundle);
  try {
    const { url } = worker;
    const response = await fetch(new URL(`/?origin=${host.origin}${query}`, url));
    const text = await response.text();
    if (response.status !== 200) throw new ToolError(text);
    if (text !== await useComm()) throw new ToolError(`The signature differs from Deno's: ${text}`);
    await useMcpClient(new URL("/mcp", url).href);
  } finally {
    await worker.close();
    await host.close();
  }
}

async function main(): Promise<number> {
  readFlags(Deno.args, {});
  try {
    const bundle = await bundleProgram("worker.ts");
    await step("worker with native Ed25519", () => useWorker(bundle, ""));
    await step("worker without native Ed25519", () => useWorker(bundle, "&without-ed25519"));
    console.log("workerd: comm on both Ed25519 backends, runtime, MCP client and server work");
    return 0;
  } finally {
    await endBundling();
  }
}

if (import.meta.main) await runTool("check_workerd", main);
