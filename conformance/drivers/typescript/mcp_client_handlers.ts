/**
 * Handlers and listeners of MCP clients that a case describes, implemented with `@parley/mcp`.
 *
 * @module
 */

import { type McpClientConfig, McpError } from "@parley/mcp";
import { type Fields, isFields, textOf } from "./operation.ts";

/** A call of a handler. */
export interface HandlerCall {
  readonly handler: string;
  /** Parameters of the request, without the signal. */
  readonly params: readonly unknown[];
  /** Whether the signal of the call has been aborted. */
  isAborted: boolean;
}

/** Creates handlers that return the results given in the case, and records their calls. */
export function toHandlers(
  answers: Fields,
  calls: HandlerCall[],
): NonNullable<McpClientConfig["handlers"]> {
  // The results are passed unvalidated, because an application's handlers can return any value.
  const handlers: unknown = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, toHandler(name, answer, calls)]),
  );
  return handlers as NonNullable<McpClientConfig["handlers"]>;
}

function toHandler(
  handler: string,
  answer: unknown,
  calls: HandlerCall[],
): (...args: readonly unknown[]) => unknown {
  return (...args) => {
    const call: HandlerCall = { handler, params: args.slice(0, -1), isAborted: false };
    calls.push(call);
    const signal = args.at(-1);
    if (!(signal instanceof AbortSignal)) return answer;
    signal.addEventListener("abort", () => call.isAborted = true, { once: true });
    return isFields(answer) ? toResult(answer, signal) : answer;
  };
}

/** Returns the result of a handler, or waits or fails as described in the case. */
function toResult(answer: Fields, signal: AbortSignal): unknown {
  const { hangs, throws, rejects, afterMs } = answer;
  if (throws !== undefined) throw new Error(String(throws));
  if (isFields(rejects)) {
    throw McpError.protocolError(textOf(rejects, "message"), { rpcCode: Number(rejects.code) });
  }
  if (typeof afterMs === "number") {
    return new Promise((resolve) => setTimeout(() => resolve(answer.returns), afterMs));
  }
  if (hangs !== true) return answer;
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Makes a listener of the case fail: by an exception, a rejected promise, or not at all. */
export function failAs(mode: unknown): Promise<never> | undefined {
  const error = McpError.core("the listener failed");
  if (mode === "throws") throw error;
  return mode === "rejects" ? Promise.reject(error) : undefined;
}
