// The server from adder.ts, with a connection to the port in the first argument that closes when
// the process exits.
await Deno.connect({ hostname: "127.0.0.1", port: Number(Deno.args[0]) });
await import("./adder.ts");
