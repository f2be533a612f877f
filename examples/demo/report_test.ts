import { assert, assertEquals } from "@std/assert";
import { jsonReport, textReport } from "./report.ts";

const ANSWER = "Roses are pruned in early spring, just above an outward bud.\nNot before.";

function textOf(isTerminal: boolean, columns: number): string {
  let text = "";
  const report = textReport({ write: (more) => text += more, isTerminal, color: false, columns });
  report.tell(ANSWER);
  return text;
}

Deno.test("textReport() wraps an answer between words at the width of a terminal, but not in other output", () => {
  const lines = textOf(true, 40).split("\n");
  assert(lines.every((line) => line.length <= 40), lines.join("\n"));
  assertEquals(lines.join(" ").trim(), ANSWER.replace("\n", " "));
  assertEquals(textOf(false, 40), `\n${ANSWER}\n`);
});

Deno.test("jsonReport() writes only events", () => {
  let text = "";
  const report = jsonReport((more) => text += more);
  report.tell(ANSWER);
  assertEquals(text, "");
  report.show({ who: "demo", event: "answer", text: "the answer:", data: { answer: ANSWER } });
  assertEquals(JSON.parse(text).answer, ANSWER);
});
