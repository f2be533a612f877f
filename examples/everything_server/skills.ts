/**
 * Skills of the everything server.
 *
 * @module
 */

import { memorySkills, type ServerSkills, serverSkills } from "@parley/mcp/skills";

const FILES = {
  "pdf-processing/SKILL.md": `---
name: pdf-processing
description: Extract, fill and assemble PDF documents
license: MIT
metadata:
  version: "1.0"
---

# PDF processing

For forms, read references/forms.md. To extract text, run scripts/extract.py.
`,
  "pdf-processing/references/forms.md": "# Forms\n\nFill all required fields.\n",
  "pdf-processing/scripts/extract.py": "print('extracted')\n",
  "release-notes/SKILL.md": `---
name: release-notes
description: Write release notes in the style of the team
---

Start each line with a verb.
`,
};

/** Loads the skills. */
export function loadSkills(): Promise<ServerSkills> {
  return serverSkills({ files: memorySkills(FILES) });
}
