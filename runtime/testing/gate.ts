/**
 * Gates that pause code at a defined point, without sleeping.
 *
 * @module
 */

/**
 * A gate that blocks callers of {@linkcode Gate.wait} until the test calls
 * {@linkcode Gate.release}.
 */
export interface Gate {
  /** Resolves when `wait` is called for the first time. */
  readonly reached: Promise<void>;
  /** Waits until the gate is released. */
  wait(): Promise<void>;
  /** Releases the gate permanently. */
  release(): void;
}

/**
 * Creates a gate.
 *
 * @example Abort a run during a tool call
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { createGate, scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const gate = createGate();
 * const registry = new ToolRegistry([
 *   { name: "wait", inputSchema: { type: "object" }, execute: () => gate.wait() },
 * ]);
 * const controller = new AbortController();
 * const model = scriptedModel([{ calls: [{ toolName: "wait" }] }]);
 * const run = runToolLoop({ model, registry, signal: controller.signal, graceMs: 0 }, "Wait");
 * await gate.reached;
 * controller.abort();
 * assertEquals((await run).stopReason, "aborted");
 * gate.release();
 * ```
 */
export function createGate(): Gate {
  let arrive = (): void => {};
  let release = (): void => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    reached,
    wait(): Promise<void> {
      arrive();
      return released;
    },
    release: () => release(),
  };
}
