import { assertEquals, assertThrows } from "@std/assert";
import { postgresChangeBus } from "./change_bus.ts";
import { postgresTaskStore } from "./task_store.ts";

function query(): Promise<{ rows: unknown[] }> {
  return Promise.resolve({ rows: [] });
}

/** A pool whose connections the test can lose. */
function createPool() {
  const listeners: ((value: unknown) => void)[] = [];
  const connect = () =>
    Promise.resolve({
      on: (event: string, listener: (value: unknown) => void) => {
        if (event === "error") listeners.push(listener);
      },
      query: () => Promise.resolve(),
      release: () => {},
    });
  const lose = (error: Error) => listeners.forEach((listener) => listener(error));
  return { pool: { query, connect, totalCount: 0 }, lose };
}

Deno.test("the stores that receive notifications reject a single connection", () => {
  const client = { query, connect: () => Promise.resolve() };
  for (const open of [postgresChangeBus, postgresTaskStore]) {
    assertThrows(() => open(client), TypeError, '"sql" must be a Pool');
  }
});

Deno.test("the stores report a lost connection for notifications", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(String(error));
  const { pool, lose } = createPool();
  const stops = [
    await postgresChangeBus(pool, { onError }).subscribe(() => {}),
    await postgresTaskStore(pool, { onError }).watch({ onChange: () => {}, onSignal: () => {} }),
  ];
  lose(new Error("reset"));
  for (const stop of stops) await stop();
  assertEquals(errors, [
    'Error: Cannot receive notifications of "parley_mcp_changes"',
    'Error: Cannot receive notifications of "parley_mcp_tasks"',
  ]);
});
