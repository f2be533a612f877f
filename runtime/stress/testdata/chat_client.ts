/**
 * Starts processes that call `serveChat`, and sends requests to them.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";

/** Number of times that a test sends the same approval. */
export const APPROVALS = 50;

/** A process with a chat server. */
export class ChatProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #stderr: Promise<string>;
  readonly #url: string;

  /** Call {@linkcode ChatProcess.start} instead of the constructor. */
  constructor(child: Deno.ChildProcess, stderr: Promise<string>, port: string) {
    this.#child = child;
    this.#stderr = stderr;
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** Starts a program that prints the port of its server. */
  static async start(...args: readonly string[]): Promise<ChatProcess> {
    const child = new Deno.Command("deno", {
      args: ["run", "--quiet", "--no-check", "-A", ...args],
      env: { NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stderr = new Response(child.stderr).text();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value } = await reader.read();
    await reader.cancel();
    if (value === undefined) {
      await child.stdin.abort().catch(() => {});
      await child.status;
      throw new Error(`the server did not start: ${await stderr}`);
    }
    return new ChatProcess(child, stderr, value.trim());
  }

  /** Sends a message of `useChat`. Returns the streamed response. */
  async post(threadId: string, message: unknown): Promise<string> {
    const body = JSON.stringify({ id: threadId, messages: [message] });
    const response = await fetch(`${this.#url}/chat`, { method: "POST", body });
    const text = await response.text();
    assertEquals(response.status, 200, text);
    return text;
  }

  /** Returns when the server has received `count` approvals. */
  async untilReceived(threadId: string, count: number): Promise<void> {
    await (await fetch(`${this.#url}/received/${threadId}/${count}`)).text();
  }

  /** Lets the tool of a thread end. */
  async release(threadId: string): Promise<void> {
    await (await fetch(`${this.#url}/release/${threadId}`, { method: "POST" })).text();
  }

  /** Returns the messages of the errors of all runs. */
  async errors(): Promise<readonly string[]> {
    return await (await fetch(`${this.#url}/errors`)).json();
  }

  /** Closes the server, and asserts that the process has printed no error. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.close();
    const { code, signal } = await this.#child.status;
    assertEquals([await this.#stderr, code, signal], ["", 0, null]);
  }
}

/** Sends a message to a server. Returns the message that approves the tool call of the response. */
export async function requestPayment(server: ChatProcess, threadId: string): Promise<unknown> {
  const text = await server.post(threadId, {
    role: "user",
    parts: [{ type: "text", text: "Pay" }],
  });
  const [, id = ""] = /"approvalId":"([^"]+)"/.exec(text) ?? [];
  assert(id !== "", text);
  return {
    role: "assistant",
    parts: [{
      type: "tool-pay",
      toolCallId: "c1",
      state: "approval-responded",
      input: {},
      approval: { id, approved: true },
    }],
  };
}

/** Options for {@linkcode approveConcurrently}. */
export interface ApproveOptions {
  readonly threadId: string;
  /** Message with the approval. */
  readonly approval: unknown;
  /**
   * Whether the tool ends only when all approvals have been received, so that all requests are in
   * progress during its execution. Otherwise, the tool ends immediately.
   */
  readonly isHeld: boolean;
}

/**
 * Sends the same approval {@linkcode APPROVALS} times concurrently, in turn to each server. Returns
 * the responses of each server.
 */
export async function approveConcurrently(
  servers: readonly ChatProcess[],
  { approval, isHeld, threadId }: ApproveOptions,
): Promise<readonly (readonly string[])[]> {
  const release = () => Promise.all(servers.map((server) => server.release(threadId)));
  if (!isHeld) await release();
  const count = APPROVALS / servers.length;
  const responses = servers.map((server) =>
    Promise.all(Array.from({ length: count }, () => server.post(threadId, approval)))
  );
  await Promise.all(servers.map((server) => server.untilReceived(threadId, count)));
  await release();
  const texts = await Promise.all(responses);
  for (const text of texts.flat()) assert(text.endsWith("data: [DONE]\n\n"), text);
  return texts;
}
