import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { eventsIn, formatSvg, readDemo } from "./demo_svg.ts";

const LOG = [
  { type: "server", at: 1, name: "npm:@a/files@1.2.3", folder: "/docs" },
  { type: "model_started", at: 2, runId: "r", path: ["clerk"] },
  {
    type: "message",
    at: 3,
    receiver: "clerk",
    verified: true,
    message: { messageType: "request" },
  },
  { type: "message", at: 4, receiver: "clerk", verified: false, message: { messageType: "<b>" } },
  {
    type: "tool_started",
    at: 5,
    runId: "r",
    path: ["librarian"],
    toolCall: { toolName: "read", input: { path: "/docs/a.md" } },
  },
  { type: "run_finished", at: 6, runId: "r", path: ["librarian"], iterations: 4 },
  { type: "answer", at: 7, text: 'A "sentence" & a source.' },
].map((event) => JSON.stringify(event)).join("\n");

Deno.test("readDemo() returns a line for each server, message, tool call and finished run", () => {
  const { lines, answer } = readDemo(LOG);
  assertEquals(lines.map(({ who, text }) => `${who} ${text}`), [
    "server @a/files reads this repository",
    "clerk verified the signed request",
    "clerk refused the signed <b>",
    "librarian calls read a.md",
    "librarian made 4 model calls",
  ]);
  assertEquals(answer, 'A "sentence" & a source.');
});

Deno.test("formatSvg() escapes text, describes the picture, and stops the animation for reduced motion", () => {
  const svg = formatSvg(readDemo(LOG));
  assertEquals(eventsIn(svg), [
    "server",
    "message",
    "message",
    "tool_started read",
    "run_finished",
  ]);
  assertStringIncludes(svg, "clerk refused the signed &lt;b&gt;.");
  assertStringIncludes(svg, "A &quot;sentence&quot; &amp; a source.</desc>");
  assertStringIncludes(
    svg,
    "@media(prefers-reduced-motion:reduce){.row{animation:none;opacity:1}}",
  );
  assert(!/<script|href=|url\(|<b>/.test(svg));
});

Deno.test("docs/public/demo.svg shows two agents that verify messages, and an answer that begins with a sentence", async () => {
  const svg = await Deno.readTextFile(new URL("../../docs/public/demo.svg", import.meta.url));
  const events = eventsIn(svg);
  assertEquals(events.filter((event) => event === "message").length, 3);
  assert(events.includes("tool_started ask_librarian"));
  assert(/The answer: [A-Z][^|]+\. \[/.test(svg));
});
