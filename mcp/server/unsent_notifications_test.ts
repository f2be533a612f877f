import { assertEquals, assertRejects } from "@std/assert";
import { McpError } from "../shared/error.ts";
import { UnsentNotifications } from "./unsent_notifications.ts";

Deno.test("UnsentNotifications rejects a notification beyond the share of its principal", async () => {
  const unsent = new UnsentNotifications(100, 0.5);
  const gate = Promise.withResolvers<void>();
  const sent: number[] = [];
  const send = (chars: number, subject: string | undefined): Promise<void> =>
    unsent.send(chars, {
      subject,
      send: () => {
        sent.push(chars);
        return gate.promise;
      },
    });
  const open = [send(60, "ada"), send(10, "bob"), send(20, undefined)];
  await assertRejects(() => send(1, "ada"), McpError, "maxSubscriptionChars");
  await assertRejects(() => send(41, "bob"), McpError, "maxSubscriptionChars");
  await assertRejects(() => send(20, undefined), McpError, "maxSubscriptionChars");
  gate.resolve();
  await Promise.all(open);
  await Promise.all([send(50, "ada"), send(50, "bob"), send(1, undefined)]);
  assertEquals(sent, [60, 10, 20, 50, 50, 1]);
});

Deno.test("UnsentNotifications releases the characters of a notification that fails", async () => {
  const unsent = new UnsentNotifications(10, 1);
  const fail = () =>
    unsent.send(10, { subject: "ada", send: () => Promise.reject(new Error("x")) });
  for (let n = 0; n < 3; n++) await assertRejects(fail, Error, "x");
  const throwing = () =>
    unsent.send(10, {
      subject: "ada",
      send: () => {
        throw new Error("y");
      },
    });
  await assertRejects(throwing, Error, "y");
  await Promise.all(
    [5, 5].map((chars) => unsent.send(chars, { subject: "ada", send: () => Promise.resolve() })),
  );
});
