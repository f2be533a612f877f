/// <reference lib="dom" />
/**
 * The page's script: an MCP client with a form.
 *
 * @module
 */
import { McpClient } from "@parley/mcp/client";

const client = new McpClient({
  transport: { type: "http", url: new URL("/mcp", location.href).href },
  clientInfo: { name: "page", version: "1.0.0" },
  handlers: {
    elicit: ({ message }) => {
      const name = prompt(message);
      return name === null ? { action: "decline" } : { action: "accept", content: { name } };
    },
  },
});

async function main(): Promise<void> {
  await client.connect();
  find("#server").textContent = `${client.server?.info?.name}, ${client.server?.protocolVersion}`;
  const choice = find("select");
  for (const { name, description } of await client.listTools()) {
    const option = document.createElement("option");
    option.value = name;
    option.textContent = description;
    choice.append(option);
  }
  find("#call").addEventListener("submit", (event) => {
    event.preventDefault();
    call(new FormData(find<HTMLFormElement>("#call"))).catch(show);
  });
  document.body.dataset.ready = "";
}

async function call(form: FormData): Promise<void> {
  const bar = find<HTMLProgressElement>("#progress");
  bar.value = 0;
  const result = await client.callTool(
    String(form.get("tool")),
    JSON.parse(String(form.get("args"))),
    { onProgress: ({ progress, total = 1 }) => bar.value = progress / total },
  );
  show(result.structuredContent ?? result.content);
}

function show(value: unknown): void {
  const text = value instanceof Error ? value.message : JSON.stringify(value, null, 2);
  find("#result").textContent = text;
}

function find<E extends Element = HTMLElement>(selector: string): E {
  const element = document.querySelector<E>(selector);
  if (element === null) throw new Error(`Cannot find "${selector}"`);
  return element;
}

main().catch(show);
