import { assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { NpmRegistry } from "./local_npm.ts";

Deno.test("the registry serves the description and the tarball of a package", async () => {
  const registry = new NpmRegistry();
  try {
    const manifest = { name: "@parley/example", version: "1.2.3" };
    const tarball = new Uint8Array([1, 2, 3]);
    registry.add({ manifest, tarball });
    const [, url = ""] = /^@parley:registry=(.+)\n$/.exec(registry.npmrc) ?? [];
    const description = await (await fetch(new URL("@parley%2Fexample", url))).json();
    assertEquals(description["dist-tags"], { latest: "1.2.3" });
    const { dist, ...rest } = description.versions["1.2.3"];
    assertEquals(rest, manifest);
    const served = await (await fetch(dist.tarball)).bytes();
    assertEquals(served, tarball);
    const digest = createHash("sha512").update(served).digest("base64");
    assertEquals(dist.integrity, `sha512-${digest}`);
    const other = await fetch(new URL("@parley%2Fother", url));
    await other.body?.cancel();
    assertEquals(other.status, 404);
  } finally {
    await registry.close();
  }
});
