import { assert, assertEquals } from "@std/assert";
import { McpServer, type Principal } from "../server.ts";
import { clientOf, openGateway } from "../testdata/gateway.ts";
import { ANN, BOB, isHidden, lenientClient, senderTo } from "../testdata/hidden_items.ts";

/** Hidden URIs, and URIs that a server may treat as equal, below a visible and broad template. */
const VARIANTS = [
  "n:///secret",
  "n:///s%65cret",
  "n:///%2573ecret",
  "N:///SECRET",
  "n:///secret#x",
  "n:///secret?",
  "n:///./secret",
  "n:///x/../secret",
  "n:///x\\..\\secret",
  "n:///sec\tret",
  "n:///secret/",
  "n:///private/1",
  "n:///%70rivate/1",
  "n:///private%2F1",
  "n:///Private/%31",
  "n:///./private/1",
  "n:///secret?x=1",
  "n:///secret%3Fx=1",
  "n:///secret/?x",
  "n:///secret;v=1",
  "n:///secret.",
  "n:///sec\u200dret",
  "n:///private/1?x=1",
  "n:///private;v=1/1",
  "n:///q?b&id=1",
];

for (const mode of ["allow", "visible", "visible without a gateway"] as const) {
  Deno.test(`a hidden item cannot be read as a URI that resembles it (${mode})`, async () => {
    const hidden = ["n:///secret", "n:///private/{id}", "n:///q?id=1"];
    const isVisible = (name: string, principal: Principal | undefined) =>
      principal?.subject === "ann" || !hidden.includes(name);
    const config = mode === "visible without a gateway"
      ? {
        visible: ({ name }: { name: string }, who: Principal | undefined) => isVisible(name, who),
      }
      : {};
    const server = new McpServer({ name: "n", version: "1", ...config });
    server.registerResource({ uri: "n:///secret", name: "s" }, () => "secret");
    server.registerResource({ uri: "n:///q?id=1", name: "q" }, () => "secret");
    // The server lists this URI, so it is a resource of its own.
    server.registerResource({ uri: "n:///secret?view=public", name: "v" }, () => "public");
    const template = { uriTemplate: "n:///private/{id}", name: "p" };
    server.registerResourceTemplate(template, () => "private");
    server.registerResourceTemplate({ uriTemplate: "n:///{+path}", name: "all" }, (uri) => uri);
    await using gateway = await openGateway({
      s: {
        client: clientOf(server),
        ...(mode === "allow" && { allow: (name, { principal }) => isVisible(name, principal) }),
      },
    }, mode === "visible" ? { visible: ({ name }, who) => isVisible(name, who) } : {});
    const send = senderTo(mode === "visible without a gateway" ? server : gateway.server);
    for (const uri of VARIANTS) {
      const { contents } = await send(BOB, "resources/read", { uri });
      assertEquals(contents, undefined, uri);
    }
    const readable = [
      "n:///public",
      "n:///public?secret",
      "n:///a%20b",
      "n:///private",
      "n:///secret/1",
      "n:///secret?view=public",
      "n:///q?id=2",
    ];
    for (const uri of readable) {
      assert(Array.isArray((await send(BOB, "resources/read", { uri })).contents), uri);
    }
    assert(Array.isArray((await send(ANN, "resources/read", { uri: "n:///s%65cret" })).contents));
  });
}

Deno.test("allow receives an unlisted URI as it is and decoded", async () => {
  await using gateway = await openGateway({
    s: { client: lenientClient(), allow: (name) => !name.startsWith("u://h/private/") },
  });
  const send = senderTo(gateway.server);
  for (
    const uri of ["u://h/private/1", "U://h/private/1", "u://h/%70rivate/1", "u://h/%2570rivate/1"]
  ) {
    assertEquals((await send(BOB, "resources/read", { uri })).contents, undefined, uri);
  }
  assert(Array.isArray((await send(BOB, "resources/read", { uri: "u://h/public/%61" })).contents));
});

Deno.test("an unlisted URI that servers interpret in different ways is not read while anything is hidden", async () => {
  await using gateway = await openGateway({
    s: { client: lenientClient(), allow: (name, { principal }) => !isHidden(name, principal) },
  });
  const send = senderTo(gateway.server);
  const long = `u:///${"x".repeat(9000)}`;
  const unusual = [long, "u:///x/../y", "u:///x\\y", "u:///x\ny", " u:///x", "u:///%zz"];
  for (const uri of [...unusual, "secret://user@/1", "s:///listed-secret?x"]) {
    assertEquals((await send(BOB, "resources/read", { uri })).contents, undefined, uri);
    assert(Array.isArray((await send(ANN, "resources/read", { uri })).contents), uri);
  }
  assert(Array.isArray((await send(BOB, "resources/read", { uri: "u:///x" })).contents));
});
