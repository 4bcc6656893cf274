import { fileURLToPath } from 'node:url'
import { run } from '../helpers/run.ts'
import { words } from '../helpers/sessions.ts'

/** The pictures in docs/pictures: terminals with the output of real calls, as SVG, for light and for dark pages. */

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))

const COLUMNS = 96
const CALLS = [
  'tiledb-inspect examples/damaged/places',
  'tiledb-inspect history examples/arrays/weather --cell station=1,day=7',
]

/** Sizes in pixels. The width of monospaced letters is 0.6 of their size. `textLength` makes other fonts as wide. */
const [SIZE, WIDTH, HEIGHT, MARGIN] = [14, 8.4, 19, 16]

/** Colours by the codes of the terminal. Bold and dim have codes, too. 130 is one of the 256 colours. */
const SCHEMES = {
  light: {
    paper: '#ffffff',
    frame: '#d0d7de',
    text: '#1f2328',
    dim: '#656d76',
    31: '#cf222e',
    32: '#116329',
    36: '#1b7c83',
    130: '#953800',
  },
  dark: {
    paper: '#0d1117',
    frame: '#30363d',
    text: '#e6edf3',
    dim: '#8d96a0',
    31: '#ff7b72',
    32: '#3fb950',
    36: '#39c5cf',
    130: '#ffa657',
  },
} as const
type Scheme = (typeof SCHEMES)[keyof typeof SCHEMES]

/** Makes all pictures. @returns path and text of each file */
export async function pictures(): Promise<[path: string, text: string][]> {
  const lines: string[] = []
  for (const call of CALLS) {
    const { text, stderr } = await run(words(call).slice(1), { columns: COLUMNS })
    lines.push(`\u001b[1m$ ${call}\u001b[22m`, ...(text + stderr).trimEnd().split('\n'), '')
  }
  lines.pop()
  return Object.entries(SCHEMES).map(([name, scheme]) => [`${FOLDER}session-${name}.svg`, svg(lines, scheme)])
}

function svg(lines: readonly string[], scheme: Scheme): string {
  const [width, height] = [COLUMNS * WIDTH + 2 * MARGIN, lines.length * HEIGHT + 2 * MARGIN]
  const rows = lines.flatMap((line, row) => {
    const y = MARGIN + row * HEIGHT + SIZE
    const spans = spansOf(line, scheme)
    return spans.length === 0 ? [] : [`<text y="${y}">${spans.join('')}</text>`]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="${SIZE}" fill="${scheme.text}" xml:space="preserve">`,
    `<title>${escaped(CALLS.join('; '))}</title>`,
    `<rect x=".5" y=".5" width="${(width - 1).toFixed(0)}" height="${height - 1}" rx="8" fill="${scheme.paper}" stroke="${scheme.frame}"/>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n')
}

/** The pieces of a line with the same style, each at its column. */
function spansOf(line: string, scheme: Scheme): string[] {
  const spans: string[] = []
  let [column, color, bold] = [0, '', false]
  // Codes and texts alternate.
  for (const [i, part] of line.split(/\u001b\[([\d;]*)m/).entries()) {
    if (i % 2 === 1) {
      if (part === '1') bold = true
      else if (part === '22') [bold, color] = [false, color === scheme.dim ? '' : color]
      else if (part === '2') color = scheme.dim
      else color = colorOf(part, scheme)
      continue
    }
    const begin = part.search(/\S/)
    const text = part.trim()
    if (text !== '') {
      const look = `${color === '' ? '' : ` fill="${color}"`}${bold ? ' font-weight="bold"' : ''}`
      const x = (MARGIN + (column + begin) * WIDTH).toFixed(1)
      spans.push(
        `<tspan x="${x}" textLength="${([...text].length * WIDTH).toFixed(1)}"${look}>${escaped(text)}</tspan>`,
      )
    }
    column += [...part].length
  }
  return spans
}

function colorOf(code: string, scheme: Scheme): string {
  if (code === '39') return ''
  const key = code.replace(/^38;5;/, '')
  if (!(key in scheme)) throw new Error(`expected a colour of the picture's, found ${code}`)
  return scheme[key as keyof Scheme]
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
