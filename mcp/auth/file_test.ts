import { assert, assertEquals, assertThrows } from "@std/assert";
import { FILE_TESTS } from "../testdata/file_credentials.ts";
import { fileStore } from "./file.ts";

const FILES = new URL("../testdata/file_credentials.ts", import.meta.url).pathname;

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
  for (const value of [0, -1, 1.5, NaN, Infinity]) {
    assertThrows(() => fileStore("a", { maxBytes: value }), RangeError, '"maxBytes" must be');
    assertThrows(() => fileStore("a", { staleMs: value }), RangeError, '"staleMs" must be');
  }
});

Deno.test("fileStore() reads a missing file in a missing folder as empty", async () => {
  assertEquals(await fileStore(`${import.meta.dirname}/missing/a.json`).load("k"), undefined);
});
