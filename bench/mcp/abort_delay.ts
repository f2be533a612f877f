/**
 * Time from when the client aborts a call to when the tool handler's signal is aborted, over HTTP.
 *
 * @module
 */

import { McpClient } from "@parley/mcp/client";
import { Subject } from "./subject.ts";
import { INFO, toolNames } from "./tool.ts";

const CALLS = 100;

/**
 * Measures the delays. A modern client closes the connection of the call, and a legacy client sends
 * a notification.
 *
 * @returns the median delays in milliseconds, keyed by the names used in the tables
 */
export async function measureAbortDelays(): Promise<ReadonlyMap<string, number>> {
  const subject = await Subject.start("abort delay", ["waiting", "parley"]);
  try {
    const url = `http://127.0.0.1:${await subject.ask("port")}/mcp`;
    return new Map([
      ["@parley/mcp, modern", await measureEra(subject, url, "modern")],
      ["@parley/mcp, legacy", await measureEra(subject, url, "legacy")],
    ]);
  } finally {
    await subject.stop();
  }
}

async function measureEra(
  subject: Subject,
  url: string,
  protocol: "modern" | "legacy",
): Promise<number> {
  const client = new McpClient({ transport: { type: "http", url }, clientInfo: INFO, protocol });
  await client.connect();
  try {
    const delays: number[] = [];
    while (delays.length < CALLS) delays.push(await measureAbort(subject, client));
    return delays.toSorted((a, b) => a - b)[CALLS / 2] ?? 0;
  } finally {
    await client.disconnect();
  }
}

async function measureAbort(subject: Subject, client: McpClient): Promise<number> {
  const controller = new AbortController();
  const [name = ""] = toolNames(1);
  let sentAt = 0;
  const onProgress = (): void => {
    sentAt = performance.timeOrigin + performance.now();
    controller.abort();
  };
  const { signal } = controller;
  await client.callTool(name, {}, { signal, onProgress }).catch((error) => {
    if (error !== signal.reason) throw error;
  });
  return Number(await subject.ask("abortedAt")) - sentAt;
}
