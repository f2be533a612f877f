/**
 * Environment variables that a server process inherits.
 *
 * @module
 */

/** Inherited variables that contain system and user paths, on Linux and macOS. */
const UNIX_VARIABLES = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/** Inherited variables that contain system and user paths, on Windows. */
const WINDOWS_VARIABLES = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];

/**
 * Inherited variables that programs need to download files through a proxy or from a server whose
 * certificate was issued by a private certificate authority.
 */
const NETWORK_VARIABLES = [
  "ALL_PROXY",
  "DENO_DIR",
  "DENO_TLS_CA_STORE",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NO_PROXY",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "all_proxy",
  "http_proxy",
  "https_proxy",
  "no_proxy",
];

/**
 * Returns the environment variables that a server process inherits.
 *
 * @param env Environment variables of the current process.
 * @param platform Platform of the current process, as in Node.js: `win32` means Windows.
 */
export function inheritedEnv(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): Record<string, string> {
  const system = platform === "win32" ? WINDOWS_VARIABLES : UNIX_VARIABLES;
  return Object.fromEntries([...system, ...NETWORK_VARIABLES].flatMap((name) => {
    const value = env[name];
    // Values that start with `()` are exported shell functions, which contain code.
    return value === undefined || value.startsWith("()") ? [] : [[name, value]];
  }));
}
