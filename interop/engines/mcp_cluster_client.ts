/**
 * A client for tests of an MCP server that runs in several processes.
 *
 * @module
 */

import { type CallToolResult, McpClient } from "@parley/mcp";
import { type ClientTasks, clientTasks, type ParsedTask } from "@parley/mcp/tasks";

/** A `@parley/mcp` client that tracks the tasks of its tool calls. */
export class Client implements AsyncDisposable {
  readonly mcp: McpClient;
  readonly tasks: ClientTasks;
  /** Latest reported state of a task. */
  task: ParsedTask | undefined;

  constructor(url: string, protocol: "2026-07-28" | "2025-11-25" = "2026-07-28") {
    this.tasks = clientTasks({ minPollMs: 20, onChange: (task) => this.task = task });
    this.mcp = new McpClient({
      transport: { type: "http", url },
      protocol,
      extensions: [this.tasks],
      handlers: { elicit: () => ({ action: "accept", content: { name: "Ada" } }) },
      onError: () => {},
    });
  }

  /** Creates a client and connects it. */
  static async connect(...args: ConstructorParameters<typeof Client>): Promise<Client> {
    const client = new Client(...args);
    await client.mcp.connect();
    return client;
  }

  /** Calls a tool without arguments, and returns the text of its result. */
  async call(name: string): Promise<string> {
    return textOf(await this.mcp.callTool(name, {}));
  }

  /** Calls a tool and waits until its task has the given status. */
  async startTask(
    name: string,
    status = "working",
  ): Promise<{ taskId: string; ended: Promise<unknown> }> {
    const ended = this.mcp.callTool(name, {}).then(textOf, (error) => error);
    await until(() => this.task?.status === status);
    return { taskId: this.task?.taskId ?? "", ended };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mcp.disconnect();
  }
}

function textOf({ content }: CallToolResult): string {
  const [block] = content;
  return block?.type === "text" ? block.text : "";
}

/** Waits at most 20 seconds for a condition. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`the condition did not become true: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
