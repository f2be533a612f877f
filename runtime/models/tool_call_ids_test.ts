import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import {
  ANTHROPIC_CALL_IDS,
  MISTRAL_CALL_IDS,
  OPENAI_CALL_IDS,
  RESPONSES_CALL_IDS,
  toWireCallId,
} from "./tool_call_ids.ts";

const ALL = [ANTHROPIC_CALL_IDS, OPENAI_CALL_IDS, RESPONSES_CALL_IDS, MISTRAL_CALL_IDS];

Deno.test("toWireCallId() keeps the ids that each API creates", () => {
  const own = [
    ["toolu_01A09q90qw90lq917835lq9", ANTHROPIC_CALL_IDS],
    ["call_MP5cGwK3rYyPZyJqkWxSJk8Z", OPENAI_CALL_IDS],
    ["functions.get_weather:0", OPENAI_CALL_IDS],
    ["D681PevKs", MISTRAL_CALL_IDS],
  ] as const;
  for (const [id, rules] of own) assertEquals(toWireCallId(id, rules), id);
});

Deno.test("toWireCallId() encodes the ids of other APIs and of the loop", () => {
  const foreign = ["functions.Bash:0", "call_1~2", "", "a".repeat(65), "é", "\ud83d", "a b\n"];
  for (const id of foreign) {
    assertMatch(toWireCallId(id, ANTHROPIC_CALL_IDS), /^[A-Za-z0-9_-]{1,64}$/);
    assert(toWireCallId(id, OPENAI_CALL_IDS).length <= 40);
    assertMatch(toWireCallId(id, MISTRAL_CALL_IDS), /^[A-Za-z0-9]{9}$/);
  }
  for (const rules of ALL) {
    const ids = ["call_0", "call_0~1", "call_0~2", "call_0_1", "call_00", "", ...foreign];
    const unlike = new Set(ids);
    assertEquals(new Set([...unlike].map((id) => toWireCallId(id, rules))).size, unlike.size);
  }
});

Deno.test("toWireCallId() returns an accepted id for every text, and keeps its own results", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (id) => {
      for (const rules of ALL) {
        const wireId = toWireCallId(id, rules);
        assertMatch(wireId, rules.accepted);
        assertEquals(toWireCallId(wireId, rules), wireId);
      }
    }),
    propertyRuns(200),
  );
});
