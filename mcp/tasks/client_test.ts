import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { McpClient, type McpClientConfig } from "../client.ts";
import { HttpTransport } from "../transport/http.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { mcpHandler, McpServer, servePipe } from "../server.ts";
import { isRecord } from "@parley/internal/json";
import { createMemoryTransport } from "../transport/memory.ts";
import { clientTasks, type ClientTasksOptions } from "./client.ts";
import { serverTasks } from "./server.ts";
import { type ParsedTask, TRANSITIONS } from "./task.ts";
import { form, hold, make, text } from "./testdata/jobs.ts";

Deno.test("TRANSITIONS allows no status after a final status", () => {
  for (const status of ["completed", "failed", "cancelled"] as const) {
    assertEquals(TRANSITIONS[status], []);
  }
});

async function withClient(
  server: McpServer,
  use: (
    client: McpClient,
    seen: ParsedTask[],
    tasks: ReturnType<typeof clientTasks>,
  ) => Promise<void>,
  config: Partial<McpClientConfig> = {},
  options: ClientTasksOptions = {},
): Promise<void> {
  const seen: ParsedTask[] = [];
  const tasks = clientTasks({ minPollMs: 1, onChange: (task) => void seen.push(task), ...options });
  const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
  const client = new McpClient({ transport, extensions: [tasks], ...config });
  await client.connect();
  try {
    await use(client, seen, tasks);
  } finally {
    await client.disconnect();
    await server.close();
  }
}

Deno.test("callTool() polls a task and handles its input requests", async () => {
  const server = make(({ start }) => async (_args, context) => {
    const { ask } = await start(context);
    return (await ask("name", form("Who?"))).content?.name;
  });
  let asked = 0;
  const elicit = () => {
    asked++;
    return { action: "accept", content: { name: "Ada" } } as const;
  };
  await withClient(server, async (client, seen, tasks) => {
    assertEquals((await client.callTool("job", {})).content, [{ type: "text", text: "Ada" }]);
    assertEquals([asked, seen[0]?.status, seen.at(-1)?.status], [1, "working", "completed"]);
    const taskId = seen[0]?.taskId ?? "";
    assertEquals((await tasks.get(taskId)).status, "completed");
    assertEquals((await tasks.resume(taskId)).content, [{ type: "text", text: "Ada" }]);
    const error = await assertRejects(() => tasks.resume("other"), McpError);
    assertEquals([error.code, error.rpcCode], ["protocol_error", -32602]);
  }, { handlers: { elicit } });
});

Deno.test("resume() accepts a result that deviates from the protocol, and reports it", async () => {
  for (const strict of [false, true]) {
    const kinds: string[] = [];
    const jobs = serverTasks({ pollIntervalMs: 1 });
    const server = new McpServer({
      name: "s",
      version: "1",
      extensions: [jobs],
      around: async ({ method }, next) => {
        const result = await next();
        if (method !== "tasks/get" || !isRecord(result.result)) return result;
        return { ...result, result: { ...result.result, isError: null } };
      },
    });
    server.registerTool({ name: "job" }, async (_args, context) => {
      await jobs.start(context);
      return "done";
    });
    const onError = (error: unknown) => {
      if (error instanceof McpError && error.is("tolerated")) kinds.push(error.details.what);
    };
    await withClient(server, async (client, seen, tasks) => {
      const outcome = client.callTool("job", {}).catch((error: unknown) => error);
      assertEquals(await outcome instanceof McpError, strict);
      const resumed = tasks.resume(seen[0]?.taskId ?? "");
      if (strict) await assertRejects(() => resumed, McpError, '"isError" is null');
      else assertEquals((await resumed).content, [{ type: "text", text: "done" }]);
    }, { strict, onError });
    assertEquals(kinds, strict ? [] : ['"isError" is null']);
  }
});

