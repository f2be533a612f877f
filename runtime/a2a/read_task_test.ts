import { assertEquals, assertThrows } from "@std/assert";
import { InvalidMember } from "@parley/internal/proto-json";
import { readSendMessageResponse, readStreamResponse, readTask } from "./read_task.ts";

Deno.test("a task is read without members that the protocol does not define", () => {
  const task = {
    id: "k1",
    context_id: "c1",
    kind: "task",
    status: {
      state: 7,
      timestamp: "2026-03-01T10:00:00.123456+01:00",
      message: { message_id: "s", role: 2, parts: [{ text: "No" }] },
    },
    artifacts: [{ artifact_id: "a", parts: [{ raw: "_w" }], name: "answer", extra: 1 }],
    history: [],
    metadata: { note: "kept" },
  };
  assertEquals(readTask(task), {
    id: "k1",
    contextId: "c1",
    status: {
      state: "TASK_STATE_REJECTED",
      timestamp: "2026-03-01T09:00:00.123Z",
      message: { messageId: "s", role: "ROLE_AGENT", parts: [{ text: "No" }] },
    },
    artifacts: [{ artifactId: "a", name: "answer", parts: [{ raw: "/w==" }] }],
    metadata: { note: "kept" },
  });
});

Deno.test("the updates of a stream are read", () => {
  const ids = { taskId: "k", contextId: "c" };
  assertEquals(
    readStreamResponse({
      status_update: { task_id: "k", context_id: "c", status: { state: "TASK_STATE_WORKING" } },
      task: null,
    }),
    { statusUpdate: { ...ids, status: { state: "TASK_STATE_WORKING" } } },
  );
  const artifact = { artifactId: "a", parts: [{ text: "x" }] };
  assertEquals(
    readStreamResponse({ artifactUpdate: { ...ids, artifact, append: true, lastChunk: false } }),
    { artifactUpdate: { ...ids, artifact, append: true } },
  );
});

Deno.test("a response that is not valid names the member", () => {
  const status = { state: "TASK_STATE_WORKING" };
  const rows: readonly (readonly [unknown, string])[] = [
    ["text", "request"],
    [{}, "response"],
    [{ task: {}, message: {} }, "response"],
    [{ task: { contextId: "c", status } }, "task.id"],
    [{ task: { id: "k", contextId: "c" } }, "task.status"],
    [{ task: { id: "k", contextId: "c", status: { state: "working" } } }, "task.status.state"],
    [
      { task: { id: "k", contextId: "c", status: { ...status, timestamp: "yesterday" } } },
      "task.status.timestamp",
    ],
    [{ task: { id: "k", contextId: "c", status, artifacts: {} } }, "task.artifacts"],
    [
      { task: { id: "k", contextId: "c", status, artifacts: [{ artifactId: "a", parts: [] }] } },
      "task.artifacts[0].parts",
    ],
    [{ statusUpdate: { taskId: "k", contextId: "c", status } }, "response"],
  ];
  for (const [response, path] of rows) {
    const error = assertThrows(() => readSendMessageResponse(response), InvalidMember);
    assertEquals(error.path, path);
  }
});
