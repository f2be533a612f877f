import { assert, assertEquals } from "@std/assert";
import { type ActivityInterfaceFor } from "@temporalio/workflow";
import { ApplicationFailure } from "@temporalio/activity";
import type { ApplicationFailureClass, ToolActivity } from "@parley/runtime/temporal";
import { createSandbox, play } from "./temporal/sandbox.ts";
import type * as activities from "./temporal/activities.ts";

type ToolActivities = Readonly<Record<string, ToolActivity<never>>>;

const APPROVE = { name: "decide", input: ["pay-5", { decision: "approve" }] };
const sandbox = await createSandbox();

Deno.test("Temporal's sandbox lacks web platform globals that the agent does not need", async () => {
  const names = [
    "AbortSignal",
    "crypto",
    "DOMException",
    "performance",
    "queueMicrotask",
    "structuredClone",
  ];
  assertEquals((await play(sandbox, "missingGlobals", names)).result, names);
});

Deno.test("An agent in Temporal's sandbox issues the same commands each time its history is replayed", async () => {
  const first = await play(sandbox, "clerk", "Pay for a", [APPROVE]);
  const second = await play(sandbox, "clerk", "Pay for a", [APPROVE]);
  assertEquals(first.result, {
    finalText: "Paid",
    errors: ['AgentError: Cannot execute tool "look": Cannot find place b'],
  });
  assertEquals(second, first);
});

Deno.test("An agent in Temporal's sandbox schedules only activities, and concurrent tools together", async () => {
  const { commands } = await play(sandbox, "clerk", "Pay for a", [APPROVE]);
  const types = commands.map((text) =>
    [...text.matchAll(/"activityType":"(\w+)"/g)].map(([, name]) => name)
  );
  assertEquals(types, [
    ["callClerk"],
    ["look", "look"],
    ["callClerk"],
    [],
    ["pay"],
    ["callClerk"],
    ["callHelper"],
    ["look"],
    ["callHelper"],
    ["callClerk"],
    [],
  ]);
  assert(!commands.join().includes("startTimer"));
});

Deno.test("A denied tool in Temporal's sandbox is not scheduled", async () => {
  const deny = { name: "decide", input: ["pay-5", { decision: "deny", reason: "too much" }] };
  const { commands, result } = await play(sandbox, "clerk", "Pay for a", [deny]);
  assert(JSON.stringify(result).includes("Paid"));
  assert(!commands.join().includes('"activityType":"pay"'));
});

Deno.test("An agent in Temporal's sandbox streams events and returns a typed value", async () => {
  const { result } = await play(sandbox, "counter", "Count");
  assertEquals(result, {
    value: { count: 3 },
    types: [
      "run_started",
      "iteration_started",
      "model_started",
      "model_finished",
      "iteration_finished",
      "run_finished",
    ],
  });
});

Deno.test("An agent in Temporal's sandbox fails with the message of its model", async () => {
  const { failure } = await play(sandbox, "broken", "Hi");
  assert(failure?.includes("401 Unauthorized"), failure);
});

Deno.test("An agent in Temporal's sandbox requires a run id", async () => {
  const { result } = await play(sandbox, "withoutRunId", "Hi");
  assert(String(result).includes('"runId" must be set'), String(result));
});

Deno.test("The types of @parley/runtime/temporal match the packages of Temporal", () => {
  const failures: ApplicationFailureClass = ApplicationFailure;
  const toolsOf = ({ look, pay }: ActivityInterfaceFor<typeof activities>): ToolActivities => ({
    look,
    pay,
  });
  assertEquals([typeof failures.create, typeof toolsOf], ["function", "function"]);
});
