import { assertEquals, assertRejects } from "@std/assert";
import { tokenExchange } from "../auth.ts";
import { createMemoryTransport, McpClient } from "../client.ts";
import { McpError } from "../openapi.ts";
import { McpServer, servePipe } from "../server.ts";
import { recorder, singleTool } from "../testdata/openapi.ts";

const CONSENT = "https://login.example/consent";

/** The failure of an exchange that needs the consent of the user. */
function consentRequired(): McpError {
  return new McpError(
    "auth_error",
    { reason: "planted", exchange: "consent_required", consentUrl: CONSENT },
    "Cannot exchange the access token: planted",
  );
}

Deno.test("a failed exchange in headers() or query() keeps its kind", async () => {
  const exchange = tokenExchange({ tokenUrl: "https://login.example/token", clientId: "c" });
  for (const name of ["headers", "query"] as const) {
    const option = async () => ({
      authorization: await exchange(undefined, { resource: "https://api.example" }),
    });
    const { fetch, requests } = recorder();
    const api = singleTool({ operation: {} }, { fetch, [name]: option });
    const error = await assertRejects(() => api.callTool("op", {}), McpError);
    assertEquals([error.code, error.details], [
      "auth_error",
      { reason: `the option "${name}" failed`, exchange: "no_token" },
    ]);
    assertEquals(requests, []);
  }
});

Deno.test("a failure that needs the consent of the user keeps the page", async () => {
  const { fetch } = recorder();
  const headers = () => Promise.reject(consentRequired());
  const api = singleTool({ operation: {} }, { fetch, headers });
  const error = await assertRejects(() => api.callTool("op", {}), McpError);
  assertEquals(error.details, {
    reason: 'the option "headers" failed',
    exchange: "consent_required",
    consentUrl: CONSENT,
  });
  assertEquals(error.message.includes("planted"), false);
});

for (const protocol of ["modern", "2025-11-25"] as const) {
  Deno.test(`a registered operation is called after the consent of the user (${protocol})`, async () => {
    const { fetch, requests } = recorder();
    const errors: string[] = [];
    let hasConsent = false;
    const headers = () =>
      hasConsent
        ? Promise.resolve({ authorization: "Bearer t" })
        : Promise.reject(consentRequired());
    const server = new McpServer({ name: "s", version: "1" });
    singleTool({ operation: {} }, {
      fetch,
      headers,
      onError: (error) => errors.push(String(error)),
    }).register(server);
    const client = new McpClient({
      transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
      protocol,
      handlers: {
        elicitUrl: ({ url }) => {
          assertEquals(url, CONSENT);
          hasConsent = true;
          return Promise.resolve({ action: "accept" });
        },
      },
    });
    await client.connect();
    assertEquals((await client.callTool("op", {})).isError, undefined);
    assertEquals(requests.length, 1);
    assertEquals(
      new Set(errors),
      new Set(['McpError: Cannot authorize the request: the option "headers" failed']),
    );
    await client.disconnect();
  });
}
