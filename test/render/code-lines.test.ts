import { describe, expect, test } from '@jest/globals'
import { lineText } from '../../src/advice/line.ts'
import { rewriteLines } from '../../src/advice/lines.ts'
import { type CodeLine, codeLines } from '../../src/render/code-lines.ts'
import { textWidth } from '../../src/render/text-width.ts'
import { floats, madeArray, ZSTD } from '../advice/made-array.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g

/** Open brackets at the end of code; texts in quotes hold none. */
function depthOf(code: string): number {
  const bare = code.replace(QUOTED, '""')
  return (bare.match(/[([{]/g)?.length ?? 0) - (bare.match(/[)\]}]/g)?.length ?? 0)
}

/** The statement that Python reads in lines. A line ends it unless a bracket is open, or a backslash stands at its end. */
function pasted(lines: readonly string[]): string[] {
  const statements: string[] = []
  let code = ''
  for (const line of lines.filter((one) => !one.startsWith('#'))) {
    // Prompts refuse spaces before a statement.
    if (code === '') expect(line).toMatch(/^\S/)
    const isOpen = line.endsWith(' \\')
    code += `${isOpen ? line.slice(0, -2) : line} `
    if (isOpen || depthOf(code) > 0) continue
    statements.push(code)
    code = ''
  }
  expect(code).toBe('')
  return statements.map(bare)
}

/** Without spaces that mean nothing. */
function bare(code: string): string {
  const texts = code.match(QUOTED) ?? []
  let at = 0
  return code
    .replace(QUOTED, '""')
    .replace(/\s+/g, ' ')
    .replace(/([([{]) /g, '$1')
    .trim()
    .replace(/""/g, () => texts[at++])
}

async function advice(): Promise<CodeLine[]> {
  const x = Int32Array.from({ length: 10 }, (_, i) => i)
  const opened = await madeArray({
    dimensions: [['x', 0, 9, 10]],
    attributes: { v: [] },
    fragments: [{ x, v: floats(10, (i) => i) }],
  })
  const attributes = opened.schema.attributes.map((one) => ({ ...one, nullable: true, enumeration: 'two words' }))
  const harder = { ...opened, schema: { ...opened.schema, attributes } }
  return [
    ...rewriteLines(opened, { filters: { fields: ['v'], filters: [ZSTD] }, capacity: 10, tile_extents: { x: 5 } }),
    ...rewriteLines(harder, { filters: { fields: ['v', 'x'], filters: [ZSTD], offsets: true } }),
    {
      code: 'tiledb.vacuum("a (b, c  # d/e f g h i j k l m n o p q r s t u v w x y z")',
      note: 'and a note of many words, which is long',
    },
    { code: 'tiledb.Array.upgrade_version("/a/path", tiledb.Config())' },
  ]
}

const folder = temporaryFolder()

describe('codeLines', () => {
  test.each([20, 40, 60, 80, 100, 200])('Python of %i columns is what it was', async (room) => {
    for (const line of await advice()) {
      const lines = codeLines(line, room)
      const { code, note = '' } = line
      expect(pasted(lines.length === 1 ? [code] : lines)).toEqual([bare(code)])
      if (lines.length === 1) {
        if (textWidth(lineText(line)) <= room) expect(lines).toEqual([lineText(line)])
        continue
      }
      const comments = lines.filter((line) => line.startsWith('# '))
      expect(comments.map((line) => line.slice(2)).join(' ')).toBe(note)
      // Longer only what is one word or one text.
      for (const line of lines.filter((one) => textWidth(one) > room))
        expect(line.replace(QUOTED, '""').trim()).not.toMatch(/ [^\\]/)
    }
  })

  test('a command of a shell gets backslashes', () => {
    expect(codeLines({ code: 'tiledb-inspect check /a/long/path --all', note: 'says which' }, 30)).toEqual([
      '# says which',
      'tiledb-inspect check \\',
      '  /a/long/path --all',
    ])
  })

  test('explain, and why, break no statement on a terminal', async () => {
    const path = `${folder}/an array`
    const made = await run(['write-sample', path, '--cells', '40', '--fragments', '20'])
    expect([made.code, made.stderr]).toEqual([0, ''])
    const linesOf = async (...args: string[]): Promise<string[]> =>
      (await run(args, { columns: 60, env: { NO_COLOR: '1' } })).text.trimEnd().split('\n')
    const explained = await linesOf('explain', path)
    const [from, to] = [/^(?:tiledb\.\w+\(|#)/, /^(?:note|warning|what a read) /].map((one) =>
      explained.findIndex(
        (line, i) => one.test(line) && i > explained.findIndex((of) => of.includes('FRAGMENTS_MANY')),
      ),
    )
    const quoted = JSON.stringify(path)
    expect(pasted(explained.slice(from, to))).toEqual([`tiledb.consolidate(${quoted})`, `tiledb.vacuum(${quoted})`])
    const [name] = fragmentNames(path)
    const why = await linesOf('why', `${path}/__fragments/${name}`)
    const call = pasted(why.slice(why.findIndex((line) => line.startsWith('tiledb.'))))
    expect(call).toEqual([expect.stringMatching(/^tiledb\.Array\.delete_fragments\(".*", \d+, \d+\)$/)])
  })
})
