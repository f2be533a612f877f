import { assert, assertEquals } from "@std/assert";
import { createEverythingHandler } from "../drivers/typescript/everything.ts";
import { type HttpReply, type HttpRequest, listenHttp } from "../platform/http.ts";
import { run } from "./run.ts";

/** The everything server over HTTP, which counts its sessions and open responses. */
class CountingServer {
  readonly open: Set<string> = new Set();
  opened = 0;
  responses = 0;
  readonly #handling = createEverythingHandler();

  async handle({ method, path, headers, body, signal }: HttpRequest, reply: HttpReply) {
    const handler = await this.#handling;
    const response = await handler(
      new Request(`http://${headers.host}${path}`, {
        method,
        headers,
        signal,
        ...(method === "POST" ? { body } : {}),
      }),
    );
    const session = response.headers.get("mcp-session-id");
    if (session !== null && new TextDecoder().decode(body).includes('"initialize"')) {
      this.open.add(session);
      this.opened++;
    }
    // The server itself has ended sessions above its limit.
    if (method === "DELETE") this.open.delete(headers["mcp-session-id"] ?? "");
    reply.head(response.status, Object.fromEntries(response.headers));
    this.responses++;
    try {
      for await (const chunk of response.body ?? []) reply.write(chunk);
      reply.end();
    } finally {
      this.responses--;
    }
  }
}

Deno.test("run() ends every session that it has opened, and closes every stream", async () => {
  const server = new CountingServer();
  const listener = await listenHttp((request, reply) => server.handle(request, reply));
  try {
    const report = await run({
      subject: { url: `http://127.0.0.1:${listener.port}/mcp` },
      select: { only: ["mcp/http/*", "mcp/http-session/*", "mcp/lifecycle/*"] },
    });
    assert(report.results.filter(({ verdict }) => verdict === "pass").length > 30);
    assert(server.opened > 20, `${server.opened} sessions were opened`);
    assertEquals([...server.open], []);
    assertEquals(server.responses, 0);
  } finally {
    await listener.close();
  }
});
