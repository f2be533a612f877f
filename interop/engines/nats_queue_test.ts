import { jetstream, type JetStreamClient } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { natsQueue } from "@parley/comm/nats";
import { queueChecks } from "@parley/comm/testing";
import { startNats } from "./nats_server.ts";

Deno.test("natsQueue() spike", async (t) => {
  await using server = await startNats();
  const connection = await connect({ servers: server.url, maxReconnectAttempts: -1 });
  for (const check of queueChecks) {
    await t.step(
      `natsQueue() ${check.name}`,
      () => check.run((options) => natsQueue({ ...options, jetstream: jetstream(connection) })),
    );
  }
  await connection.close();
});
