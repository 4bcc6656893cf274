/**
 * A server of the Model Context Protocol over lines of JSON-RPC. It has only tools, so this is the part of the protocol that tools need. The
 * protocol's own package for servers would make a bundle of 387 KB.
 */

/** Versions of the protocol that have what is used here in the same form, the newest first. */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** What a tool says. */
export interface ToolAnswer {
  text: string
  /** Whether it could not do what was asked. */
  isError: boolean
}

/** A function that clients call. */
export interface Tool {
  name: string
  title: string
  description: string
  /** JSON Schema of the arguments: an object. */
  inputSchema: { type: 'object'; properties: Readonly<Record<string, object>>; required: readonly string[] }
  call(args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>
}

export interface Server {
  name: string
  version: string
  /** What a client should know before it calls a tool. */
  instructions: string
  tools: readonly Tool[]
}

/** Codes of errors of JSON-RPC 2.0. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const INTERNAL_ERROR = -32603

class RequestError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Answers requests until there are no more lines.
 * @param lines a message each
 * @param write gets the lines of answers
 */
export async function serve(
  server: Server,
  lines: AsyncIterable<string>,
  write: (line: string) => Promise<void> | void,
): Promise<void> {
  // One call runs at a time, because each may take all of the memory. Other requests do not wait for it.
  let lastCall: Promise<void> = Promise.resolve()
  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = parsed(line)
    if (isFields(message) && message.method === 'tools/call' && message.id !== undefined)
      lastCall = lastCall.then(async () => write(await answer(server, message)))
    else {
      const text = await answer(server, message)
      if (text !== '') await write(text)
    }
  }
  await lastCall
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The line that answers a message; empty for a message that wants no answer. */
async function answer(server: Server, message: unknown): Promise<string> {
  if (message === undefined) return failed(null, new RequestError(PARSE_ERROR, 'expected JSON'))
  if (!isFields(message) || typeof message.method !== 'string') {
    // An answer to a request, which this server never sends.
    if (isFields(message) && ('result' in message || 'error' in message)) return ''
    return failed(null, new RequestError(INVALID_REQUEST, 'expected a request of JSON-RPC 2.0'))
  }
  const { id, method, params } = message
  if (id === undefined) return ''
  try {
    return lineOf({ id, result: await resultOf(server, method, isFields(params) ? params : {}) })
  } catch (error) {
    return failed(id, error instanceof RequestError ? error : new RequestError(INTERNAL_ERROR, String(error)))
  }
}

function lineOf(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

function failed(id: unknown, { code, message }: RequestError): string {
  return lineOf({ id, error: { code, message } })
}

async function resultOf(
  { name, version, instructions, tools }: Server,
  method: string,
  params: Fields,
): Promise<object> {
  switch (method) {
    case 'initialize': {
      const asked = PROTOCOL_VERSIONS.find((one) => one === params.protocolVersion)
      const [newest] = PROTOCOL_VERSIONS
      const serverInfo = { name, version }
      return { protocolVersion: asked ?? newest, capabilities: { tools: {} }, serverInfo, instructions }
    }
    case 'ping':
      return {}
    case 'tools/list': {
      const annotations = { readOnlyHint: true, openWorldHint: false }
      return { tools: tools.map(({ call, ...tool }) => ({ ...tool, annotations })) }
    }
    case 'tools/call': {
      const tool = tools.find((one) => one.name === params.name)
      if (!tool) throw new RequestError(INVALID_PARAMS, `no tool ${JSON.stringify(params.name)}`)
      const { text, isError } = await tool.call(isFields(params.arguments) ? params.arguments : {})
      return { content: [{ type: 'text', text }], isError }
    }
    default:
      throw new RequestError(METHOD_NOT_FOUND, `no method ${method}`)
  }
}