Deno.test("callTool() sends the task id in the Mcp-Name header over HTTP", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    return "done";
  });
  const handler = mcpHandler(server);
  const names: (string | null)[] = [];
  const transport = new HttpTransport("http://localhost/mcp", {
    fetch: async (url, init) => {
      const request = new Request(url, init);
      if (request.headers.get("mcp-method") === "tasks/get") {
        names.push(request.headers.get("mcp-name"));
      }
      return await handler(request);
    },
  });
  await withClient(server, async (client, seen) => {
    assertEquals((await client.callTool("job", {})).content, [{ type: "text", text: "done" }]);
    assertEquals(new Set(names), new Set([seen[0]?.taskId ?? ""]));
  }, { transport });
  await handler.close();
});

Deno.test("callTool() cancels the task if its signal is aborted", async () => {
  const stopped = hold();
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    signal.addEventListener("abort", () => stopped.release());
    await stopped.promise;
  });
  const controller = new AbortController();
  await withClient(
    server,
    async (client) => {
      const calling = client.callTool("job", {}, { signal: controller.signal });
      await assertRejects(() => calling, Error, "enough");
      await stopped.promise;
    },
    {},
    { onChange: () => controller.abort(new Error("enough")) },
  );
});

Deno.test("callTool() rejects if a task does not end within maxTotalMs", async () => {
  const stopped = hold();
  const server = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    signal.addEventListener("abort", () => stopped.release());
    await stopped.promise;
  });
  await withClient(server, async (client) => {
    const error = await assertRejects(
      () => client.callTool("job", {}, { maxTotalMs: 50 }),
      McpError,
      'Cannot complete "tools/call": timed out after 50 ms ("maxTotalMs")',
    );
    assertEquals(error.code, "timeout");
    await stopped.promise;
  });
});

