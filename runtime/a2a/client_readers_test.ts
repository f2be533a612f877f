import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { A2aClient } from "./a2a_client.ts";
import { A2aError } from "./errors.ts";

const ENDPOINT = { url: "https://a.example/a2a", protocolVersion: "1.0" };

/** Returns a client whose agent sends the same response to every request. */
function clientOf(binding: string, body: unknown): A2aClient {
  const card = {
    name: "a",
    description: "",
    version: "",
    supportedInterfaces: [{ ...ENDPOINT, protocolBinding: binding }],
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  };
  return new A2aClient(card, {
    allowedOrigins: ["https://a.example"],
    fetch: () => Promise.resolve(Response.json(body)),
  });
}

/** A task, of which any member can have any value. */
const NEARLY_TASK = fc.record({
  id: fc.oneof(fc.constant("t1"), fc.jsonValue()),
  contextId: fc.oneof(fc.constant("c1"), fc.jsonValue()),
  status: fc.oneof(
    fc.constant({ state: "TASK_STATE_COMPLETED" }),
    fc.record({
      state: fc.oneof(fc.constantFrom("TASK_STATE_WORKING", 3), fc.jsonValue()),
      message: fc.jsonValue(),
      timestamp: fc.oneof(fc.constant("2026-01-01T00:00:00Z"), fc.jsonValue()),
    }, { requiredKeys: [] }),
  ),
  artifacts: fc.oneof(
    fc.jsonValue(),
    fc.array(fc.record({
      artifactId: fc.constantFrom("a", 1),
      parts: fc.array(
        fc.dictionary(fc.constantFrom("text", "raw", "url", "data", "filename"), fc.jsonValue()),
      ),
    })),
  ),
  history: fc.jsonValue(),
  metadata: fc.jsonValue(),
}, { requiredKeys: [] });

Deno.test("A2aClient returns a valid task, or rejects with INVALID_AGENT_RESPONSE", async () => {
  const bodies = fc.oneof(fc.jsonValue(), NEARLY_TASK);
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom("JSONRPC", "HTTP+JSON"), async (result, binding) => {
      const body = binding === "JSONRPC" ? { jsonrpc: "2.0", id: 1, result } : result;
      // An object with the member `error` is an error of the agent.
      fc.pre(!Object.hasOwn(Object(body), "error"));
      try {
        const task = await clientOf(binding, body).getTask("t1");
        assertEquals([task.id, typeof task.contextId], ["t1", "string"]);
        assert(task.status.state.startsWith("TASK_STATE_"));
        for (const { parts } of task.artifacts ?? []) {
          for (const part of parts) {
            const kinds = ["text", "raw", "url", "data"].filter((name) =>
              Object.hasOwn(part, name)
            );
            assertEquals(kinds.length, 1);
          }
        }
      } catch (error) {
        assert(error instanceof A2aError);
        assertEquals(error.reason, "INVALID_AGENT_RESPONSE");
      }
    }),
    propertyRuns(300),
  );
});

Deno.test("A2aClient rejects with an A2aError whatever error the agent sends", async () => {
  const errors = fc.record({
    code: fc.oneof(fc.integer({ min: -32700, max: -32001 }), fc.jsonValue()),
    message: fc.oneof(fc.string(), fc.jsonValue()),
    data: fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ reason: fc.string(), metadata: fc.jsonValue() })),
    ),
    details: fc.jsonValue(),
  }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(errors, fc.constantFrom("JSONRPC", "HTTP+JSON"), async (error, binding) => {
      const client = clientOf(binding, { jsonrpc: "2.0", id: 1, error });
      const thrown: unknown = await client.getTask("t1").catch((reason: unknown) => reason);
      assert(thrown instanceof A2aError);
      assert(thrown.message.length > 0 && thrown.message.length <= 10_000);
      for (const value of Object.values(thrown.metadata)) assertEquals(typeof value, "string");
    }),
    propertyRuns(300),
  );
});
