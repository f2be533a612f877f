// The server of adder.ts, with a connection to the port in the first argument that ends when the process ends.
await Deno.connect({ hostname: "127.0.0.1", port: Number(Deno.args[0]) });
await import("./adder.ts");
