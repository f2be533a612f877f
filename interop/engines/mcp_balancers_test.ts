/**
 * Tests three processes of an MCP server behind nginx and Caddy, with the configurations from the
 * documentation.
 */

import { request } from "node:http";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { McpError } from "@parley/mcp";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { BALANCERS, codeBlocks, startBalancer } from "./balancers.ts";
import { type Cluster, type ClusterOptions, startCluster } from "./mcp_cluster.ts";
import { Client, until } from "./mcp_cluster_client.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const PROTOCOLS = ["2026-07-28", "2025-11-25"] as const;

type Options = Partial<ClusterOptions> & {
  readonly hasAffinity?: boolean;
  /** Whether the processes share a database. */
  readonly isShared?: boolean;
};

interface Setup {
  readonly cluster: Cluster;
  /** Port of the load balancer on 127.0.0.1. */
  readonly port: number;
  /** URL of the MCP endpoint behind the load balancer. */
  readonly url: string;
}

/** Defines a test for each load balancer. */
function test(name: string, options: Options, body: (setup: Setup) => Promise<void>): void {
  const { hasAffinity = false, isShared = false, ...rest } = options;
  for (const { name: program, install, isInstalled } of BALANCERS) {
    const skipped = isInstalled ? "" : ` (skipped: ${program} is not installed; run "${install}")`;
    const ignore = !isInstalled || isShared && !HAS_POSTGRES;
    Deno.test(`${program}: ${name}${skipped}`, { ignore }, async () => {
      await using database = isShared
        ? await startPostgres({ program: POSTGRES_RELEASES[18], settings: { fsync: "off" } })
        : undefined;
      await using cluster = await startCluster({
        leaseMs: 2000,
        key: 7,
        ...(database === undefined ? {} : { database: database.url }),
        ...rest,
      });
      await using balancer = await startBalancer(program, { urls: cluster.urls, hasAffinity });
      const { port } = balancer;
      await body({ cluster, port, url: `http://127.0.0.1:${port}/mcp` });
    });
  }
}

/** Sends an invalid message with a host name. Returns the HTTP status. */
function statusOf(port: number, host: string): Promise<number | undefined> {
  const headers = { host, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    }).on("error", reject).end("{}");
  });
}

function countPaid(cluster: Cluster): number {
  return [0, 1, 2].flatMap((index) => cluster.printed(index))
    .filter((line) => line === "paid").length;
}

test("2026-07-28: calls and input requests work through any replica", {}, async ({ url }) => {
  await using client = await Client.connect(url);
  const names = new Set<string>();
  for (let count = 0; count < 6; count++) names.add(await client.call("who"));
  assertEquals([...names].sort(), ["a", "b", "c"]);
  for (let count = 0; count < 3; count++) assertStringIncludes(await client.call("ask"), ": Ada");
});

test("a request of 4 MB is forwarded", {}, async ({ url }) => {
  await using client = await Client.connect(url);
  const { isError = false } = await client.mcp.callTool("who", { text: "x".repeat(4_190_000) });
  assertEquals(isError, false);
});

for (const protocol of PROTOCOLS) {
  test(`${protocol}: progress arrives during the call, and cancellation reaches the tool`, {
    routes: true,
  }, async ({ cluster, url }) => {
    await using client = await Client.connect(url, protocol);
    const controller = new AbortController();
    // The tool never ends, so a proxy that buffers the response would never forward the progress.
    await assertRejects(() =>
      client.mcp.callTool("pay", {}, {
        signal: controller.signal,
        onProgress: () => controller.abort(),
      })
    );
    await until(() => [0, 1, 2].some((index) => cluster.printed(index).includes("aborted")));
    assertEquals(countPaid(cluster), 1);
  });

  test(`${protocol}: a call whose replica is killed fails and is not sent again`, {
    routes: true,
  }, async ({ cluster, url }) => {
    await using client = await Client.connect(url, protocol);
    const calling = assertRejects(
      () => client.mcp.callTool("pay", {}, { onProgress: () => {} }),
      McpError,
    );
    await until(() => countPaid(cluster) === 1);
    await cluster.kill([0, 1, 2].findIndex((index) => cluster.printed(index).includes("paid")));
    await calling;
    // After a process is killed, at most one further request fails, and a legacy client continues
    // in a new session.
    const names = [];
    for (let count = 0; count < 4; count++) names.push(await client.call("who").catch(() => "?"));
    assert(names.filter((name) => name === "?").length <= 1, names.join());
    assertEquals(countPaid(cluster), 1);
  });
}

test("the server receives the host name that the client has used", {
  allowedHosts: ["mcp.example"],
}, async ({ port }) => {
  assertEquals(await statusOf(port, "mcp.example"), 400);
  assertEquals(await statusOf(port, "other.example"), 403);
});

test("2025-11-25: with affinity, sessions work without sessions.route", {
  hasAffinity: true,
}, async ({ url }) => {
  await using client = await Client.connect(url, "2025-11-25");
  const owner = await client.call("who");
  for (let count = 0; count < 5; count++) assertEquals(await client.call("who"), owner);
  assertEquals(await client.call("ask"), `${owner}: Ada`);
});

for (const protocol of PROTOCOLS) {
  test(`${protocol}: a subscriber receives updates from all replicas`, {
    routes: true,
    isShared: true,
  }, async ({ url }) => {
    await using client = await Client.connect(url, protocol);
    const subscription = await client.mcp.listen({ resourceSubscriptions: ["note:1"] });
    const updates: string[] = [];
    const reading = (async () => {
      for await (const { method } of subscription) updates.push(method);
    })();
    await using other = await Client.connect(url);
    const names = new Set<string>();
    for (let count = 1; count <= 3; count++) {
      names.add(await other.call("touch"));
      // The server combines pending updates for the same resource.
      await until(() => updates.length === count);
    }
    assertEquals(new Set(updates), new Set(["notifications/resources/updated"]));
    assertEquals(names.size, 3);
    await subscription.close();
    await reading;
  });
}

Deno.test("the Kubernetes example sets every environment variable that the program reads", () => {
  const [program = ""] = codeBlocks("ts ignore");
  const [manifests = ""] = codeBlocks("yaml");
  const read = [...program.matchAll(/^const \{ (.*) \} = process\.env;$/gm)]
    .flatMap(([, names = ""]) => names.split(", "));
  const set = [...manifests.matchAll(/^ +- name: ([A-Z_]+)$/gm)].map(([, name = ""]) => name);
  assert(read.length > 0);
  assertEquals(set.sort(), read.sort());
});
