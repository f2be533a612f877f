import { assertEquals, assertMatch } from "@std/assert";
import { loadSuite } from "../../conformance/suite.ts";
import { caseRevision } from "../../conformance/runner/case_digest.ts";
import { findAffected } from "./affected.ts";
import type { Change } from "./change.ts";
import type { Laboratory } from "./laboratory.ts";
import { type MemberMutant, REPOSITORY } from "./workspace.ts";

const SUITE = loadSuite();
const SAMPLE = "comm/canonical-json/sample";
const TOOL = "mcp/tools/call";

function mutant(id: string, file: string, ...kills: readonly string[]): MemberMutant {
  return { kills, rows: [], id, title: "t", file, find: "a", replace: "b" };
}

const MEMBERS = [
  mutant("comm-json-a", "comm/json.ts", SAMPLE),
  mutant("comm-json-b", "comm/json.ts", SAMPLE),
  mutant("mcp-tools-a", "mcp/tools.ts", TOOL),
];

const LABORATORY: Laboratory = {
  members: MEMBERS,
  faults: [{
    id: "wire-a",
    rule: { id: "wire-a", title: "t" },
    transport: "stdio",
    kills: [TOOL].flatMap((id) => SUITE.get(id) ?? []),
  }],
  controls: [{
    id: "control-a",
    rule: { id: "control-a", title: "t" },
    transport: "http",
    kills: [],
  }],
  idle: [{ id: "null-a", subject: { server: ["true"] } }],
};

const CASE_FILES = new Map([
  ["conformance/cases/comm/a.json", [SAMPLE]],
  ["conformance/cases/mcp/a.json", [TOOL]],
]);

function affected(...files: readonly string[]) {
  return idsAffected({ files: new Set(files) });
}

function idsAffected(change: Partial<Change>) {
  const found = findAffected(LABORATORY, SUITE, {
    files: new Set(),
    caseFiles: CASE_FILES,
    oldCases: new Map(),
    oldMutants: new Map(MEMBERS.map((each) => [each.id, JSON.stringify(each)])),
    ...change,
  });
  return found.flatMap(({ ids }) => ids);
}

Deno.test("findAffected() selects the mutants of a changed file, and nothing for a change elsewhere", () => {
  assertEquals(affected("comm/json.ts"), ["comm-json-a", "comm-json-b"]);
  assertEquals(affected("comm/other.ts", "docs/style.md", "lab/selftest/main_test.ts"), []);
});

Deno.test("findAffected() selects the mutants and faults that a changed case detects", () => {
  const files = new Set(["conformance/cases/mcp/a.json"]);
  assertEquals(idsAffected({ files }), ["mcp-tools-a", "wire-a"]);
  assertEquals(idsAffected({ files, oldCases: new Map([[TOOL, "00000000"]]) }), [
    "mcp-tools-a",
    "wire-a",
  ]);
});

Deno.test("findAffected() ignores a case that only moved to another file", () => {
  const each = SUITE.get(TOOL);
  const oldCases = new Map(each === undefined ? [] : [[TOOL, caseRevision(each)]]);
  const files = new Set(["conformance/cases/mcp/a.json", "conformance/cases/mcp/deleted.json"]);
  assertEquals(idsAffected({ files, oldCases }), []);
});

Deno.test("findAffected() selects new and edited mutants, and all faults if their list changed", () => {
  const edited = JSON.stringify({ ...MEMBERS[1], replace: "c" });
  const oldMutants = new Map([["comm-json-b", edited], [
    "mcp-tools-a",
    JSON.stringify(MEMBERS[2]),
  ]]);
  assertEquals(idsAffected({ oldMutants }), ["comm-json-a", "comm-json-b"]);
  assertEquals(affected("lab/mutants/wire_faults.json"), ["wire-a"]);
});

Deno.test("findAffected() selects a mutant for each case file and everything on the wire if the harness changed", () => {
  const all = ["comm-json-a", "mcp-tools-a", "wire-a", "control-a", "null-a"];
  for (
    const file of [
      "conformance/kinds/exchange.ts",
      "conformance/runner/run.ts",
      "conformance/drivers/typescript/parley.ts",
      "lab/selftest/relay.ts",
      "deno.lock",
    ]
  ) {
    assertEquals(affected(file), all, file);
  }
  assertEquals(affected("lab/selftest/random/operators.ts", "conformance/cli.ts"), []);
});

Deno.test("readChange() compares committed, uncommitted and new files with a commit", async () => {
  const program = `
    import { readChange } from "${new URL("change.ts", import.meta.url)}";
    const change = await readChange(new URL("file://" + Deno.args[0] + "/"), "HEAD~1");
    console.log(JSON.stringify(change, (_, value) =>
      value instanceof Map ? Object.fromEntries(value) : value instanceof Set ? [...value] : value));
  `;
  // The tests cannot write files, so a shell creates the repository.
  const script = `
    set -e
    folder=$(mktemp -d); cd "$folder"
    export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com
    export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com
    git init --quiet
    mkdir -p conformance/cases/comm lab/mutants/members comm
    cp "$CASE_FILE" conformance/cases/comm/changed.json
    cp "$CASE_FILE" conformance/cases/comm/same.json
    echo '[{"id":"comm-x-a","title":"t"}]' > lab/mutants/members/comm.json
    echo 1 > comm/a.ts; echo 1 > comm/b.ts; echo 1 > comm/c.ts
    git add . && git commit --quiet --message first
    echo 2 > comm/a.ts; echo '{}' > conformance/cases/comm/changed.json
    git rm --quiet comm/c.ts
    git add . && git commit --quiet --message second
    echo 2 > comm/b.ts; echo 2 > comm/new.ts
    cd "$ROOT"; deno eval --ext=ts "$PROGRAM" "$folder"
    rm -rf "$folder"`;
  const { stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", script],
    env: {
      PROGRAM: program,
      ROOT: REPOSITORY.pathname,
      CASE_FILE: new URL("conformance/testdata/exchange.json", REPOSITORY).pathname,
    },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  const change = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(change.files.toSorted(), [
    "comm/a.ts",
    "comm/b.ts",
    "comm/c.ts",
    "comm/new.ts",
    "conformance/cases/comm/changed.json",
  ]);
  assertEquals(change.oldMutants, {
    "comm-x-a": '{"kills":[],"rows":[],"id":"comm-x-a","title":"t"}',
  });
  assertEquals(change.caseFiles["conformance/cases/comm/changed.json"], []);
  const ids: readonly string[] = change.caseFiles["conformance/cases/comm/same.json"];
  assertEquals(Object.keys(change.oldCases), ids);
  for (const id of ids) assertMatch(change.oldCases[id], /^[0-9a-f]{8}$/);
});
