/**
 * Third-party agent loops in Python.
 *
 * @module
 */

import type { ThirdPartySubject } from "./subject.ts";

const FOLDER = "conformance/drivers/third_party/python";
const PYTHON =
  `env PYTHONPATH=${FOLDER}:${FOLDER}/agent_loops {build}/bin/python ${FOLDER}/agent_loops`;
const COMMON = {
  language: "python",
  library: "runtime",
  build: { tool: "python", folder: "python/agent_loops" },
} as const;

/** The agent loops in Python, with notes on their failing cases. */
export const PYTHON_AGENT_LOOPS: readonly ThirdPartySubject[] = [
  {
    ...COMMON,
    name: "pydantic-ai",
    title: "Pydantic AI, Agent",
    package: "pydantic-ai-slim",
    version: "2.68.0",
    access: { kind: "driver", command: `${PYTHON}/pydantic_ai_loop.py` },
    notes: [],
  },
  {
    ...COMMON,
    name: "openai-agents-python",
    title: "OpenAI Agents SDK for Python, Runner",
    package: "openai-agents",
    version: "0.24.0",
    access: { kind: "driver", command: `${PYTHON}/openai_agents_loop.py` },
    notes: [],
  },
  {
    ...COMMON,
    name: "langchain",
    title: "LangChain agents on LangGraph, create_agent",
    package: "langchain",
    version: "1.4.7",
    access: { kind: "driver", command: `${PYTHON}/langgraph_loop.py` },
    notes: [],
  },
];
