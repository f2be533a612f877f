/**
 * Checks that every change bus must pass.
 *
 * @module
 */

import type { ChangeAnnouncement, ChangeBus } from "../server/change_bus.ts";
import { type Check, check, createInbox, expectEqual } from "./check.ts";

function newAnnouncement(uri = "r:1"): ChangeAnnouncement {
  return { origin: crypto.randomUUID(), change: { kind: "resource", uri } };
}

/**
 * Checks for implementations of {@linkcode ChangeBus}. Each check is independent of all other
 * checks and of the test runner. The function passed to `run` must return connected buses if it is
 * called twice.
 *
 * @example Check the in-memory bus
 * ```ts
 * import { memoryChangeBus } from "@parley/mcp/server";
 * import { changeBusChecks } from "@parley/mcp/testing";
 *
 * for (const check of changeBusChecks) {
 *   const bus = memoryChangeBus();
 *   // With a test runner: Deno.test(check.name, () => check.run(() => bus));
 *   await check.run(() => bus);
 * }
 * ```
 */
export const changeBusChecks: readonly Check<ChangeBus>[] = [
  check("subscribe() receives each announcement from any bus once and in order", async (open) => {
    const [one, two] = [await open(), await open()];
    const inbox = createInbox<ChangeAnnouncement>();
    const stop = await two.subscribe(inbox.push);
    const { origin } = newAnnouncement();
    const sent: readonly ChangeAnnouncement[] = [
      { origin, change: { kind: "tools" } },
      { origin, change: { kind: "prompts" } },
      { origin, change: { kind: "resources" } },
      { origin, change: { kind: "resource", uri: "file:///\u{1f600} '\"\\" } },
      { origin, change: { kind: "tools" } },
      { origin, change: { kind: "tools", subject: "ann" } },
      { origin, change: { kind: "tools", subject: null } },
      { origin, change: { kind: "resource", uri: "last:" } },
    ];
    for (const announcement of sent) await one.publish(announcement);
    await inbox.waitFor(({ origin: from, change }) =>
      from === origin && change.kind === "resource" && change.uri === "last:"
    );
    await stop();
    expectEqual(inbox.received.filter((one) => one.origin === origin), sent, "the announcements");
  }),
  check("publish() reaches all subscribers, including those of the same bus", async (open) => {
    const [one, two] = [await open(), await open()];
    const inboxes = [createInbox<ChangeAnnouncement>(), createInbox<ChangeAnnouncement>()];
    const stops = [];
    for (const inbox of inboxes) stops.push(await one.subscribe(inbox.push));
    const far = createInbox<ChangeAnnouncement>();
    stops.push(await two.subscribe(far.push));
    const sent = newAnnouncement();
    await one.publish(sent);
    for (const inbox of [...inboxes, far]) {
      await inbox.waitFor(({ origin }) => origin === sent.origin);
    }
    for (const stop of stops) await stop();
  }),
  check("publish() carries a URI of 8,192 characters", async (open) => {
    const bus = await open();
    const inbox = createInbox<ChangeAnnouncement>();
    const stop = await bus.subscribe(inbox.push);
    const sent = newAnnouncement(`file:///${"\u00e4".repeat(8184)}`);
    await bus.publish(sent);
    await inbox.waitFor(({ origin }) => origin === sent.origin);
    await stop();
    const found = inbox.received.find(({ origin }) => origin === sent.origin);
    expectEqual(found, sent, "the announcement");
  }),
  check("subscribe() returns a function that unsubscribes the listener", async (open) => {
    const bus = await open();
    const ended = createInbox<ChangeAnnouncement>();
    const stop = await bus.subscribe(ended.push);
    await stop();
    await stop();
    const inbox = createInbox<ChangeAnnouncement>();
    const stopOther = await bus.subscribe(inbox.push);
    const sent = newAnnouncement();
    await bus.publish(sent);
    await inbox.waitFor(({ origin }) => origin === sent.origin);
    await stopOther();
    const late = ended.received.filter(({ origin }) => origin === sent.origin);
    expectEqual(late, [], "the announcements received after unsubscribing");
  }),
];
