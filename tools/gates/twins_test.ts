import { assertEquals } from "@std/assert";
import { compareTwins } from "./twins.ts";

const FILES: Readonly<Record<string, string>> = {
  "a/x.ts": `import { A } from "./a.ts";\n\nexport const x = 1;\n`,
  "b/x.ts": `import {\n  A,\n  B,\n} from "../c/a.ts";\n\nexport const x = 1;\n`,
  "c/x.ts": `\nexport const x = 2;\n`,
  "e/x.ts": `import {\n  A,\n} from "./a.ts";\n\nexport const y = 1;\n`,
  "d/x.ts": `\nexport const x = 1;\n// more\n`,
};

async function compare(...files: readonly string[]): Promise<string[]> {
  return await compareTwins([{ files }], (path) => Promise.resolve(FILES[path]));
}

Deno.test("compareTwins() ignores import statements", async () => {
  assertEquals(await compare("a/x.ts", "b/x.ts"), []);
});

Deno.test("compareTwins() names the first line that differs", async () => {
  const advice = "make the same change in each file of the group";
  assertEquals(await compare("a/x.ts", "e/x.ts"), [
    `e/x.ts:5 differs from a/x.ts: expected "export const x = 1;", got "export const y = 1;"; ${advice}`,
  ]);
  assertEquals(await compare("a/x.ts", "c/x.ts", "d/x.ts"), [
    `c/x.ts:2 differs from a/x.ts: expected "export const x = 1;", got "export const x = 2;"; ${advice}`,
    `d/x.ts:3 differs from a/x.ts: expected "", got "// more"; ${advice}`,
  ]);
});

Deno.test("compareTwins() reports missing files and groups with only one file", async () => {
  assertEquals(await compare("a/x.ts", "no.ts"), ["no.ts does not exist"]);
  assertEquals(await compare("no.ts", "a/x.ts"), ["no.ts does not exist"]);
  assertEquals(await compare("a/x.ts"), ["a/x.ts: a group needs at least two files"]);
});