Deno.test("callTool() rejects if a task fails, is cancelled or exceeds maxInputRequests", async () => {
  const failing = make(({ start }) => async (_args, context) => {
    await start(context);
    throw McpError.protocolError("No more", { rpcCode: 7 });
  });
  await withClient(failing, async (client) => {
    const error = await assertRejects(() => client.callTool("job", {}), McpError);
    assertEquals([error.code, error.rpcCode], ["protocol_error", 7]);
  });
  const waiting = make(({ start }) => async (_args, context) => {
    const { signal } = await start(context);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const ids = hold<string>();
  await withClient(
    waiting,
    async (client, _seen, tasks) => {
      const calling = client.callTool("job", {});
      calling.catch(() => {});
      await tasks.cancel(await ids.promise);
      const error = await assertRejects(() => calling, McpError);
      assertEquals(error.code, "core");
    },
    {},
    { onChange: ({ taskId }) => ids.release(taskId) },
  );
  const curious = make(({ start }) => async (_args, context) => {
    const { ask } = await start(context);
    for (;;) await ask("a", form("?"));
  });
  const elicit = () => ({ action: "decline" }) as const;
  await withClient(
    curious,
    async (client) => {
      await assertRejects(() => client.callTool("job", {}), McpError, "more than 2 input requests");
    },
    { handlers: { elicit } },
    { maxInputRequests: 2 },
  );
});

/** Creates a client that is connected to a server with scripted responses. */
async function withAnswers(
  answer: (method: string, n: number) => JsonObject | Error,
  use: (client: McpClient, methods: string[]) => Promise<void>,
): Promise<void> {
  const methods: string[] = [];
  const handler = mcpHandler(make(() => () => "never"));
  const transport = new HttpTransport("http://localhost/mcp", {
    maxRetries: 0,
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const { id, method } = await request.clone().json();
      if (method === "server/discover") return await handler(request);
      const result = answer(method, methods.push(method));
      if (result instanceof Error) throw result;
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  });
  const extensions = [clientTasks({ minPollMs: 1 })];
  const client = new McpClient({ transport, extensions, enforceCapabilities: false });
  await client.connect();
  try {
    await use(client, methods);
  } finally {
    await client.disconnect();
    await handler.close();
  }
}

const HANDLE = {
  resultType: "task",
  taskId: "t",
  status: "working",
  ttlMs: null,
  pollIntervalMs: 1,
};

Deno.test("clientTasks() retries failed requests up to maxRetries times", async () => {
  await withAnswers((method, n) => {
    if (method === "tools/call") return HANDLE;
    if (n % 4 !== 0) return new TypeError("no network");
    return n === 4 ? HANDLE : { ...HANDLE, status: "completed", result: text("late") };
  }, async (client, methods) => {
    assertEquals((await client.callTool("job", {})).content, [{ type: "text", text: "late" }]);
    assertEquals(methods.length, 8);
  });
  await withAnswers(
    (method) => method === "tools/call" ? HANDLE : new TypeError("no network"),
    async (client, methods) => {
      const error = await assertRejects(() => client.callTool("job", {}), McpError);
      assertEquals(error.code, "transport_error");
      assertEquals(methods.filter((method) => method === "tasks/get").length, 4);
    },
  );
});

Deno.test("clientTasks() rejects an invalid task", async () => {
  const wrong = [
    { ...HANDLE, taskId: "other" },
    { ...HANDLE, status: "odd" },
    { ...HANDLE, status: "completed" },
    { ...HANDLE, status: "completed", result: { content: 1 } },
    { ...HANDLE, status: "failed", error: { code: "x" } },
    { ...HANDLE, status: "input_required" },
    { ...HANDLE, taskId: 1 },
  ];
  for (const task of wrong) {
    await withAnswers(
      (method) => method === "tools/call" ? HANDLE : task,
      async (client) => {
        const error = await assertRejects(() => client.callTool("job", {}), McpError);
        assertEquals(error.code, "protocol_error", JSON.stringify(task));
      },
    );
  }
  await withAnswers(() => HANDLE, async (client) => {
    await assertRejects(() => client.getPrompt("p"), McpError, "cannot be a task");
  });
});

Deno.test("a client without clientTasks() does not declare the extension", async () => {
  const server = make(({ start }) => async (_args, context) =>
    (await start(context)).taskId ?? "none"
  );
  await withClient(server, async (client) => {
    assertEquals((await client.callTool("job", {})).content, [{ type: "text", text: "none" }]);
  }, { extensions: [] });
  const tasks = clientTasks();
  await assertRejects(() => tasks.get("x"), McpError, "not connected");
});

Deno.test("callTool() does not cancel an unknown task", async () => {
  const server = make(({ start }) => async (_args, context) => {
    await start(context);
    return "done";
  });
  const handler = mcpHandler(server);
  const methods: (string | null)[] = [];
  const transport = new HttpTransport("http://localhost/mcp", {
    fetch: async (url, init) => {
      const request = new Request(url, init);
      methods.push(request.headers.get("mcp-method"));
      return await handler(request);
    },
  });
  await withClient(server, async (_client, _seen, tasks) => {
    const error = await assertRejects(() => tasks.resume("other"), McpError);
    assertEquals(error.rpcCode, -32602);
    assertEquals(methods, ["server/discover", "tasks/get"]);
  }, { transport });
  await handler.close();
});

Deno.test("clientTasks() rejects limits that are not numbers, and a callback that is not a function", () => {
  const wrong: readonly [object, string][] = [
    [{ minPollMs: "100" }, '"minPollMs" must be a positive number, got "100"'],
    [{ minPollMs: 0 }, '"minPollMs" must be a positive number, got 0'],
    [{ maxRetries: -1 }, '"maxRetries" must be a non-negative integer, got -1'],
    [
      { maxInputRequests: Number.NaN },
      '"maxInputRequests" must be a non-negative integer, got NaN',
    ],
    [{ onChange: 1 }, '"onChange" must be a function, got 1'],
  ];
  for (const [options, message] of wrong) {
    assertThrows(() => clientTasks(options), Error, message);
  }
});

Deno.test("callTool() cancels the task and rejects with the error of an onChange that throws or rejects", async () => {
  const error = new Error("not saved");
  const failures = [(): never => {
    throw error;
  }, () => Promise.reject(error)];
  for (const onChange of failures) {
    const stopped = hold();
    const server = make(({ start }) => async (_args, context) => {
      const { signal } = await start(context);
      signal.addEventListener("abort", () => stopped.release());
      await stopped.promise;
    });
    await withClient(
      server,
      async (client) => {
        assertEquals(await assertRejects(() => client.callTool("job", {})), error);
        await stopped.promise;
      },
      {},
      { onChange },
    );
  }
});
