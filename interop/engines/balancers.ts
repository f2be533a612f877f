/**
 * Runs the load balancer configurations from the page "MCP behind a load balancer".
 *
 * @module
 */

import { join } from "node:path";
import { startOnFreePort } from "../../conformance/platform/net.ts";

/** Documentation page that contains the load balancer configurations. */
const PAGE: string = await Deno.readTextFile(
  new URL("../../docs/mcp-behind-a-load-balancer.md", import.meta.url),
);

/** Debian installs nginx in a folder that is only on root's PATH. */
const PATH = `${Deno.env.get("PATH")}:/usr/sbin`;

/** A load balancer whose configuration is shown on the documentation page. */
export interface BalancerProgram {
  /** Name of the program. */
  readonly name: "nginx" | "caddy";
  /** Command that installs the program on Debian. */
  readonly install: string;
  /** Whether the program is installed. */
  readonly isInstalled: boolean;
}

/** Load balancers whose configurations are shown on the documentation page. */
export const BALANCERS: readonly BalancerProgram[] = [
  {
    name: "nginx",
    install: "apt-get install -y nginx-light",
    isInstalled: await isInstalled("nginx"),
  },
  { name: "caddy", install: "apt-get install -y caddy", isInstalled: await isInstalled("caddy") },
];

/** A running load balancer. */
export interface Balancer extends AsyncDisposable {
  /** Port on 127.0.0.1. */
  readonly port: number;
}

/** Options for {@linkcode startBalancer}. */
export interface BalancerOptions {
  /** URLs of the server processes behind the load balancer. */
  readonly urls: readonly string[];
  /** Whether all requests from one client address reach the same process. @default {false} */
  readonly hasAffinity?: boolean;
}

/** Returns the documentation page's code blocks in the given language. */
export function codeBlocks(language: string): readonly string[] {
  const blocks = PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, text]) => text ?? "");
}

/**
 * Starts a load balancer with the configuration from the documentation page, changing only the
 * addresses.
 *
 * @throws {Error} If the program does not start within 10 seconds.
 */
export async function startBalancer(
  name: "nginx" | "caddy",
  options: BalancerOptions,
): Promise<Balancer> {
  return await startOnFreePort((port) => startOnPort(port, { ...options, name }));
}

async function startOnPort(
  port: number,
  { name, urls, hasAffinity = false }: BalancerOptions & { readonly name: "nginx" | "caddy" },
): Promise<Balancer> {
  const folder = await Deno.makeTempDir({ prefix: `parley-${name}-` });
  const hosts = urls.map((url) => new URL(url).host);
  const configured = name === "nginx"
    ? { files: configureNginx(hosts, port, hasAffinity), args: ["-p", folder, ...NGINX_ARGS] }
    : { files: configureCaddy(hosts, port, hasAffinity), args: CADDY_ARGS };
  for (const [file, text] of Object.entries(configured.files)) {
    await Deno.writeTextFile(join(folder, file), text);
  }
  const child = new Deno.Command(name, {
    args: [...configured.args],
    cwd: folder,
    env: { PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const stop = async (signal: Deno.Signal = "SIGTERM"): Promise<void> => {
    try {
      child.kill(signal);
    } catch {
      // The program has exited.
    }
    await child.status;
    await errors;
    await Deno.remove(folder, { recursive: true });
  };
  if (await accepts(port, child)) return { port, [Symbol.asyncDispose]: () => stop() };
  await stop("SIGKILL");
  throw new Error(`${name} did not start: ${await errors}`);
}

const NGINX_ARGS = ["-c", "nginx.conf", "-e", "stderr"];
const CADDY_ARGS = ["run", "--config", "Caddyfile"];

/**
 * Main nginx configuration, adapted from Debian's `/etc/nginx/nginx.conf` to a single process that
 * does not run as a service.
 */
const MAIN = `
daemon off;
master_process off;
pid nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  include mcp.conf;
}
`;

/** Global options for a Caddy process that does not run as a service. */
const CADDY_OPTIONS = `
{
	admin off
	default_bind 127.0.0.1
	grace_period 1s
	log {
		level ERROR
	}
}
`;

/** File contents, keyed by file name. */
type Files = Readonly<Record<string, string>>;

function configureNginx(hosts: readonly string[], port: number, hasAffinity: boolean): Files {
  const [config = "", upstream = ""] = codeBlocks("nginx");
  const chosen = hasAffinity ? config.replace(/^upstream .*?^\}\n/ms, () => upstream) : config;
  const servers = hosts.map((host) => `server ${host};`);
  const listening = replaceOnce(chosen, /listen 80;/, `listen 127.0.0.1:${port};`);
  const addresses = /(server 10\.0\.0\.\d:8000;\s*)+/;
  return {
    "mcp.conf": replaceOnce(listening, addresses, servers.join("\n")),
    "nginx.conf": MAIN,
  };
}

function configureCaddy(hosts: readonly string[], port: number, hasAffinity: boolean): Files {
  const [config = "", policy = ""] = codeBlocks("text");
  const chosen = hasAffinity ? replaceOnce(config, /lb_policy round_robin/, policy.trim()) : config;
  const listening = replaceOnce(chosen, /^http:\/\/mcp\.example/m, `http://:${port}`);
  const addresses = /(10\.0\.0\.\d:8000\s*)+/;
  return { Caddyfile: CADDY_OPTIONS + replaceOnce(listening, addresses, `${hosts.join(" ")} `) };
}

function replaceOnce(text: string, pattern: RegExp, replacement: string): string {
  if (!pattern.test(text)) throw new Error(`The configuration does not contain ${pattern}`);
  return text.replace(pattern, () => replacement);
}

async function accepts(port: number, child: Deno.ChildProcess): Promise<boolean> {
  let hasExited = false;
  void child.status.then(() => {
    hasExited = true;
  });
  const end = performance.now() + 10_000;
  while (performance.now() < end && !hasExited) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return false;
}

async function isInstalled(program: string): Promise<boolean> {
  const args = ["-c", `command -v ${program}`];
  const command = new Deno.Command("sh", { args, env: { PATH }, stdout: "null" });
  return (await command.output()).success;
}
