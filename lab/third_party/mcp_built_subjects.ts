/**
 * MCP servers and clients in Python, Go, Rust and Java. Each server or client is a small program in
 * `drivers/third_party` that uses an SDK and is built before the run.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

/** A program that uses an SDK. */
interface Program {
  /** Prefix for the names of the program's subjects. */
  readonly name: string;
  /** Prefix for the titles of the program's subjects. */
  readonly title: string;
  readonly package: string;
  readonly version: string;
  readonly language: string;
  readonly build: string;
  /** Protocol versions to test. */
  readonly revisions: readonly string[];
  /** Command that runs the server over stdio, or over HTTP if a port is appended. */
  readonly server?: string;
  /** Argument that the HTTP server needs to serve protocol version 2026-07-28. */
  readonly modernArgument?: string;
  /** Command that runs the client's driver. */
  readonly client?: string;
  /** Notes about the test setup. */
  readonly setup?: string;
}

const BOTH = ["2025-11-25", "2026-07-28"];
const PYTHON = "lab/drivers/third_party/python";
const PYTHON_CLIENT = `env PYTHONPATH=${PYTHON} {build}/bin/python`;
const JAVA = "java -XX:TieredStopAtLevel=1 -cp {build}/third-party-mcp-0.1.0.jar:{build}/lib/*";

/** Role of a program, and the transport of a server. */
const KINDS = {
  "server-stdio": ["server", "stdio"],
  "server-http": ["server", "HTTP"],
  client: ["client"],
} as const;

const PROGRAMS: readonly Program[] = [
  {
    name: "python-sdk",
    title: "Python SDK",
    package: "mcp",
    version: "2.3.0",
    language: "python",
    build: "python/mcp_sdk",
    revisions: BOTH,
    server: `{build}/bin/python ${PYTHON}/mcp_sdk/server.py`,
    client: `${PYTHON_CLIENT} ${PYTHON}/mcp_sdk/client.py`,
  },
  {
    name: "python-fastmcp",
    title: "FastMCP (Python)",
    package: "fastmcp",
    version: "4.1.2",
    language: "python",
    build: "python/mcp_fastmcp",
    revisions: ["2026-07-28"],
    server: `{build}/bin/python ${PYTHON}/mcp_fastmcp/server.py`,
    client: `${PYTHON_CLIENT} ${PYTHON}/mcp_fastmcp/client.py`,
  },
  {
    name: "mcp-use",
    title: "mcp-use",
    package: "mcp-use",
    version: "1.7.1",
    language: "python",
    build: "python/mcp_use_client",
    revisions: ["2025-11-25"],
    client:
      `env MCP_USE_ANONYMIZED_TELEMETRY=false PYTHONPATH=${PYTHON} {build}/bin/python ${PYTHON}/mcp_use_client/client.py`,
    setup:
      "The driver initializes the session without the lists that the client otherwise reads. " +
      "Over HTTP, the client lists the tools while it connects, so only stdio is tested.",
  },
  {
    name: "go-sdk",
    title: "Go SDK",
    package: "github.com/modelcontextprotocol/go-sdk",
    version: "1.8.0",
    language: "go",
    build: "go/mcp",
    revisions: BOTH,
    server: "{build}/server",
    modernArgument: "stateless",
    client: "{build}/client",
  },
  {
    name: "rust-sdk",
    title: "Rust SDK",
    package: "rmcp",
    version: "3.11.0",
    language: "rust",
    build: "rust/mcp",
    revisions: BOTH,
    server: "{build}/debug/server",
    client: "{build}/debug/client",
  },
  {
    name: "java-sdk",
    title: "Java SDK",
    package: "io.modelcontextprotocol.sdk:mcp",
    version: "2.1.0",
    language: "java",
    build: "java/mcp",
    revisions: ["2025-11-25"],
    server: `${JAVA} parley.server.Server`,
    client: `${JAVA} parley.client.Driver`,
  },
];

/** The MCP servers built from the programs in `drivers/third_party`. */
export const BUILT_SERVERS: readonly ThirdPartySubject[] = PROGRAMS.flatMap((program) => {
  const { server, modernArgument = "" } = program;
  if (server === undefined) return [];
  return program.revisions.flatMap((revision) => [
    subjectOf(program, "server-stdio", revision, { kind: "stdio", command: server }),
    subjectOf(program, "server-http", revision, {
      kind: "http",
      command: `${server} {port} ${revision === "2026-07-28" ? modernArgument : ""}`,
      url: "http://127.0.0.1:{port}/mcp",
    }),
  ]);
});

/** The MCP clients built from the programs in `drivers/third_party`. */
export const BUILT_CLIENTS: readonly ThirdPartySubject[] = PROGRAMS.flatMap((program) => {
  const { client } = program;
  if (client === undefined) return [];
  return program.revisions.map((revision) =>
    subjectOf(program, "client", revision, { kind: "driver", command: client })
  );
});

function subjectOf(
  program: Program,
  kind: keyof typeof KINDS,
  revision: string,
  access: ThirdPartySubject["access"],
): ThirdPartySubject {
  const { name, title, setup, build, language } = program;
  const [role, ...transport] = KINDS[kind];
  return {
    name: `${name}-${kind}-${revision}`,
    program: `${name}-${role}`,
    title: `${title} ${role}`,
    configuration: [...transport, revision].join(", "),
    package: program.package,
    version: program.version,
    language,
    build,
    library: "mcp",
    revision,
    access,
    ...(setup === undefined ? {} : { setup }),
  };
}
