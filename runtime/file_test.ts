import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { fileStore } from "./file.ts";
import { AgentError } from "./shared/error.ts";
import { FILE_TESTS } from "./testdata/file_stores.ts";

const FILES = new URL("testdata/file_stores.ts", import.meta.url).pathname;

for (const name of FILE_TESTS) {
  Deno.test(`fileStore() ${name}`, async () => {
    const args = ["run", "--quiet", "--no-check", "-A", FILES, name];
    const { success, stderr } = await new Deno.Command("deno", { args }).output();
    assert(success, new TextDecoder().decode(stderr));
  });
}

Deno.test("fileStore() rejects invalid arguments", () => {
  for (const path of [undefined, null, 1, "", new URL("file:///a"), {}]) {
    assertThrows(() => Reflect.apply(fileStore, undefined, [path]), TypeError, '"path" must be');
  }
  for (const maxBytes of [0, -1, 1.5, NaN, Infinity]) {
    assertThrows(() => fileStore("a", { maxBytes }), RangeError, '"maxBytes" must be');
  }
});

Deno.test("fileStore() reads a missing file in a missing folder as an empty text", async () => {
  assertEquals(await fileStore(`${import.meta.dirname}/missing/a.jsonl`).read(), "");
});

Deno.test("fileStore() rejects a folder, and a path through a file", async () => {
  const folder = import.meta.dirname ?? "";
  for (const path of [folder, `${folder}/file_test.ts/a.jsonl`]) {
    await assertRejects(() => fileStore(path).read(), AgentError, `Cannot read "${path}": `);
  }
});

Deno.test("fileStore() reads a file of maxBytes bytes, and rejects a larger file", async () => {
  const path = new URL(import.meta.url).pathname;
  const { size } = await Deno.stat(path);
  assertEquals((await fileStore(path, { maxBytes: size }).read()).length, size);
  const maxBytes = size - 1;
  const reading = fileStore(path, { maxBytes }).read();
  const { code, cause } = await assertRejects(
    () => reading,
    AgentError,
    `exceeds ${maxBytes} bytes`,
  );
  assertEquals([code, cause instanceof RangeError], ["core", true]);
});
