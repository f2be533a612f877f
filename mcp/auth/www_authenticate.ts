/**
 * What a server says when it wants credentials: the `WWW-Authenticate` header.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1 RFC 9110, section 11.6.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-5.1 RFC 9728, section 5.1}
 * @module
 */

/** One challenge of the header. */
export interface Challenge {
  /** How credentials are shown, in lower case, such as `bearer`. */
  readonly scheme: string;
  /** What is said about it, by name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** What a server wants that has refused a request. */
export interface AuthChallenge {
  /** A token, or one that is good for more. */
  readonly kind: "token" | "scope";
  /** The scopes that are needed, if it says so. */
  readonly scope?: string;
  /** Where it describes itself, if it says so. */
  readonly resourceMetadata?: string;
  /** Whether a token that was just refreshed would not do, so that only a fresh start can help. */
  readonly isAfresh?: boolean;
}

/** How long a header may be, in characters. */
const MAX_CHARS = 8192;

/** How many challenges and parameters a header may hold. */
const MAX_PARTS = 64;

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PARAMETER = new RegExp(`^(${TOKEN})[ \\t]*=[ \\t]*(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")$`);
const SCHEME = new RegExp(`^(${TOKEN})(?:[ ]+(.*))?$`);
const TOKEN68 = /^[\w.~+/-]+=*$/;

/** Reads the header. A header that is too long or breaks the grammar says nothing. */
export function parseChallenges(header: string): readonly Challenge[] {
  if (header.length > MAX_CHARS) return [];
  const parts = splitList(header);
  if (parts === undefined || parts.length > MAX_PARTS) return [];
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const part of parts) {
    const isRead = addParameter(challenges.at(-1)?.parameters, part) ||
      addChallenge(challenges, part);
    if (!isRead) return [];
  }
  return challenges;
}

/** What a response wants, when it refuses for want of credentials; undefined otherwise. */
export function readAuthChallenge(response: Response): AuthChallenge | undefined {
  const { status } = response;
  if (status !== 401 && status !== 403) return undefined;
  const known = parseChallenges(response.headers.get("www-authenticate") ?? "")
    .filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const parameters = known.find(({ parameters }) => parameters.has("resource_metadata"))
    ?.parameters ?? known[0]?.parameters;
  const isScope = parameters?.get("error") === "insufficient_scope";
  if (status === 403 && !isScope) return undefined;
  const scope = parameters?.get("scope");
  const resourceMetadata = parameters?.get("resource_metadata");
  return {
    kind: isScope ? "scope" : "token",
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
  };
}

/** Whether a server wants its request again, with the nonce that came along. */
export function wantsNonce(response: Response): boolean {
  if (response.status !== 401 || !response.headers.has("dpop-nonce")) return false;
  return parseChallenges(response.headers.get("www-authenticate") ?? "").some((
    { scheme, parameters },
  ) => scheme === "dpop" && parameters.get("error") === "use_dpop_nonce");
}

/** Splits at commas outside of quotes; undefined when a quote does not end. */
function splitList(header: string): string[] | undefined {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < header.length; at++) {
    const character = header[at];
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === "," && !isQuoted) {
      parts.push(header.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(header.slice(start));
  return isQuoted ? undefined : parts.map((part) => part.trim()).filter((part) => part !== "");
}

function addParameter(parameters: Map<string, string> | undefined, part: string): boolean {
  const [, name, token, quoted] = PARAMETER.exec(part) ?? [];
  if (parameters === undefined || name === undefined) return false;
  // A parameter must not come twice; the first one counts, as nothing can be added to it that way.
  if (!parameters.has(name.toLowerCase())) {
    parameters.set(name.toLowerCase(), token ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
  }
  return true;
}

function addChallenge(
  challenges: { scheme: string; parameters: Map<string, string> }[],
  part: string,
): boolean {
  const [, scheme, rest] = SCHEME.exec(part) ?? [];
  if (scheme === undefined) return false;
  const parameters = new Map<string, string>();
  challenges.push({ scheme: scheme.toLowerCase(), parameters });
  return rest === undefined || addParameter(parameters, rest.trim()) || TOKEN68.test(rest.trim());
}
