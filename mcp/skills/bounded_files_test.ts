import { assert, assertEquals, assertRejects } from "@std/assert";
import { McpError, McpServer } from "../server.ts";
import { memorySkills, serverSkills } from "../skills.ts";

const FILES = {
  "a/SKILL.md": "---\nname: a\ndescription: D\n---\n",
  "b/SKILL.md": "---\nname: b\ndescription: D\n---\n",
};

/** A source whose calls never settle while `isHanging` returns `true`. */
function hangingFiles(isHanging: (method: "list" | "read") => boolean) {
  const files = memorySkills(FILES);
  const never = new Promise<never>(() => {});
  return {
    list: () => isHanging("list") ? never : files.list(),
    read: (path: string) => isHanging("read") ? never : files.read(path),
  };
}

for (const method of ["list", "read"] as const) {
  Deno.test(`serverSkills() ends if "${method}" of the source never settles`, async () => {
    const files = hangingFiles((called) => called === method);
    await assertRejects(
      () => serverSkills({ files, sourceTimeoutMs: 1 }),
      McpError,
      `"files.${method}" timed out after 1 ms`,
    );
  });

  Deno.test(`reload() keeps the skills if "${method}" of the source never settles`, async () => {
    let hangs = false;
    const files = hangingFiles((called) => hangs && called === method);
    const skills = await serverSkills({ files, sourceTimeoutMs: 20 });
    hangs = true;
    await assertRejects(() => skills.reload(), McpError, "timed out after 20 ms");
    assertEquals(skills.entries.length, 2);
    hangs = false;
    await skills.reload();
  });
}

Deno.test("resources/read of a file that is never read receives an error", async () => {
  let hangs = false;
  const files = hangingFiles(() => hangs);
  const skills = await serverSkills({ files, sourceTimeoutMs: 20 });
  const errors: unknown[] = [];
  const server = new McpServer({
    name: "s",
    version: "1",
    extensions: [skills],
    onError: (error) => errors.push(error),
  });
  hangs = true;
  const params = { uri: "skill://a/SKILL.md" };
  const response = await server.exchange(
    { jsonrpc: "2.0", id: 1, method: "resources/read", params },
    {
      client: { protocolVersion: "2026-07-28", capabilities: {} },
      signal: new AbortController().signal,
    },
  );
  assert("error" in response);
  assertEquals(response.error, { code: -32603, message: "Internal error" });
  assert(String(errors[0]).includes("timed out after 20 ms"));
});
