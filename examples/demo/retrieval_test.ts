import { assert, assertEquals } from "@std/assert";
import { coverage, questionStems, rankPassages, scorePath } from "./retrieval.ts";

Deno.test("questionStems() returns the stems of significant words", () => {
  assertEquals(questionStems("Which keys does it verify?"), questionStems("a key verifies"));
  assertEquals(questionStems("What is it?"), []);
});

Deno.test("scorePath() returns a higher score for prose files and for file names that contain words from the question", () => {
  const stems = questionStems("signing");
  assert(scorePath("/a/signing.md", stems) > scorePath("/a/other.md", stems));
  assert(scorePath("/a/notes.md", stems) > scorePath("/a/notes.ts", stems));
});

Deno.test("rankPassages() ranks the passage with the rarest words first and omits code", () => {
  const text =
    "# Tides\n\nTides follow the moon.\n\n```ts\nconst moon = 'moon moon moon';\n```\n\n" +
    "# Boats\n\nBoats follow the tides, as everybody on this coast knows.";
  const ranked = rankPassages(
    [{ path: "sea.md", text }],
    questionStems("Which boats follow tides?"),
  );
  assertEquals(ranked[0]?.heading, "Boats");
  assert(ranked.every((passage) => !passage.text.includes("const")));
});

Deno.test("rankPassages() adds the column names to each row of a table", () => {
  const text = "# Boats\n\n| name | length | |\n| --- | ---: | --- |\n| *Ada* | 12 m | red |\n" +
    "| Grace | | blue |\n";
  const ranked = rankPassages([{ path: "boats.md", text }], questionStems("What length is Ada?"));
  assertEquals(ranked.map((each) => each.text), ["name: Ada; length: 12 m; red"]);
});

Deno.test("coverage() returns the share of the question's stems that the passages contain", () => {
  const stems = questionStems("boats tides");
  const ranked = rankPassages([{ path: "a", text: "Boats are kept in the harbour." }], stems);
  assertEquals(coverage(ranked, stems), 0.5);
  assertEquals(coverage([], []), 1);
});
