import type { DocumentHead } from './common.ts'

/** `tiledb-inspect mcp --tools --json`. `path` has the folders of `--root`. */
export interface McpDocument extends DocumentHead<'mcp'> {
  /** The tools that clients may call. */
  tools: readonly McpTool[]
  /** The commands that the tool `run` takes. */
  commands: readonly string[]
}

/** A tool of the server. */
export interface McpTool {
  /** The name by which it is called. */
  name: string
  /** What it does. */
  description: string
}
