import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { RemoteTask } from "./remote_task.ts";
import type { A2aPart, StreamResponse } from "./types.ts";

const ids = { taskId: "t1", contextId: "c1" };

function artifact(parts: readonly A2aPart[], append: boolean, artifactId = "a"): StreamResponse {
  return { artifactUpdate: { ...ids, artifact: { artifactId, parts }, append } };
}

const TEXTS = fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 10 });

Deno.test("any division of a text into updates has the same result", () => {
  fc.assert(
    fc.property(TEXTS, TEXTS, (first, second) => {
      const task = new RemoteTask(1000);
      // The first text is replaced, as after a repeated model call.
      for (const texts of [first, second]) {
        for (const [index, text] of texts.entries()) task.apply(artifact([{ text }], index > 0));
      }
      const expected = second.join("");
      assertEquals(task.result(), expected === "" ? undefined : expected);
    }),
    propertyRuns(200),
  );
});

Deno.test("a task with its artifacts has the same result as its updates", () => {
  fc.assert(
    fc.property(fc.array(TEXTS, { minLength: 1, maxLength: 4 }), (texts) => {
      const updated = new RemoteTask(1000);
      const read = new RemoteTask(1000);
      for (const [index, all] of texts.entries()) {
        for (const text of all) updated.apply(artifact([{ text }], true, `a${index}`));
      }
      const artifacts = texts.map((all, index) => ({
        artifactId: `a${index}`,
        parts: all.map((text) => ({ text })),
      }));
      const status = { state: "TASK_STATE_COMPLETED" } as const;
      read.apply({ task: { id: "t1", contextId: "c1", status, artifacts } });
      assertEquals(updated.result(), read.result());
    }),
    propertyRuns(200),
  );
});

Deno.test("a task that is read replaces all artifacts, also those that it does not contain", () => {
  const task = new RemoteTask(10);
  task.apply(artifact([{ text: "Let me see" }], false));
  task.apply(artifact([{ text: "too long" }], false, "b"));
  assert(task.isTruncated);
  const completed = { state: "TASK_STATE_COMPLETED" } as const;
  const read = { id: "t1", contextId: "c1", status: completed };
  task.apply({ task: { ...read, artifacts: [{ artifactId: "b", parts: [{ text: "42" }] }] } });
  assertEquals([task.result(), task.isTruncated], ["42", false]);
  task.apply({ task: read });
  assertEquals(task.result(), undefined);
});

const PART: fc.Arbitrary<A2aPart> = fc.oneof(
  fc.string().map((text) => ({ text })),
  fc.jsonValue({ maxDepth: 2 }).map((data) => ({ data: JSON.parse(JSON.stringify(data)) })),
  fc.constant({ raw: "aGk=", filename: "a.txt" }),
);

Deno.test("the result of a task is never longer than the limit", () => {
  const updates = fc.array(
    fc.record({
      parts: fc.array(PART, { maxLength: 3 }),
      append: fc.boolean(),
      id: fc.constantFrom("a", "b", "c"),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(updates, fc.integer({ min: 1, max: 60 }), (all, maxChars) => {
      const task = new RemoteTask(maxChars);
      for (const { append, id, parts } of all) task.apply(artifact(parts, append, id));
      const result = task.result() ?? "";
      const text = typeof result === "string" ? result : JSON.stringify(result);
      // A list has brackets and commas, and artifacts are separated, each at most once per part.
      assert(text.length <= maxChars + 4 + 2 * 36, text);
    }),
    propertyRuns(300),
  );
});
