/**
 * Mutation operators: small faults that can be introduced at many locations in a program.
 *
 * @module
 */

import { ts } from "./typescript.ts";

/** A location in a file, and the replacement strings that an operator can write there. */
export interface Site {
  /** Name of the operator. */
  readonly operator: string;
  /** Offset of the first replaced character. */
  readonly start: number;
  /** Offset after the last replaced character. */
  readonly end: number;
  /** Possible replacements. At least one. */
  readonly texts: readonly string[];
  /**
   * Innermost call, error or member that contains the location, such as `new TypeError` or
   * `reason:`.
   */
  readonly context: string;
}

/** A change to one node: the node that is replaced, and its replacements. */
interface Change {
  readonly node: ts.Node;
  readonly texts: readonly string[];
}

/**
 * Returns the change that an operator makes at a node, or `undefined` if the operator does not
 * apply to the node.
 */
type Operator = (node: ts.Node, textOf: (node: ts.Node) => string) => Change | undefined;

const { SyntaxKind } = ts;

/** Replacements for binary operators, keyed by mutation operator. */
const BINARY: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  equality: new Map([["===", "!=="], ["!==", "==="]]),
  boundary: new Map([["<", "<="], ["<=", "<"], [">", ">="], [">=", ">"]]),
  logical: new Map([["&&", "||"], ["||", "&&"]]),
  arithmetic: new Map([
    ...[["+", "-"], ["-", "+"], ["*", "/"], ["/", "*"], ["%", "*"], ["**", "*"]] as const,
    ...[["+=", "-="], ["-=", "+="], ["<<", ">>"], [">>", "<<"], ["&", "|"], ["|", "&"]] as const,
  ]),
};

/** Methods that are replaced with each other. */
const SWAPPED: ReadonlyMap<string, string> = new Map(
  [
    ["startsWith", "endsWith"],
    ["indexOf", "lastIndexOf"],
    ["some", "every"],
    ["min", "max"],
    ["push", "unshift"],
    ["pop", "shift"],
    ["ceil", "floor"],
    ["toLowerCase", "toUpperCase"],
    ["trimStart", "trimEnd"],
    ["find", "findLast"],
    ["padStart", "padEnd"],
  ].flatMap(([one = "", other = ""]) => [[one, other], [other, one]]),
);

/** Methods whose calls are replaced with the object that they are called on. */
const DROPPED: ReadonlySet<string> = new Set([
  ...["trim", "slice", "filter", "reverse", "toReversed", "sort", "toSorted", "concat", "replace"],
  ...["replaceAll", "toLowerCase", "toUpperCase", "normalize", "flat", "subarray", "trimEnd"],
]);

/** Returns an operator that replaces the operator of binary expressions. */
function binary(name: string): Operator {
  return (node) => {
    if (!ts.isBinaryExpression(node)) return undefined;
    const text = BINARY[name]?.get(node.operatorToken.getText());
    return text === undefined ? undefined : { node: node.operatorToken, texts: [text] };
  };
}

function isLeaving(node: ts.Statement): boolean {
  const only = ts.isBlock(node) && node.statements.length === 1 ? node.statements[0] : node;
  return only !== undefined &&
    (ts.isReturnStatement(only) || ts.isThrowStatement(only) || ts.isBreakStatement(only) ||
      ts.isContinueStatement(only) || ts.isExpressionStatement(only));
}

function isText(node: ts.Node): boolean {
  return (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) &&
    node.text !== "" && !isName(node);
}

/** Returns true if a literal is the name of a member or a type. */
function isName({ parent }: ts.Node): boolean {
  return ts.isLiteralTypeNode(parent) || ts.isPropertySignature(parent) ||
    ts.isMethodSignature(parent);
}

