/**
 * Runs the nginx configuration from the page "MCP behind a load balancer".
 *
 * @module
 */

import { join } from "node:path";
import { freePort } from "../../conformance/platform/net.ts";

/** Page with the configurations. */
export const PAGE: string = await Deno.readTextFile(
  new URL("../../docs/mcp-behind-a-load-balancer.md", import.meta.url),
);

/** Command that installs nginx on Debian. */
export const INSTALL_NGINX = "apt-get install -y nginx-light";

/** Debian installs nginx in a folder that is on the PATH of root only. */
const PATH = `${Deno.env.get("PATH")}:/usr/sbin`;

/** Whether nginx is installed. */
export const HAS_NGINX: boolean = await findNginx();

/** A running nginx. */
export interface Nginx extends AsyncDisposable {
  /** Port on 127.0.0.1. */
  readonly port: number;
}

/** Returns the page's code blocks in the given language. */
export function codeBlocks(language: string): readonly string[] {
  const blocks = PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, text]) => text ?? "");
}

/**
 * Starts nginx with the configuration from the page, with only the addresses changed.
 *
 * @throws {Error} If nginx does not start within 10 seconds.
 */
export async function startNginx(
  { urls, hasAffinity = false }: { urls: readonly string[]; hasAffinity?: boolean },
): Promise<Nginx> {
  const folder = await Deno.makeTempDir({ prefix: "parley-nginx-" });
  const port = await freePort();
  await Deno.writeTextFile(join(folder, "mcp.conf"), configure(urls, port, hasAffinity));
  await Deno.writeTextFile(join(folder, "nginx.conf"), MAIN);
  const child = new Deno.Command("nginx", {
    args: ["-p", folder, "-c", "nginx.conf", "-e", "stderr"],
    env: { PATH },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const stop = async (): Promise<void> => {
    try {
      child.kill("SIGTERM");
    } catch {
      // nginx has exited.
    }
    await child.status;
    await errors;
    await Deno.remove(folder, { recursive: true });
  };
  if (!await accepts(port)) {
    child.kill("SIGKILL");
    const text = await errors;
    await stop();
    throw new Error(`nginx did not start: ${text}`);
  }
  return { port, [Symbol.asyncDispose]: stop };
}

/**
 * The part of the configuration that Debian installs as `/etc/nginx/nginx.conf`, for a single process that is not a
 * service.
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

function configure(urls: readonly string[], port: number, hasAffinity: boolean): string {
  const [config = "", upstream = ""] = codeBlocks("nginx");
  const chosen = hasAffinity ? config.replace(/^upstream .*?^\}\n/ms, () => upstream) : config;
  const servers = urls.map((url) => `server ${new URL(url).host};`);
  return replaceOnce(
    replaceOnce(chosen, /listen 80;/, `listen 127.0.0.1:${port};`),
    /(server 10\.0\.0\.\d:8000;\s*)+/,
    servers.join("\n"),
  );
}

function replaceOnce(text: string, pattern: RegExp, replacement: string): string {
  if (!pattern.test(text)) throw new Error(`The configuration does not contain ${pattern}`);
  return text.replace(pattern, () => replacement);
}

async function accepts(port: number): Promise<boolean> {
  const end = performance.now() + 10_000;
  while (performance.now() < end) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return false;
}

async function findNginx(): Promise<boolean> {
  const args = ["-c", "command -v nginx"];
  const command = new Deno.Command("sh", { args, env: { PATH }, stdout: "null" });
  return (await command.output()).success;
}
