import { assert } from "@std/assert";

const README = new URL("../../mcp/README.md", import.meta.url);
const PROGRAMS = new URL("programs/", import.meta.url);

Deno.test("the README of mcp shows the tested program of every framework", async () => {
  const readme = await Deno.readTextFile(README);
  for await (const { name } of Deno.readDir(PROGRAMS)) {
    if (name === "server.ts") continue;
    const program = await Deno.readTextFile(new URL(name, PROGRAMS));
    assert(
      readme.includes(`\`\`\`ts ignore\n${program}\`\`\`\n`),
      `${name} is not in mcp/README.md`,
    );
  }
});
