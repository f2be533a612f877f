import { assertEquals, assertThrows } from "@std/assert";
import { checkSpecification } from "./build_clauses.ts";
import { type Clause, findProblems, parseClauses } from "./clauses.ts";

const CLAUSE: Clause = {
  id: "COMM-X-1",
  level: "MUST",
  text: "It MUST work.",
  source: "decision: it is useful",
  refs: [],
  state: "tested",
};

Deno.test("the specification is consistent, and matches the cases and clauses.json", async () => {
  assertEquals(await checkSpecification(), []);
});

Deno.test("parseClauses() reads the id, the level, the text, the state and the sources", () => {
  const markdown = `# Title

## Part

### COMM-X-1

It SHOULD work
on two lines.

> planned · [RFC 1 §2](https://example.org/1#2) · decision: it
> is useful

## Next part

### COMM-X-2

It MUST NOT break.

> excluded, not observable: it is inside · decision: because
`;
  assertEquals(parseClauses(markdown), [
    {
      id: "COMM-X-1",
      level: "SHOULD",
      text: "It SHOULD work on two lines.",
      source: "RFC 1 §2; decision: it is useful",
      refs: ["https://example.org/1#2"],
      state: "planned",
    },
    {
      id: "COMM-X-2",
      level: "MUST",
      text: "It MUST NOT break.",
      source: "decision: because",
      refs: [],
      state: "excluded",
      reason: "not observable: it is inside",
    },
  ]);
});

Deno.test("parseClauses() rejects an incomplete clause and names the missing part", () => {
  const faults = [
    ["### lower-1\n\nIt MUST.\n\n> tested · decision: x", '"lower-1" is not a valid clause id'],
    ["### X-1\n\nIt MUST.\n", 'X-1 does not end with "> state · sources"'],
    ["### X-1\n\nIt MUST.\n\n> tested\n", "X-1 has no source"],
    ["### X-1\n\nIt must.\n\n> tested · decision: x", "X-1 contains none of MUST, SHOULD and MAY"],
    ["### X-1\n\nIt MUST.\n\n> done · decision: x", 'X-1 has the unknown state "done"'],
  ] as const;
  for (const [markdown, message] of faults) {
    assertThrows(() => parseClauses(markdown), SyntaxError, message);
  }
});

Deno.test("findProblems() accepts clauses whose states match the cases", () => {
  const planned: Clause = { ...CLAUSE, id: "COMM-X-2", state: "planned" };
  assertEquals(findProblems([CLAUSE, planned], [{ id: "comm/x/a", clauses: ["COMM-X-1"] }]), []);
});

Deno.test("findProblems() names every clause or case with an inconsistency", () => {
  const named = [{ id: "comm/x/a", clauses: ["COMM-X-1"] }];
  const table: readonly (readonly [Partial<Clause>, string])[] = [
    [{}, "COMM-X-1 is tested, but no case lists it"],
    [
      { state: "excluded", reason: "too hard" },
      "COMM-X-1 is an observable MUST and must not be excluded",
    ],
  ];
  for (const [change, problem] of table) {
    assertEquals(findProblems([{ ...CLAUSE, ...change }], []), [problem]);
  }
  assertEquals(findProblems([CLAUSE, CLAUSE], named), ["duplicate clause COMM-X-1"]);
  assertEquals(findProblems([{ ...CLAUSE, state: "planned" }], named), [
    "COMM-X-1 is planned, but a case lists it",
  ]);
  assertEquals(findProblems([], named), [
    "comm/x/a lists COMM-X-1, which is not a clause",
  ]);
});

Deno.test("findProblems() names every MUST case whose clauses only contain SHOULD", () => {
  const clauses: readonly Clause[] = [
    { ...CLAUSE, level: "SHOULD", text: "It SHOULD work." },
    { ...CLAUSE, id: "COMM-X-2", level: "SHOULD", text: "It SHOULD work, and MUST stop." },
    { ...CLAUSE, id: "COMM-X-3", level: "MAY", text: "It MAY work." },
  ];
  const levels = [["a", "COMM-X-1"], ["b", "COMM-X-2"], ["c", "COMM-X-3"]] as const;
  const cases = levels.map(([id, clause]) => ({ id, level: "MUST", clauses: [clause] }));
  const optional = { id: "d", level: "SHOULD", clauses: ["COMM-X-1"] };
  assertEquals(findProblems(clauses, [...cases, optional]), [
    "a has the level MUST, but none of its clauses contains MUST",
  ]);
});

Deno.test("build_clauses.ts prints its usage and writes nothing if a flag is unknown", async () => {
  const program = new URL("build_clauses.ts", import.meta.url).pathname;
  const { code, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-prompt", "--allow-read", program, "--chekc"],
    stdout: "null",
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "Usage: build_clauses.ts [--check]\n");
  assertEquals(code, 2);
});
