import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { main } from "./init.ts";

const PROGRAM = new URL("init.ts", import.meta.url).pathname;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command in this process, which is not permitted to write files. */
async function run(...args: readonly string[]): Promise<Ended> {
  let [out, err] = ["", ""];
  const code = await main(args, {
    out: (text) => out += text,
    err: (text) => err += text,
  });
  return { code, out, err };
}

/**
 * Runs a shell script in a new folder. The shell function `init` runs the command with all
 * permissions.
 */
async function sh(script: string): Promise<Ended> {
  const head = `set -e; folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"
    init() { deno run --quiet --no-check -A "$PROGRAM" "$@"; }\n`;
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", head + script],
    env: { NO_COLOR: "1", PROGRAM },
  }).output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

Deno.test("init creates an agent with its configuration, and prints the next commands", async () => {
  const { code, out, err } = await sh(
    "init agent my-agent; ls -A my-agent; cat my-agent/package.json",
  );
  assertEquals([code, err], [0, ""]);
  assertStringIncludes(
    out,
    'Created "my-agent" with 9 files. Next:\n\n  cd my-agent\n  npm install ',
  );
  const files = [
    ".gitignore",
    "README.md",
    "agent.ts",
    "agent_test.ts",
    "deno.json",
    "main.ts",
    "model.ts",
    "package.json",
    "tsconfig.json",
  ];
  for (const file of files) assertStringIncludes(out, `\n${file}\n`);
  const manifest = JSON.parse(out.slice(out.indexOf("{")));
  assertEquals([manifest.name, manifest.type, manifest.private], ["my-agent", "module", true]);
  const { version } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", import.meta.url)),
  );
  assertEquals(manifest.dependencies, { "@parley/runtime": `^${version}` });
});

Deno.test("init accepts the word init before the kind, and a path of a folder", async () => {
  const { code, out } = await sh(
    "mkdir apps; init init team apps/my-team; cat apps/my-team/package.json",
  );
  assertEquals(code, 0);
  assertStringIncludes(out, "  cd apps/my-team\n");
  assertStringIncludes(out, '"name": "my-team"');
});

Deno.test("init does not change a folder or a file that exists", async () => {
  const folder = await sh("mkdir mine; echo text > mine/a; init agent mine || cat mine/*");
  assertEquals(folder.out, "text\n");
  assertStringIncludes(folder.err, 'Cannot create "mine": it already exists\n');
  const file = await sh("echo text > mine; init agent mine || cat mine");
  assertEquals([file.out, file.err], ["text\n", folder.err]);
});

Deno.test("init names the reason why a folder cannot be created", async () => {
  const missing = await sh("init agent none/my-agent");
  assertEquals(missing.code, 2);
  assertStringIncludes(
    missing.err,
    'Cannot create "none/my-agent": the folder "none" does not exist\n',
  );
  const inFile = await sh("touch file; init agent file/my-agent");
  assertEquals(inFile.code, 2);
  assertStringIncludes(inFile.err, 'Cannot create "file/my-agent": "file" is not a folder\n');
});

Deno.test("init reports in one sentence that writing is not permitted", async () => {
  const { code, out, err } = await run("agent", "my-agent");
  assertEquals([code, out], [2, ""]);
  assert(
    /^Cannot create "my-agent": Requires write access to [^\n]+\nRun [^\n]+\n$/.test(err),
    err,
  );
});

const INVALID: readonly (readonly [args: readonly string[], reason: string])[] = [
  [[], 'Cannot create a project: the kind is missing; it must be "agent", "team" or "acp"'],
  [["init"], 'Cannot create a project: the kind is missing; it must be "agent", "team" or "acp"'],
  [
    ["robot", "x"],
    'Cannot create a project: the kind must be "agent", "team" or "acp", got "robot"',
  ],
  [
    ["toString", "x"],
    'Cannot create a project: the kind must be "agent", "team" or "acp", got "toString"',
  ],
  [
    ["agent"],
    'Cannot create a project: the folder is missing; use, for example, "init agent my-agent"',
  ],
  [
    ["team", ""],
    'Cannot create a project: the folder is missing; use, for example, "init team my-team"',
  ],
  [["agent", "a", "b"], 'Invalid arguments: unexpected "b"'],
  ...["My-Agent", "my agent", "1st", "-y", "a\nb", "node_modules", "/", "a".repeat(101)].map(
    (folder): [readonly string[], string] => [
      ["agent", folder],
      `Cannot create ${
        JSON.stringify(folder)
      }: the name of the folder must start with a lowercase letter and ` +
      "consist of at most 100 lowercase letters, digits and hyphens",
    ],
  ),
];

for (const [args, reason] of INVALID) {
  Deno.test(`init rejects the arguments ${JSON.stringify(args).slice(0, 40)}`, async () => {
    const hint = 'Run "npx @parley/runtime --help" for usage.';
    assertEquals(await run(...args), { code: 2, out: "", err: `${reason}\n${hint}\n` });
  });
}

Deno.test("init --help shows the usage", async () => {
  for (const args of [["--help"], ["-h"], ["help"], ["init", "--help"]]) {
    const { code, out, err } = await run(...args);
    assertEquals([code, err], [0, ""]);
    assertStringIncludes(out, "npx @parley/runtime init KIND FOLDER\n");
  }
});

Deno.test("main() escapes invisible characters of its arguments", async () => {
  const { code, err } = await run("init", "robot\u202e\u200b", "r");
  assertEquals(code, 2);
  assertStringIncludes(err, 'got "robot\\u{202e}\\u{200b}"\n');
});
