import { taskStoreChecks } from "../testing/task_store_checks.ts";
import { memoryTaskStore } from "./memory_task_store.ts";

for (const check of taskStoreChecks) {
  Deno.test(`memoryTaskStore: ${check.name}`, () => {
    const store = memoryTaskStore();
    return check.run(() => store, { timeoutMs: 10_000 });
  });
}
