import { assert, assertEquals } from "@std/assert";

const FOLDER = new URL(".", import.meta.url);
const INDEX = await Deno.readTextFile(new URL("README.md", FOLDER));
const [GALLERY = "", OTHERS = ""] = INDEX.split("## Larger programs");
const NAMES = listNames(GALLERY);
const MAX_LINES = 80;

/** Returns the folder names in the first column of a table. */
function listNames(text: string): string[] {
  return [...text.matchAll(/^\| \[?`(\w+)`/gm)].map(([, name = ""]) => name);
}

/** Runs commands in an empty folder, and returns their output. */
async function runCommands(commands: string): Promise<string> {
  const script = `folder=$(mktemp -d)\ntrap 'rm -r "$folder"' EXIT\ncd "$folder"\n${commands}`
    .replaceAll("deno run ", "deno run --quiet --no-prompt ")
    .replaceAll("examples/", FOLDER.pathname);
  const { stdout, stderr } = await new Deno.Command("sh", {
    args: ["-e", "-c", script],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}

for (const name of NAMES) {
  Deno.test(`examples/${name} prints the output in its README, which has one paragraph`, async () => {
    const readme = await Deno.readTextFile(new URL(`${name}/README.md`, FOLDER));
    const parts = /^# .+\n\n(.+)\n\n```sh\n(.+)```\n\n```text\n(.+)```\n$/s.exec(readme);
    assert(parts !== null, "a README has a title, a paragraph, commands and their output");
    const [, paragraph = "", commands = "", output] = parts;
    assert(!paragraph.includes("\n\n"), "the description is one paragraph");
    assertEquals(await runCommands(commands), output);
  });
}

Deno.test("the gallery has at least 10 programs of at most 80 lines", async () => {
  assert(NAMES.length >= 10);
  for (const name of NAMES) {
    const text = await Deno.readTextFile(new URL(`${name}/main.ts`, FOLDER));
    const lines = text.trimEnd().split("\n").length;
    assert(lines <= MAX_LINES, `${name}: ${lines} lines`);
    assert(!/from "\.{1,2}\//.test(text), `${name} imports no other file`);
  }
});

Deno.test("the index lists every folder of examples, and the site shows every program of the gallery", async () => {
  const folders = Array.from(Deno.readDirSync(FOLDER)).filter(({ isDirectory }) => isDirectory);
  assertEquals([...NAMES, ...listNames(OTHERS)].sort(), folders.map(({ name }) => name).sort());
  const page = await Deno.readTextFile(new URL("../docs/examples.md", FOLDER));
  const shown = [...page.matchAll(/^<<< \.\.\/examples\/(\w+)\/main\.ts$/gm)].map(([, name]) =>
    name
  );
  assertEquals(shown, [...NAMES, "expense_agent"]);
});
