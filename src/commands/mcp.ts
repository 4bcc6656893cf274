import { InspectError, usage } from '../base/errors.ts'
import { VERSION } from '../base/version.ts'
import type { Called, CommandModule, InnerCalls } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { collect } from '../calls/options.ts'
import type { McpDocument } from '../documents/mcp.ts'
import { counted } from '../render/views/wording.ts'
import { type Server, serve, type Tool, type ToolAnswer } from './mcp-server.ts'

interface McpOptions {
  json?: boolean
  format?: string
  root?: string[]
  tools?: boolean
}

/** Largest answer, in bytes. */
const MOST = 16 * 1024
/** Parts of it, in bytes: for notes and errors, and for what is said about the call itself. */
const FOR_NOTES = 2 * 1024
const FOR_END = 1024

export const command: CommandModule<McpOptions> = {
  about:
    'A client starts this command, and talks to it over stdin and stdout. It has three tools: overview of a target, find_call for a question, and run for a command that only reads. Answers have at most 16 KiB, and say what was left out. The server writes nothing. It takes no key from a client: give the key to this command.',
  examples: [
    ['the tools, without serving them', 'mcp --tools'],
    ['the same, with targets in one folder only', 'mcp --tools --root places'],
    ['the same as JSON, with the commands that run takes', 'mcp --tools --json'],
  ],

  ownOutput: () => true,

  configure(command) {
    command
      .option('--root <dir>', 'only targets in this folder, or below this URL (repeatable)', collect)
      .option('--tools', 'show the tools, and serve nothing')
  },

  async *run(cx, _paths, { root = [], tools, json, format }) {
    if (!cx.inner) throw usage('mcp runs on the command line only')
    const inner = await cx.inner()
    const server = serverOf(inner, root)
    const document: McpDocument = {
      ...documentHead('mcp', root.join(', ')),
      tools: server.tools.map(({ name, description }) => ({ name, description })),
      commands: [...inner.commands.keys()],
    }
    if (tools) {
      const lines = server.tools.map(({ name, description }) => `${name}: ${description}\n`)
      yield { kind: 'document', document, table: (out) => out.write(lines.join('\n')) }
      return
    }
    if (json || format !== undefined)
      throw usage('mcp expects --tools with --format or --json: the protocol has its own format')
    const { inputLines } = await import('../node/input-lines.ts')
    yield { kind: 'document', document, table: (out) => serve(server, inputLines(), (line) => out.write(line)) }
  },
}

/** The server of a call. */
export function serverOf(inner: InnerCalls, roots: readonly string[]): Server {
  const run = async (argv: readonly string[]): Promise<ToolAnswer> => {
    try {
      return answerOf(await inner.run(argv, { roots, most: MOST - FOR_NOTES - FOR_END }))
    } catch (error) {
      if (error instanceof InspectError) return { text: `error: ${error.message}\n`, isError: true }
      throw error
    }
  }
  const where = roots.length > 0 ? ` Targets lie in ${roots.join(', ')}.` : ''
  return {
    name: 'tiledb-inspect',
    version: VERSION,
    instructions: `See what is really on disk in TileDB arrays, groups, fragments and files, by path or URL (s3, gs, azure, https).${where} Begin with overview. find_call gives the call for a question; run makes it.`,
    tools: [overviewTool(run), findTool(inner), runTool(run, inner)],
  }
}

type Run = (argv: readonly string[]) => Promise<ToolAnswer>

function overviewTool(run: Run): Tool {
  return {
    name: 'overview',
    title: 'Overview of a target',
    description:
      'What an array, group, fragment or file is, what a reader sees of it, how large and how old it is, whether it is damaged, and what to call next.',
    inputSchema: {
      type: 'object',
      properties: { target: { type: 'string', description: 'Path or URL (s3, gs, azure, https).' } },
      required: ['target'],
    },
    call: async ({ target }) => (isText(target) ? run(['overview', '--', target]) : wrong('target', 'a path or URL')),
  }
}

function findTool({ commands, answers }: InnerCalls): Tool {
  return {
    name: 'find_call',
    title: 'Find the call for a question',
    description:
      'The calls of tiledb-inspect that answer a question about arrays, as "vacuum", "why is my read slow?" or "which cells were deleted?". places and weather stand for your array.',
    inputSchema: {
      type: 'object',
      properties: { question: { type: 'string', description: 'The question, or words of it.' } },
      required: ['question'],
    },
    call: async ({ question }) => {
      if (!isText(question)) return wrong('question', 'a question or words')
      const found = answers(question.split(/\s+/))
      // Commands that write or serve are for people.
      const refused = /tiledb-inspect ((?!help)[a-z][a-z-]+)/g
      const others = Array.from(found.matchAll(refused), ([, name]) => name).filter((name) => !commands.has(name))
      const more = others.length === 0 ? '' : `run does not take ${[...new Set(others)].join(', ')}.\n`
      return { text: found + more, isError: false }
    },
  }
}

function runTool(run: Run, { commands }: InnerCalls): Tool {
  const names = [...commands.keys()]
  const about = Array.from(commands, ([name, summary]) => `${name}: ${summary}`).join('\n')
  return {
    name: 'run',
    title: 'Run a command that only reads',
    description: `Runs tiledb-inspect with a command and its arguments, each as one text, and gives what it prints: text for people, or JSON with --json. The argument --help shows the options of a command. At most ${MOST / 1024} KiB come back; --limit, --field, --range and others choose less.`,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', enum: names, description: about },
        arguments: {
          type: 'array',
          items: { type: 'string' },
          description: 'Targets and options: ["places", "--range", "lat=40..60", "--limit", "10"].',
        },
      },
      required: ['command', 'arguments'],
    },
    call: async ({ command: name, arguments: args = [] }) => {
      if (!isText(name)) return wrong('command', names.join(', '))
      if (!Array.isArray(args) || !args.every((one) => typeof one === 'string'))
        return wrong('arguments', 'a list of texts')
      return run([name, ...args])
    },
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function wrong(name: string, expected: string): ToolAnswer {
  return { text: `error: ${name} expects ${expected}\n`, isError: true }
}

/** What an exit code means, for a client that sees none. */
const EXIT_CODES: Readonly<Record<number, string>> = {
  1: 'exit code 1: damage or a difference was found',
  2: 'exit code 2: the call is wrong',
  3: 'exit code 3: not fully examined',
}

function answerOf({ code, text, errors, leftOut, narrows }: Called): ToolAnswer {
  const notes = errors.length > FOR_NOTES ? `${errors.slice(0, FOR_NOTES)}…\n` : errors
  const { bytes, isMore } = leftOut
  const size = `${isMore ? 'more than ' : ''}${counted(bytes, 'byte')}`
  const hint = narrows.length > 0 ? ` ${narrows.join(', ')} choose less.` : ''
  const cut = bytes > 0 ? `[left out: ${size} after this.${hint}]\n` : ''
  const end = code in EXIT_CODES ? `[${EXIT_CODES[code]}]\n` : ''
  return { text: text + cut + notes + end, isError: code === 2 || (code !== 0 && text === '') }
}
