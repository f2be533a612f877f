/**
 * Gates: to stop the world at a point and look at it, without sleeping.
 *
 * @module
 */

/** A point at which somebody waits until the test lets go. */
export interface Gate {
  /** Resolves when somebody has come to the point. */
  readonly reached: Promise<void>;
  /** Comes to the point: resolves when it is released. */
  wait(): Promise<void>;
  /** Lets go, now and for ever. */
  release(): void;
}

/**
 * Creates a gate.
 *
 * @returns the gate
 *
 * @example Abort a run in the middle of a tool
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
