import { assert, assertEquals } from "@std/assert";
import { parseCaseFile } from "./kit/load.ts";
import { loadSuite } from "./suite.ts";

const CASES = new URL("./cases/", import.meta.url);

async function listFiles(folder: URL): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) found.push(...await listFiles(url));
    else if (name.endsWith(".json")) found.push(url.pathname.slice(CASES.pathname.length));
  }
  return found.sort();
}

Deno.test("loadSuite() reads every case file of the folder, in the order of their names", async () => {
  const list = await Deno.readTextFile(new URL("./suite.ts", import.meta.url));
  const imported = [...list.matchAll(/from "\.\/cases\/([^"]+)"/g)].map(([, path]) => path ?? "");
  const keyed = [...list.matchAll(/^ {2}\["([^"]+)"/gm)].map(([, path]) => path ?? "");
  assertEquals(imported, await listFiles(CASES));
  assertEquals(keyed, imported);
});

Deno.test("every case file of the folder keeps to the format", async () => {
  let count = 0;
  for (const path of await listFiles(CASES)) {
    count += parseCaseFile(await Deno.readTextFile(new URL(path, CASES)), path).cases.length;
  }
  assertEquals(count, loadSuite().size);
});

Deno.test("loadSuite() gives every negative case a control twin", () => {
  for (const { kind, id, control, ...rest } of loadSuite().values()) {
    if (kind !== "vector" || control !== undefined || !("rows" in rest)) continue;
    const negative = rest.rows.every(({ expect }) => "error" in expect);
    assert(!negative, `${id} expects only refusals and names no control`);
  }
});
