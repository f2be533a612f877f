import { assert, assertEquals } from "@std/assert";
import { type NetworkScope, networkScopeOf } from "./network_scope.ts";

const REACHES: readonly (readonly [string, NetworkScope])[] = [
  ["https://example.com", "public"],
  ["https://8.8.8.8", "public"],
  ["https://[2606:4700::1111]", "public"],
  ["https://localhost", "loopback"],
  ["https://localhost.", "loopback"],
  ["https://app.localhost", "loopback"],
  ["https://127.0.0.1", "loopback"],
  ["https://127.1.2.3", "loopback"],
  ["https://[::1]", "loopback"],
  // The URL parser normalizes other notations of an IPv4 address, such as a decimal number.
  ["https://2130706433", "loopback"],
  ["https://0x7f.1", "loopback"],
  ["https://0177.0.0.1", "loopback"],
  ["https://10.0.0.1", "private"],
  ["https://172.16.0.1", "private"],
  ["https://172.31.255.255", "private"],
  ["https://172.32.0.1", "public"],
  ["https://192.168.1.1", "private"],
  ["https://100.64.0.1", "private"],
  ["https://100.128.0.1", "public"],
  ["https://[fd00::1]", "private"],
  ["https://[fc00::1]", "private"],
  ["https://169.254.169.254", "special"],
  ["https://0.0.0.0", "special"],
  ["https://224.0.0.1", "special"],
  ["https://255.255.255.255", "special"],
  ["https://198.18.0.1", "special"],
  ["https://[fe80::1]", "special"],
  ["https://[::]", "special"],
  ["https://[::ffff:127.0.0.1]", "special"],
  ["https://[::ffff:8.8.8.8]", "special"],
  ["https://[64:ff9b::a00:1]", "special"],
  ["https://[2002:a00:1::]", "special"],
  ["https://[2001::1]", "special"],
  ["https://[2001:db8::1]", "special"],
  ["https://[2001:4860::8888]", "public"],
  ["https://metadata.google.internal", "private"],
  ["https://metadata.google.internal.", "private"],
  ["https://METADATA.GOOGLE.INTERNAL", "private"],
  ["https://printer.local", "private"],
  ["https://redis.default.svc", "private"],
  ["https://redis.default.svc.cluster.local", "private"],
  ["https://redis.default.svc.cluster.local..", "private"],
  ["https://vault.service.consul", "private"],
  ["https://router.home.arpa", "private"],
  ["https://wiki.corp", "private"],
  ["https://nas.lan", "private"],
  ["https://intranet/", "private"],
  ["https://ip6-localhost", "private"],
  ["https://localhost.localdomain", "private"],
  ["https://localhost..", "loopback"],
  ["https://127.0.0.1.", "loopback"],
  ["https://internal.example", "public"],
  ["https://local.example.com.", "public"],
  ["https://notinternal", "private"],
  ["https://home.arpa.example", "public"],
];

for (const [address, reach] of REACHES) {
  Deno.test(`networkScopeOf() returns ${reach} for ${address}`, () => {
    assertEquals(networkScopeOf(new URL(address).hostname), reach);
  });
}

Deno.test("networkScopeOf() takes linear time", () => {
  const startedAt = performance.now();
  assertEquals(networkScopeOf(`a${".".repeat(200_000)}b`), "public");
  assertEquals(networkScopeOf(`localhost${".".repeat(200_000)}`), "loopback");
  assert(performance.now() - startedAt < 1000);
});
