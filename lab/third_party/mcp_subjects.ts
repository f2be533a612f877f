/**
 * Third-party MCP servers and clients.
 *
 * @module
 */

import { BUILT_CLIENTS, BUILT_SERVERS } from "./mcp_built_subjects.ts";
import { CLIENT_NOTES } from "./mcp_client_notes.ts";
import { SERVER_NOTES } from "./mcp_server_notes.ts";
import { notesFor } from "./shared_note.ts";
import type { ThirdPartySubject } from "./subject.ts";

/**
 * Command that runs programs and packages in `interop/`, which the interoperability checks also
 * use.
 */
const INTEROP = "deno run -A --quiet --no-check --frozen --config=interop/deno.json";
const OFFICIAL = { version: "2026.8.31", language: "typescript", library: "mcp" } as const;
const EVERYTHING = "npm:@modelcontextprotocol/server-everything@{version}";
const KUBERNETES =
  "npx -y --prefer-offline kubernetes-mcp-server@{version} --kubeconfig interop/programs/kubeconfig.yaml";

const SERVERS: readonly ThirdPartySubject[] = [
  {
    ...OFFICIAL,
    name: "server-everything-stdio",
    program: "server-everything",
    title: "server-everything",
    configuration: "stdio",
    package: "@modelcontextprotocol/server-everything",
    access: { kind: "stdio", command: `${INTEROP} ${EVERYTHING} stdio` },
  },
  {
    ...OFFICIAL,
    name: "server-everything-http",
    program: "server-everything",
    title: "server-everything",
    configuration: "HTTP",
    package: "@modelcontextprotocol/server-everything",
    access: {
      kind: "http",
      command:
        `env LOOPBACK_PORT={port} ${INTEROP} --preload=interop/programs/loopback.ts ${EVERYTHING} streamableHttp`,
      url: "http://127.0.0.1:{port}/mcp",
    },
  },
  {
    ...OFFICIAL,
    name: "server-filesystem",
    title: "server-filesystem",
    configuration: "stdio",
    package: "@modelcontextprotocol/server-filesystem",
    access: {
      kind: "stdio",
      command: `${INTEROP} npm:@modelcontextprotocol/server-filesystem@{version} conformance/spec`,
    },
  },
  {
    ...OFFICIAL,
    name: "server-memory",
    title: "server-memory",
    configuration: "stdio",
    package: "@modelcontextprotocol/server-memory",
    access: {
      kind: "stdio",
      command:
        `env MEMORY_FILE_PATH=/dev/null ${INTEROP} npm:@modelcontextprotocol/server-memory@{version}`,
    },
  },
  {
    ...OFFICIAL,
    name: "server-sequential-thinking",
    title: "server-sequential-thinking",
    configuration: "stdio",
    package: "@modelcontextprotocol/server-sequential-thinking",
    access: {
      kind: "stdio",
      command: "{third_party} npm:@modelcontextprotocol/server-sequential-thinking@{version}",
    },
  },
  ...["2025-11-25", "2026-07-28"].map((revision): ThirdPartySubject => ({
    name: `kubernetes-stdio-${revision}`,
    program: "kubernetes",
    title: "kubernetes-mcp-server",
    configuration: `stdio, ${revision}`,
    package: "kubernetes-mcp-server",
    version: "0.0.67",
    language: "go",
    library: "mcp",
    revision,
    access: { kind: "stdio", command: KUBERNETES },
  })),
  {
    name: "kubernetes-http-2026-07-28",
    program: "kubernetes",
    title: "kubernetes-mcp-server",
    configuration: "HTTP, 2026-07-28",
    package: "kubernetes-mcp-server",
    version: "0.0.67",
    language: "go",
    library: "mcp",
    revision: "2026-07-28",
    access: {
      kind: "http",
      command: `${KUBERNETES} --port {port} --bind-address 127.0.0.1 --stateless`,
      url: "http://127.0.0.1:{port}/mcp",
    },
  },
  ...["2025-11-25", "2026-07-28"].map((revision): ThirdPartySubject => ({
    name: `sdk-v2-server-${revision}`,
    program: "sdk-v2-server",
    title: "SDK v2 server",
    configuration: `stdio, ${revision}`,
    package: "@modelcontextprotocol/server",
    version: "2.4.0",
    language: "typescript",
    library: "mcp",
    revision,
    access: { kind: "stdio", command: `${INTEROP} interop/programs/sdk_v2_server.ts` },
  })),
  {
    name: "fastmcp-stdio",
    program: "fastmcp",
    title: "fastmcp",
    configuration: "stdio",
    package: "fastmcp",
    version: "4.20.16",
    language: "typescript",
    library: "mcp",
    access: { kind: "stdio", command: `${INTEROP} interop/programs/fastmcp_server.ts` },
  },
  {
    name: "fastmcp-http",
    program: "fastmcp",
    title: "fastmcp",
    configuration: "HTTP",
    package: "fastmcp",
    version: "4.20.16",
    language: "typescript",
    library: "mcp",
    access: {
      kind: "http",
      command: `${INTEROP} interop/programs/fastmcp_server.ts {port}`,
      url: "http://127.0.0.1:{port}/mcp",
    },
  },
  {
    name: "tmcp",
    title: "tmcp",
    configuration: "stdio",
    package: "tmcp",
    version: "1.20.0",
    language: "typescript",
    library: "mcp",
    revision: "2025-06-18",
    access: { kind: "stdio", command: `${INTEROP} interop/programs/tmcp_server.ts` },
  },
];

const CLIENTS: readonly ThirdPartySubject[] = [
  {
    name: "sdk-v1-client",
    title: "SDK v1 client",
    package: "@modelcontextprotocol/sdk",
    version: "1.32.2",
    language: "typescript",
    library: "mcp",
    access: {
      kind: "driver",
      command: "{third_party} lab/drivers/third_party/mcp_sdk_v1.ts",
    },
  },
  ...["2025-11-25", "2026-07-28"].map((revision): ThirdPartySubject => ({
    name: `sdk-v2-client-${revision}`,
    program: "sdk-v2-client",
    title: "SDK v2 client",
    configuration: revision,
    package: "@modelcontextprotocol/client",
    version: "2.4.0",
    language: "typescript",
    library: "mcp",
    revision,
    access: {
      kind: "driver",
      command: "{third_party} lab/drivers/third_party/mcp_sdk_v2.ts",
    },
  })),
  ...["2025-11-25", "2026-07-28"].map((revision): ThirdPartySubject => ({
    name: `ai-sdk-client-${revision}`,
    program: "ai-sdk-client",
    title: "AI SDK MCP client",
    configuration: revision,
    package: "@ai-sdk/mcp",
    version: "2.0.99",
    language: "typescript",
    library: "mcp",
    revision,
    access: {
      kind: "driver",
      command: "{third_party} lab/drivers/third_party/mcp_ai_sdk.ts",
    },
  })),
  {
    name: "openai-agents-client",
    title: "OpenAI Agents MCP client",
    package: "@openai/agents",
    version: "0.20.0",
    language: "typescript",
    library: "mcp",
    access: {
      kind: "driver",
      command: "{third_party} lab/drivers/third_party/mcp_openai_agents.ts",
    },
  },
];

/** The MCP servers and clients. */
export const MCP_SUBJECTS: readonly ThirdPartySubject[] = [
  ...SERVERS,
  ...BUILT_SERVERS,
  ...CLIENTS,
  ...BUILT_CLIENTS,
]
  .map((subject) => ({
    ...subject,
    notes: notesFor(subject.name, [...SERVER_NOTES, ...CLIENT_NOTES]),
  }));
