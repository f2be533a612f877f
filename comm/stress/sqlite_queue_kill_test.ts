import { assert, assertEquals } from "@std/assert";

const PROGRAM = new URL("testdata/queue_kills.ts", import.meta.url).pathname;

/** Number of kills of consumers; the nightly tests use a larger number. */
const KILLS = Math.min(4 * Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? 1), 30);
const MESSAGES = 100 * KILLS;

Deno.test("sqliteQueue() loses no message and keeps each sender's order when consumers are killed", async () => {
  const { success, stdout, stderr } = await new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", PROGRAM, "send", `${KILLS}`, `${MESSAGES}`],
    env: { NO_COLOR: "1" },
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const { handled, left, dead, disordered, repeatedAfterAcknowledgment, repeated, integrity } = JSON
    .parse(new TextDecoder().decode(stdout));
  assertEquals(
    { handled, left, dead, disordered, repeatedAfterAcknowledgment, integrity },
    {
      handled: MESSAGES,
      left: 0,
      dead: 0,
      disordered: 0,
      repeatedAfterAcknowledgment: 0,
      integrity: "ok",
    },
  );
  // Each killed consumer runs at most 8 handlers.
  assert(repeated <= 8 * KILLS, `${repeated} messages were repeated`);
});
