/**
 * Lint rules for this project that `deno lint` does not provide.
 *
 * @module
 */

/** Paths of shipped code, which must not use the console. */
const MEMBER_FILE =
  /^(?!.*\/(?:bench|examples|interop|tools)\/).*\/(?:comm|runtime|mcp|conformance)\/(?!.*(?:_test\.ts$|\/testdata\/))/;

type Visitor = (node: Deno.lint.Node) => void;

function report(context: Deno.lint.RuleContext, message: string): Visitor {
  return (node) => context.report({ node, message });
}

/** Returns a rule that reports every node that matches one of the selectors. */
function forbid(selectors: readonly string[], message: string): Deno.lint.Rule {
  return {
    create: (context) =>
      Object.fromEntries(selectors.map((selector) => [selector, report(context, message)])),
  };
}

const plugin: Deno.lint.Plugin = {
  name: "house",
  rules: {
    "no-console": {
      create(context): Deno.lint.LintVisitor {
        if (!MEMBER_FILE.test(context.filename)) return {};
        return {
          'MemberExpression[object.name="console"]': report(context, "A library must not print"),
        };
      },
    },
    "no-enum": forbid(["TSEnumDeclaration"], "Use a const object and a union type"),
    "no-export-all": forbid(["ExportAllDeclaration"], "Export by name"),
    "no-private-keyword": forbid(
      ['PropertyDefinition[accessibility="private"]', 'MethodDefinition[accessibility="private"]'],
      "Use a #private member",
    ),
    "no-top-level-arrow": forbid(
      [
        "Program > VariableDeclaration > VariableDeclarator > ArrowFunctionExpression",
        "Program > ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > ArrowFunctionExpression",
      ],
      "Use a function declaration at the top level",
    ),
    "no-sleep-in-tests": {
      create(context): Deno.lint.LintVisitor {
        if (!context.filename.endsWith("_test.ts")) return {};
        return {
          'CallExpression[callee.name="setTimeout"]': report(
            context,
            "Wait for a signal or use FakeTime",
          ),
        };
      },
    },
  },
};

export default plugin;
