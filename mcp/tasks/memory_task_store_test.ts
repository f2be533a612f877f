import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { taskStoreChecks } from "../testing/task_store_checks.ts";
import { memoryTaskStore } from "./memory_task_store.ts";

for (const check of taskStoreChecks) {
  Deno.test(`memoryTaskStore: ${check.name}`, () => {
    const store = memoryTaskStore();
    return check.run(() => store, { timeoutMs: 10_000 });
  });
}

Deno.test("memoryTaskStore limits the characters of waiting signals per principal", async () => {
  const store = memoryTaskStore({ maxChars: 16_000, maxSharePerPrincipal: 0.5 });
  const at = new Date().toISOString();
  const put = (taskId: string, subject: string, status: "working" | "cancelled" = "working") =>
    store.set({
      subject,
      epoch: 0,
      expiresAt: Date.now() + 60_000,
      task: { taskId, status, createdAt: at, lastUpdatedAt: at, ttlMs: 60_000 },
    }, { leaseMs: 60_000 });
  const input = (chars: number) =>
    ({ kind: "input", inputResponses: { key: { text: "x".repeat(chars) } } }) as const;
  for (const [taskId, subject] of [["a1", "ada"], ["a2", "ada"], ["b", "bob"]] as const) {
    await put(taskId, subject);
  }
  assertEquals(await store.signal("a1", input(6000)), true);
  await assertRejects(() => store.signal("a2", input(3000)), McpError, "Too many requests");
  // A cancellation and the signals of others are not affected.
  assertEquals(await store.signal("a2", { kind: "cancel" }), true);
  assertEquals(await store.signal("b", input(6000)), true);
  // Taking the signals, and the end of a task, release the characters.
  assertEquals((await store.takeSignals(["a1"])).length, 1);
  assertEquals(await store.signal("a2", input(7000)), true);
  await assertRejects(() => store.signal("a1", input(3000)), McpError);
  await put("a2", "ada", "cancelled");
  assertEquals(await store.signal("a1", input(7000)), true);
});
