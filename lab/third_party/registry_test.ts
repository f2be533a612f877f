import { assertEquals, assertStringIncludes } from "@std/assert";
import { findRegistryProblem } from "./registry.ts";

const SUBJECT = { package: "@them/loop, other", version: "1.2.3, 4" };
const { signal } = new AbortController();

/** Starts a registry. The handler can keep a request open until the returned function is called. */
function serve(handler: (path: string) => Response | Promise<Response>) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => handler(new URL(request.url).pathname),
  );
  return { registry: `http://127.0.0.1:${server.addr.port}/npm`, close: () => server.shutdown() };
}

Deno.test("findRegistryProblem() returns nothing if the registry has the version", async () => {
  const paths: string[] = [];
  const { registry, close } = serve((path) => {
    paths.push(path);
    return Response.json({});
  });
  assertEquals(await findRegistryProblem(SUBJECT, { registry, signal }), undefined);
  assertEquals(paths, ["/npm/@them%2floop/1.2.3"]);
  await close();
});

Deno.test("findRegistryProblem() tells a missing package from a broken and a silent registry", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const answers = [new Response("", { status: 404 }), new Response("", { status: 503 }), promise];
  const { registry, close } = serve(() => answers.shift() ?? new Response());
  const ask = (): Promise<string | undefined> =>
    findRegistryProblem(SUBJECT, { registry, signal, limitMs: 300 });
  assertEquals(await ask(), `the registry ${registry} has no package @them/loop@1.2.3`);
  assertEquals(await ask(), `the registry ${registry} returns status 503`);
  assertEquals(await ask(), `the registry ${registry} sends no response within 300 ms`);
  resolve(new Response());
  await close();
  assertStringIncludes(await ask() ?? "", `the registry ${registry} cannot be reached: `);
});

Deno.test("findRegistryProblem() asks nothing about packages of other registries", async () => {
  const subject = { ...SUBJECT, build: "go/mcp" };
  const registry = "http://127.0.0.1:1/";
  assertEquals(await findRegistryProblem(subject, { registry, signal }), undefined);
});
