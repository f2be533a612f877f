/**
 * URI templates, read backwards: which values of the variables make this URI?
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6570 RFC 6570}
 * @module
 */

/** The values of a template's variables, decoded. */
export type TemplateVariables = Readonly<Record<string, string>>;

/** A template that has been read. */
export interface UriTemplate {
  /** The names of its variables, in order. */
  readonly variables: readonly string[];
  /** The values that make this URI, or undefined when none do. Variables of a query may be missing. */
  match(uri: string): TemplateVariables | undefined;
}

/** Longer URIs match nothing. */
const MAX_URI_LENGTH = 8192;

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;
const VARIABLE = /^([A-Za-z0-9_.%]+)(\*|:\d+)?$/;

/** What a variable may look like, and what stands before the first and between two. */
const OPERATORS: Readonly<Record<string, { first: string; next: string; value: string }>> = {
  "": { first: "", next: ",", value: "[^/?#,]+" },
  "+": { first: "", next: ",", value: ".+?" },
  "#": { first: "#", next: ",", value: ".+?" },
  ".": { first: "\\.", next: "\\.", value: "[^/?#.]+" },
  "/": { first: "/", next: "/", value: "[^/?#]+" },
};

/**
 * Reads a template of RFC 6570. Values of several parts (`{list*}`) are taken as one text.
 *
 * @throws {TypeError} when it is not valid, or has parameters of the form `{;name}`
 */
export function parseUriTemplate(template: string): UriTemplate {
  const variables: string[] = [];
  const inPath: string[] = [];
  const inQuery: string[] = [];
  let pattern = "";
  let end = 0;
  for (const { 0: whole, 1: operator = "", 2: list = "", index } of template.matchAll(EXPRESSION)) {
    pattern += escape(literal(template.slice(end, index), template));
    end = index + whole.length;
    const names = list.split(",").map((text) => readVariable(text, template));
    variables.push(...names.map(({ name }) => name));
    if (operator === "?" || operator === "&") inQuery.push(...names.map(({ name }) => name));
    else {
      inPath.push(...names.map(({ name }) => name));
      pattern += patternOf(operator, names, template);
    }
  }
  pattern += escape(literal(template.slice(end), template));
  const hasQuery = inQuery.length > 0;
  const regExp = new RegExp(`^${pattern}${hasQuery ? "(?:[?&]([^#]*))?" : ""}$`, "s");
  return {
    variables,
    match: (uri) => {
      const found = uri.length > MAX_URI_LENGTH ? null : regExp.exec(uri);
      if (found === null) return undefined;
      const query = hasQuery ? new URLSearchParams(found[inPath.length + 1] ?? "") : undefined;
      return collect(inPath, found, inQuery, query);
    },
  };
}

function collect(
  inPath: readonly string[],
  found: RegExpExecArray,
  inQuery: readonly string[],
  query: URLSearchParams | undefined,
): TemplateVariables | undefined {
  const values = new Map<string, string>();
  for (const [index, name] of inPath.entries()) {
    const value = decode(found[index + 1] ?? "");
    // A variable that stands in two places has one value.
    if (value === undefined || (values.has(name) && values.get(name) !== value)) return undefined;
    values.set(name, value);
  }
  for (const name of inQuery) {
    const value = query?.get(name);
    if (typeof value === "string") values.set(name, value);
  }
  return Object.fromEntries(values);
}

interface Variable {
  readonly name: string;
  readonly isExploded: boolean;
}

function readVariable(text: string, template: string): Variable {
  const [, name, modifier] = VARIABLE.exec(text) ?? [];
  if (name === undefined) throw invalid(template, `"${text}" is no variable`);
  return { name, isExploded: modifier === "*" };
}

function patternOf(operator: string, variables: readonly Variable[], template: string): string {
  const rules = OPERATORS[operator];
  if (rules === undefined) throw invalid(template, `the operator "${operator}" is not supported`);
  const { first, next, value } = rules;
  return variables.map(({ isExploded }, index) => {
    const own = isExploded ? `${value}(?:${next}${value})*` : value;
    return `${index === 0 ? first : next}(${own})`;
  }).join("");
}

function literal(text: string, template: string): string {
  if (/[{}]/.test(text)) throw invalid(template, "a brace has no partner");
  return text;
}

function escape(text: string): string {
  return text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function invalid(template: string, fact: string): TypeError {
  return new TypeError(`Cannot read the URI template "${template}": ${fact}`);
}
