import { assertEquals, assertStringIncludes } from "@std/assert";
import { rankSentences } from "./embedded_model.ts";
import { QUESTION } from "./main.ts";

const README = new URL("../../comm/README.md", import.meta.url);

Deno.test("rankSentences() returns a complete sentence for the default question of the demo", async () => {
  const text = await Deno.readTextFile(README);
  const [best] = rankSentences(QUESTION, [{ path: "comm/README.md", text }]);
  assertStringIncludes(best?.text ?? "", "An intermediary can change members");
});

Deno.test("rankSentences() skips tables, code and fragments, and removes formatting", () => {
  const text =
    "# Boats\n\n| Boats | Follow tides |\n| --- | --- |\n\n```ts\nBoats follow tides.\n```\n" +
    "- Boats follow tides:\n- Boats of *this* [coast](x.md) follow the tides.\n";
  const texts = rankSentences("Do boats follow tides?", [{ path: "a", text }]).map((one) =>
    one.text
  );
  assertEquals(texts, ["Boats of this coast follow the tides."]);
});
