import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../cli.ts";
import { JsrRegistry, type PackageFile, readTar } from "./local_jsr.ts";

const encoder = new TextEncoder();

function file(path: string, text: string): PackageFile {
  return { path, bytes: encoder.encode(text) };
}

/**
 * Returns a tar entry: a header with name, size, type and prefix, followed by the data in blocks.
 */
function entry(name: string, text: string, { type = "0", prefix = "" } = {}): Uint8Array {
  const data = encoder.encode(text);
  const bytes = new Uint8Array(512 + Math.ceil(data.length / 512) * 512);
  const put = (value: string, at: number) => bytes.set(encoder.encode(value), at);
  put(name, 0);
  put(data.length.toString(8).padStart(11, "0"), 124);
  put(type, 156);
  put(prefix, 345);
  bytes.set(data, 512);
  return bytes;
}

async function tar(...entries: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  return await new Blob([...entries.map((bytes) => bytes.slice()), new Uint8Array(1024)]).bytes();
}

Deno.test("readTar() reads plain, prefixed and long names and ignores folders", async () => {
  const long = "deep/".repeat(30) + "mod.ts";
  const archive = await tar(
    entry("./deno.json", "{}"),
    entry("folder/", "", { type: "5" }),
    entry("mod.ts", "x".repeat(700), { prefix: "a/b" }),
    entry("longlink", `${long}\0`, { type: "L" }),
    entry("short", "gnu"),
    entry("pax", `99 path=${long}2\n`, { type: "x" }),
    entry("short", "pax"),
  );
  const files = readTar(archive).map(({ path, bytes }) => [path, bytes.length]);
  assertEquals(files, [
    ["/deno.json", 2],
    ["/a/b/mod.ts", 700],
    [`/${long}`, 3],
    [`/${long}2`, 3],
  ]);
});

Deno.test("JsrRegistry responds like JSR before, during and after an upload", async () => {
  const registry = new JsrRegistry();
  try {
    const versionUrl = `${registry.url}api/scopes/s/packages/p/versions/1.2.3`;
    const status = async (url: string, init?: RequestInit) => {
      const response = await fetch(url, init);
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await status(`${registry.url}api/scopes/s/packages/p`), 200);
    assertEquals(await status(versionUrl), 404);
    assertEquals(await status(`${registry.url}@s/p/meta.json`), 404);

    const config = entry("deno.json", '{ "exports": "./mod.ts" }');
    const archive = await tar(config, entry("mod.ts", "export {};"));
    const body = new Blob([archive]).stream().pipeThrough(new CompressionStream("gzip"));
    const upload = await fetch(versionUrl, { method: "POST", body });
    assertEquals((await upload.json()).status, "success");

    assertEquals(await status(versionUrl), 200);
    const meta = await fetch(`${registry.url}@s/p/meta.json`);
    assertEquals(await meta.json(), {
      scope: "s",
      name: "p",
      latest: "1.2.3",
      versions: { "1.2.3": {} },
    });
    const version = await (await fetch(`${registry.url}@s/p/1.2.3_meta.json`)).json();
    assertEquals(version.exports, { ".": "./mod.ts" });
    assertEquals(version.manifest["/mod.ts"], {
      size: 10,
      checksum: "sha256-2e29cd9a98755c46896f7a2d56524db2d6d96b248e36db46de14c30bf47c8d05",
    });
    const module = await fetch(`${registry.url}@s/p/1.2.3/mod.ts`);
    assertEquals(module.headers.get("content-type"), "text/typescript");
    assertEquals(await module.text(), "export {};");
    assertEquals(await status(`${registry.url}@s/p/1.2.3/none.ts`), 404);
  } finally {
    await registry.close();
  }
});

Deno.test("JsrRegistry rejects an existing version", async () => {
  const registry = new JsrRegistry();
  const published = { scope: "s", name: "p", version: "1.0.0", files: [file("/deno.json", "{}")] };
  registry.add(published);
  assertThrows(() => registry.add(published), ToolError, "already exists");
  await registry.close();
});
