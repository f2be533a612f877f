/** Tests three processes of an MCP server behind a load balancer without session affinity. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { McpError } from "@parley/mcp";
import { connectSdkV1 } from "../clients/sdk_v1.ts";
import { connectSdkV2 } from "../clients/sdk_v2.ts";
import type { ThirdPartyClient } from "../clients/client.ts";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { Client, until } from "./mcp_cluster_client.ts";
import { type Cluster, type ClusterOptions, startCluster } from "./mcp_cluster.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const LEASE_MS = 2000;
const ignore = !HAS_POSTGRES;

async function withCluster(
  options: Partial<ClusterOptions> & { readonly isShared?: boolean },
  body: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const { isShared = true, ...rest } = options;
  await using database: Postgres | undefined = isShared
    ? await startPostgres({ program: POSTGRES_RELEASES[18], settings: { fsync: "off" } })
    : undefined;
  await using cluster = await startCluster({
    leaseMs: LEASE_MS,
    ...(database === undefined ? {} : { database: database.url }),
    ...rest,
  });
  await body(cluster);
}

Deno.test(
  "2026-07-28: calls, input requests and tasks work through any replica",
  { ignore },
  async () => {
    await withCluster({ key: 7 }, async (cluster) => {
      await using client = await Client.connect(cluster.url);
      const names = new Set<string>();
      for (let count = 0; count < 6; count++) names.add(await client.call("who"));
      assertEquals([...names].sort(), ["a", "b", "c"]);
      for (let count = 0; count < 3; count++) {
        assertStringIncludes(await client.call("ask"), ": Ada");
        assertStringIncludes(await client.call("ask_task"), ": Ada");
        assertEquals((await client.call("quick_task")).length, 1);
      }
    });
  },
);

Deno.test(
  "2026-07-28: tasks/cancel on one replica aborts a task on another",
  { ignore },
  async () => {
    await withCluster({ key: 7 }, async (cluster) => {
      await using client = await Client.connect(cluster.url);
      cluster.pin(0);
      const { taskId, ended } = await client.startTask("task");
      cluster.pin(1);
      await client.tasks.cancel(taskId);
      await until(() => cluster.printed(0).includes("aborted"));
      await ended;
      assertEquals((await client.tasks.get(taskId)).status, "cancelled");
    });
  },
);

Deno.test("2026-07-28: a task of a killed replica fails within the lease", { ignore }, async () => {
  await withCluster({ key: 7 }, async (cluster) => {
    await using client = await Client.connect(cluster.url);
    cluster.pin(2);
    const { taskId, ended } = await client.startTask("task");
    cluster.pin(undefined);
    await cluster.kill(2);
    const killedAt = performance.now();
    await ended;
    const took = performance.now() - killedAt;
    const task = await client.tasks.get(taskId);
    assertEquals(task.status, "failed");
    assertEquals(task.statusMessage, "The process that ran the task has ended");
    // The client polls, so it learns the state some time after the lease has expired.
    assert(took < LEASE_MS + 2000, `the task failed after ${took} ms`);
  });
});

Deno.test("2026-07-28: a change on one replica is announced once to the clients of all replicas", {
  ignore,
}, async () => {
  await withCluster({ key: 7 }, async (cluster) => {
    await using client = await Client.connect(cluster.url);
    const received = [0, 1, 2].map((): string[] => []);
    for (const [index, list] of received.entries()) {
      cluster.pin(index);
      const subscription = await client.mcp.listen({
        toolsListChanged: true,
        resourceSubscriptions: ["note:1"],
      });
      const read = async (): Promise<void> => {
        for await (const { method } of subscription) list.push(method);
      };
      read().catch(() => {});
    }
    cluster.pin(1);
    await client.call("touch");
    await until(() => received.every(({ length }) => length >= 2));
    // If a notification of the first change were repeated, it would arrive before those of the
    // second change.
    await client.call("touch");
    await until(() => received.every(({ length }) => length >= 4));
    for (const list of received) {
      assertEquals(list.toSorted(), [
        "notifications/resources/updated",
        "notifications/resources/updated",
        "notifications/tools/list_changed",
        "notifications/tools/list_changed",
      ]);
    }
  });
});

for (const protocol of ["2026-07-28", "2025-11-25"] as const) {
  Deno.test(`${protocol}: a call whose replica is killed fails and is not executed again`, {
    ignore,
  }, async () => {
    await withCluster({ key: 7, routes: true, isShared: false }, async (cluster) => {
      cluster.pin(1);
      await using client = await Client.connect(cluster.url, protocol);
      const paid = (): number =>
        [0, 1, 2].flatMap((index) => cluster.printed(index)).filter((line) => line === "paid")
          .length;
      const calling = assertRejects(
        () => client.mcp.callTool("pay", {}, { onProgress: () => {} }),
        McpError,
      );
      await until(() => paid() === 1);
      cluster.pin(undefined);
      await cluster.kill(1);
      await calling;
      assertEquals(paid(), 1);
      // After a process is killed, at most one further request fails, and the client continues in a
      // new session.
      const names = [];
      for (let count = 0; count < 3; count++) names.push(await client.call("who").catch(() => "?"));
      assert(names.slice(1).every((name) => "ac".includes(name)), names.join());
    });
  });
}

Deno.test("2025-11-25: a session works through any replica", { ignore }, async () => {
  await withCluster({ key: 7, routes: true }, async (cluster) => {
    await using client = await Client.connect(cluster.url, "2025-11-25");
    const owner = await client.call("who");
    for (let count = 0; count < 5; count++) assertEquals(await client.call("who"), owner);
    for (let count = 0; count < 3; count++) assertEquals(await client.call("ask"), `${owner}: Ada`);
    const subscription = await client.mcp.listen({ resourceSubscriptions: ["note:1"] });
    const updates: string[] = [];
    const reading = (async () => {
      for await (const { method } of subscription) if (updates.push(method) === 3) return;
    })();
    await using other = await Client.connect(cluster.url);
    for (let count = 0; count < 3; count++) await other.call("touch");
    await reading;
    assertEquals(new Set(updates), new Set(["notifications/resources/updated"]));
    await subscription.close();
  });
});

/** Clients from the official SDK, keyed by name. */
const OFFICIAL: Readonly<Record<string, (url: string) => Promise<ThirdPartyClient>>> = {
  "version 1": (url) => connectSdkV1({ url }),
  "version 2 with sessions": (url) => connectSdkV2({ url }, "legacy"),
  "version 2": (url) => connectSdkV2({ url }, "auto"),
};

