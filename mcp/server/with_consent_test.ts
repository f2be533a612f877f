import { assertEquals, assertRejects } from "@std/assert";
import { createMemoryTransport, type InputHandlers, McpClient } from "../client.ts";
import { McpServer, servePipe } from "../server.ts";
import { McpError } from "../shared/error.ts";
import { withConsent } from "./with_consent.ts";

const PAGE = "https://login.example/consent?client=1";

function consentRequired(consentUrl: string | undefined): McpError {
  const page = consentUrl === undefined ? {} : { consentUrl };
  const details = { reason: "r", exchange: "consent_required", ...page } as const;
  return new McpError("auth_error", details, "Cannot exchange the access token: r");
}

/** Calls a tool whose first runs fail, and returns the text, the number of runs and the pages. */
async function call(
  failures: readonly Error[],
  protocol: "modern" | "2025-11-25",
  handlers?: InputHandlers,
) {
  let runs = 0;
  const pages: string[] = [];
  const server = new McpServer({ name: "s", version: "1", onError: () => {} });
  server.registerTool(
    { name: "t", description: "" },
    (_args, context) =>
      withConsent(context, () => {
        const failure = failures[runs++];
        if (failure !== undefined) throw failure;
        return "done";
      }),
  );
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
    protocol,
    handlers: handlers ?? {
      elicitUrl: ({ url }) => {
        pages.push(url);
        return Promise.resolve({ action: "accept" });
      },
    },
  });
  await client.connect();
  const [block] = (await client.callTool("t", {})).content;
  await client.disconnect();
  return { text: block?.type === "text" ? block.text : undefined, runs, pages };
}

for (const protocol of ["modern", "2025-11-25"] as const) {
  // A modern request is sent again with the response of the user, and the handler runs again.
  const repeated = protocol === "modern" ? 1 : 0;

  Deno.test(`withConsent() runs the task again after the user has opened the page (${protocol})`, async () => {
    const { text, runs, pages } = await call([consentRequired(PAGE)], protocol);
    assertEquals([text, runs, pages], ["done", 2, [PAGE]]);
  });

  Deno.test(`withConsent() finds the page in a cause (${protocol})`, async () => {
    const failure = new Error("outer", { cause: consentRequired(PAGE) });
    const { text, pages } = await call([failure], protocol);
    assertEquals([text, pages], ["done", [PAGE]]);
  });

  Deno.test(`withConsent() asks once, and then fails with the error of the task (${protocol})`, async () => {
    const failures = Array.from({ length: 9 }, () => consentRequired(PAGE));
    const { text, runs, pages } = await call(failures, protocol);
    const expected = "Cannot exchange the access token: r";
    assertEquals([text, runs, pages], [expected, 2 + repeated, [PAGE]]);
  });

  Deno.test(`withConsent() fails with the error of the task if the user declines (${protocol})`, async () => {
    for (const action of ["decline", "cancel"] as const) {
      const handlers = { elicitUrl: () => Promise.resolve({ action }) };
      const { text, runs } = await call(
        [consentRequired(PAGE), consentRequired(PAGE)],
        protocol,
        handlers,
      );
      assertEquals([text, runs], ["Cannot exchange the access token: r", 1 + repeated]);
    }
  });

  Deno.test(`withConsent() asks nothing without a page or a client that opens pages (${protocol})`, async () => {
    const failures = [
      new Error("another"),
      consentRequired(undefined),
      consentRequired("no page"),
    ];
    for (const failure of failures) {
      const { text, runs, pages } = await call([failure], protocol);
      assertEquals([text, runs, pages], [failure.message, 1, []]);
    }
    const form = { elicit: () => Promise.resolve({ action: "accept", content: {} } as const) };
    for (const handlers of [{}, form]) {
      const { text, runs } = await call([consentRequired(PAGE)], protocol, handlers);
      assertEquals([text, runs], ["Cannot exchange the access token: r", 1]);
    }
  });
}

Deno.test("withConsent() rejects with the error of a task that throws synchronously", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  const found = Promise.withResolvers<unknown>();
  server.registerTool({ name: "t", description: "" }, async (_args, context) => {
    const failing = withConsent(context, () => {
      throw new TypeError("now");
    });
    found.resolve(await assertRejects(() => failing, TypeError, "now"));
    return "";
  });
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  await client.callTool("t", {});
  await found.promise;
  await client.disconnect();
});