/** The mutation operators, keyed by name. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["string-empty", (node) => {
    if (isText(node) || ts.isTemplateExpression(node)) return { node, texts: ['""'] };
    return undefined;
  }],
  ["number", (node) => {
    if (!ts.isNumericLiteral(node) || isName(node)) return undefined;
    const value = Number(node.text);
    return { node, texts: [`${value + 1}`, `(${value - 1})`] };
  }],
  ["boolean", (node) => {
    if (isName(node)) return undefined;
    if (node.kind === SyntaxKind.TrueKeyword) return { node, texts: ["false"] };
    return node.kind === SyntaxKind.FalseKeyword ? { node, texts: ["true"] } : undefined;
  }],
  ["equality", binary("equality")],
  ["boundary", binary("boundary")],
  ["arithmetic", binary("arithmetic")],
  ["logical", (node, textOf) => {
    if (!ts.isBinaryExpression(node)) return undefined;
    const other = BINARY.logical?.get(node.operatorToken.getText());
    if (other === undefined) return undefined;
    return { node, texts: [`((${textOf(node.left)}) ${other} (${textOf(node.right)}))`] };
  }],
  ["fallback-drop", (node, textOf) => {
    if (!ts.isBinaryExpression(node)) return undefined;
    if (node.operatorToken.kind !== SyntaxKind.QuestionQuestionToken) return undefined;
    return { node, texts: [`(${textOf(node.left)})`, `(${textOf(node.right)})`] };
  }],
  ["cond-negate", (node, textOf) => {
    const condition = ts.isIfStatement(node) || ts.isWhileStatement(node)
      ? node.expression
      : ts.isConditionalExpression(node)
      ? node.condition
      : undefined;
    if (condition === undefined) return undefined;
    return { node: condition, texts: [`!(${textOf(condition)})`] };
  }],
  ["negation-drop", (node, textOf) => {
    if (!ts.isPrefixUnaryExpression(node)) return undefined;
    if (node.operator !== SyntaxKind.ExclamationToken) return undefined;
    return { node, texts: [textOf(node.operand)] };
  }],
  ["increment", (node, textOf) => {
    if (!ts.isPostfixUnaryExpression(node)) return undefined;
    const other = node.operator === SyntaxKind.PlusPlusToken ? "--" : "++";
    return { node, texts: [`${textOf(node.operand)}${other}`] };
  }],
  ["stmt-remove", (node) => ts.isExpressionStatement(node) ? { node, texts: [";"] } : undefined],
  ["throw-drop", (node) => ts.isThrowStatement(node) ? { node, texts: [";"] } : undefined],
  ["guard-remove", (node) => {
    if (!ts.isIfStatement(node) || node.elseStatement !== undefined) return undefined;
    return isLeaving(node.thenStatement) ? { node, texts: [";"] } : undefined;
  }],
  [
    "block-empty",
    (node) => ts.isBlock(node) && node.statements.length > 0 ? { node, texts: ["{}"] } : undefined,
  ],
  ["return-value", (node) => {
    if (!ts.isReturnStatement(node) || node.expression === undefined) return undefined;
    const texts = ["undefined", "false", "true", '""', "[]", "0", "null"];
    const own = node.expression.getText();
    return { node: node.expression, texts: texts.filter((text) => text !== own) };
  }],
  [
    "await-drop",
    (node, textOf) => {
      if (!ts.isAwaitExpression(node) || isAwaitedAnyway(node)) return undefined;
      return { node, texts: [textOf(node.expression)] };
    },
  ],
  ["optional-chain", (node) => {
    const isChain = ts.isPropertyAccessExpression(node) && node.questionDotToken !== undefined;
    return isChain ? { node: node.questionDotToken, texts: ["!."] } : undefined;
  }],
  ["member-remove", (node) => {
    const isMember = (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) &&
      ts.isObjectLiteralExpression(node.parent);
    return isMember ? { node, texts: ["...{}"] } : undefined;
  }],
  ["spread-remove", (node) => {
    if (ts.isSpreadAssignment(node)) return { node, texts: ["...{}"] };
    return ts.isSpreadElement(node) ? { node, texts: ["...[]"] } : undefined;
  }],
  ["array-empty", (node) => {
    if (!ts.isArrayLiteralExpression(node) || node.elements.length === 0) return undefined;
    return { node, texts: ["[]"] };
  }],
  ["method-swap", (node) => {
    if (!ts.isPropertyAccessExpression(node) || !ts.isCallExpression(node.parent)) return undefined;
    const other = SWAPPED.get(node.name.text);
    return other === undefined ? undefined : { node: node.name, texts: [other] };
  }],
  ["method-drop", (node, textOf) => {
    if (!ts.isCallExpression(node)) return undefined;
    const { expression } = node;
    if (!ts.isPropertyAccessExpression(expression)) return undefined;
    const isDropped = DROPPED.has(expression.name.text);
    return isDropped ? { node, texts: [textOf(expression.expression)] } : undefined;
  }],
  ["regex", (node, textOf) => {
    if (node.kind !== SyntaxKind.RegularExpressionLiteral) return undefined;
    const text = textOf(node);
    const texts = [text.replace("/^", "/"), text.replace(/\$(?=\/[a-z]*$)/, "")];
    const changed = texts.filter((each) => each !== text && !/^\/\//.test(each));
    return changed.length === 0 ? undefined : { node, texts: changed };
  }],
]);

/**
 * Returns true if a program without an `await` is equivalent: a generator awaits what it yields,
 * and the caller of a function awaits what the function returns. In a `try` statement, a `for...of`
 * loop and a block with `using`, an `await` decides what runs first.
 */
function isAwaitedAnyway({ parent }: ts.AwaitExpression): boolean {
  if (ts.isYieldExpression(parent)) return parent.asteriskToken === undefined;
  if (ts.isArrowFunction(parent)) return true;
  if (!ts.isReturnStatement(parent)) return false;
  for (let each = parent.parent; !ts.isFunctionLike(each); each = each.parent) {
    if (ts.isTryStatement(each) || ts.isForOfStatement(each)) return false;
    if (
      (ts.isBlock(each) || ts.isCaseOrDefaultClause(each)) && each.statements.some(declaresResource)
    ) return false;
  }
  return true;
}

/** Returns true if a statement declares a resource with `using` or `await using`. */
function declaresResource(statement: ts.Statement): boolean {
  return ts.isVariableStatement(statement) &&
    (statement.declarationList.flags & ts.NodeFlags.Using) !== 0;
}

/** Syntax nodes that contain no executable code. */
function isErased(node: ts.Node): boolean {
  return ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node);
}

/** Describes the innermost call, error or member that contains a node. */
function contextOf(node: ts.Node): string {
  for (let each = node.parent; !ts.isSourceFile(each); each = each.parent) {
    if (ts.isNewExpression(each)) return `new ${each.expression.getText()}`;
    if (ts.isCallExpression(each)) return each.expression.getText();
    if (ts.isPropertyAssignment(each)) return `${each.name.getText()}:`;
    if (ts.isStatement(each) || ts.isFunctionLike(each)) break;
  }
  return "";
}

/** Lists the locations in a file where operators apply, in file order. */
export function listSites(source: ts.SourceFile): readonly Site[] {
  const sites: Site[] = [];
  const textOf = (node: ts.Node): string => node.getText(source);
  const visit = (node: ts.Node): void => {
    if (isErased(node)) return;
    for (const [operator, apply] of OPERATORS) {
      const change = apply(node, textOf);
      if (change === undefined) continue;
      const { node: place, texts } = change;
      const [start, end] = [place.getStart(source), place.getEnd()];
      sites.push({ operator, start, end, texts, context: contextOf(place) });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return sites;
}
