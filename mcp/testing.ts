/**
 * Checks for implementations of the interfaces that programs can replace: task stores and change
 * buses, which MCP servers on several machines share, and credential stores. The checks do not
 * depend on a test runner.
 *
 * ```ts
 * import { memoryTaskStore } from "@parley/mcp/tasks";
 * import { taskStoreChecks } from "@parley/mcp/testing";
 *
 * for (const check of taskStoreChecks) {
 *   const store = memoryTaskStore();
 *   await check.run(() => store);
 * }
 * ```
 *
 * @module
 */

export { changeBusChecks } from "./testing/change_bus_checks.ts";
export type { Check, CheckOptions } from "./testing/check.ts";
export { credentialStoreChecks } from "./testing/credential_store_checks.ts";
export { taskStoreChecks } from "./testing/task_store_checks.ts";