for (const [name, connect] of Object.entries(OFFICIAL)) {
  Deno.test(`the official client ${name} works through any replica`, { ignore }, async () => {
    await withCluster({ key: 7, routes: true }, async (cluster) => {
      const client = await connect(cluster.url);
      try {
        for (let count = 0; count < 3; count++) {
          const { content: [block] } = await client.callTool("ask", {});
          assertStringIncludes(block?.text ?? "", ": Ada");
        }
        await client.subscribe?.("note:1");
        await using other = await Client.connect(cluster.url);
        for (let count = 0; count < 3; count++) await other.call("touch");
        for (const method of ["resources/updated", "tools/list_changed"]) {
          await client.notifications.find((one) => one.method === `notifications/${method}`);
        }
      } finally {
        await client.close();
      }
    });
  });
}

Deno.test("without shared configuration, each error names its cause", { ignore }, async () => {
  await withCluster({ ownKeys: true, isShared: false }, async (cluster) => {
    await using client = await Client.connect(cluster.url);
    const refused = async (call: () => Promise<unknown>): Promise<string> =>
      (await assertRejects(call, McpError)).message;
    assertStringIncludes(await refused(() => client.call("ask")), "requestState.keys");
    assertStringIncludes(await refused(() => client.call("ask_task")), "a different task store");
    await using legacy = new Client(cluster.url, "2025-11-25");
    assertStringIncludes(
      await refused(async () => {
        await legacy.mcp.connect();
        for (let count = 0; count < 3; count++) await legacy.call("who");
      }),
      "session",
    );
  });
});

Deno.test("an unreachable store is reported by the server", { ignore }, async () => {
  await withCluster({
    key: 7,
    isShared: false,
    database: "postgres://nobody@127.0.0.1:1/none?connect_timeout=1",
  }, async (cluster) => {
    await using client = await Client.connect(cluster.url);
    cluster.pin(0);
    await assertRejects(
      () => client.mcp.listen({ toolsListChanged: true }),
      McpError,
      "change bus",
    );
    assertStringIncludes(
      cluster.printed(0).join("\n"),
      "Cannot subscribe to the change bus",
    );
  });
});
