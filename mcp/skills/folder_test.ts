import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { McpError } from "../mod.ts";
import { serverSkills } from "../skills.ts";
import { folderSkills } from "./folder.ts";

const FOLDER = new URL("../testdata/skills/", import.meta.url);

/** Creates a folder with a shell script, and removes the folder after the test. */
async function withFolder(script: string, use: (folder: string) => Promise<void>): Promise<void> {
  const sh = async (script: string): Promise<string> => {
    const output = await new Deno.Command("sh", { args: ["-ec", script] }).output();
    assert(output.success, new TextDecoder().decode(output.stderr));
    return new TextDecoder().decode(output.stdout).trim();
  };
  const folder = await sh("mktemp -d");
  try {
    await sh(`cd ${folder}\n${script}`);
    await use(folder);
  } finally {
    await sh(`rm -r ${folder}`);
  }
}

const SKILL =
  "mkdir a b; for s in a b; do printf -- '---\\nname: %s\\ndescription: x\\n---\\n' $s > $s/SKILL.md; done\n";

Deno.test("folderSkills() serves the skills in a folder", async () => {
  for (const folder of [FOLDER, FOLDER.pathname, FOLDER.pathname.slice(0, -1)]) {
    const files = folderSkills(folder);
    assertEquals((await files.list()).toSorted(), [
      "group/refunds/SKILL.md",
      "group/refunds/references/limits.md",
    ]);
    const { entries } = await serverSkills({ files });
    assertEquals(entries.map(({ uri }) => uri), ["skill://group/refunds/SKILL.md"]);
    const bytes = await files.read("group/refunds/references/limits.md");
    assertEquals(new TextDecoder().decode(bytes), "At most 100 euros.\n");
  }
});

Deno.test("a skill with a symbolic link, a pipe or a large file is left out", async () => {
  for (
    const [script, reason] of [
      ["ln -s /etc/hosts a/hosts", "symbolic link"],
      ["ln -s .. a/up", "symbolic link"],
      ["mkfifo a/pipe", "is not a file"],
      ["head -c 101 /dev/zero > a/zeros", '"maxFileBytes" (100)'],
    ] as const
  ) {
    await withFolder(SKILL + script, async (folder) => {
      const errors: unknown[] = [];
      const { entries } = await serverSkills({
        files: folderSkills(folder, { maxFileBytes: 100 }),
        onError: (error) => errors.push(error),
      });
      assertEquals([script, entries.map(({ uri }) => uri)], [script, ["skill://b/SKILL.md"]]);
      assertEquals(errors.length, 1);
      assert(String(errors[0]).includes(reason), String(errors[0]));
    });
  }
});

Deno.test("names that start with a dot are ignored", async () => {
  await withFolder(
    `${SKILL}mkdir .git a/.cache; touch .git/x a/.env a/.cache/y`,
    async (folder) => {
      assertEquals((await folderSkills(folder).list()).toSorted(), ["a/SKILL.md", "b/SKILL.md"]);
    },
  );
});

Deno.test("folderSkills() rejects a folder that is missing or has too many files", async () => {
  const error = await assertRejects(() => folderSkills(FOLDER, { maxFiles: 4 }).list(), McpError);
  assert(error.message.includes('"maxFiles" (4)'), error.message);
  assertEquals((await folderSkills(FOLDER, { maxFiles: 5 }).list()).length, 2);
  await assertRejects(() => serverSkills({ files: folderSkills("/does/not/exist") }), Error);
  await assertRejects(() => folderSkills(FOLDER).read("../http.ts"), Error);
});

Deno.test("folderSkills() rejects invalid options", () => {
  assertThrows(() => folderSkills(""), TypeError, '"folder"');
  assertThrows(() => folderSkills(new URL("https://example.com/")), TypeError);
  assertThrows(() => folderSkills(FOLDER, { maxFiles: 0 }), RangeError, "maxFiles");
  assertThrows(() => folderSkills(FOLDER, { maxFileBytes: 0 }), RangeError, "maxFileBytes");
});
