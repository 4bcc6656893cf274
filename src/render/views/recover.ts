import type { Output } from '../../base/result.ts'
import type { RecoverDocument, RecoverFragment } from '../../documents/recover.ts'
import { type Pair, writeKeyValues } from '../table.ts'
import { formatCount } from '../units.ts'
import { writeLine } from './parts.ts'
import { counted } from './wording.ts'

/** Most fragments and files that are named. The document has all. */
const MOST = 5

/** Shows what was read, the outcome, and in the last line whether anything is lost. */
export async function recoverTable(document: RecoverDocument, out: Output): Promise<void> {
  const { path, written_to, fragments, left_out, remaining, place } = document
  const of = (...outcomes: RecoverFragment['outcome'][]): RecoverFragment[] =>
    fragments.filter(({ outcome }) => outcomes.includes(outcome))
  const rows: Pair[] = [['read', `${counted(fragments.length, 'fragment')}; ${path} itself stays as it is`]]
  const kept = of('kept')
  if (kept.length > 0) rows.push(['copied', `${amount(kept)}, byte for byte`])
  rows.push(...list('rebuilt', of('rebuilt').map(rebuiltText)))
  rows.push(...list('cut', of('partly').map(cutText)))
  rows.push(...list('lost', of('lost').map(goneText)))
  rows.push(...list('contradicted', fragments.flatMap(contradictedTexts)))
  const guesses = fragments.flatMap(({ name, assumed }) => assumed.map((one) => `${name}: ${one}`))
  rows.push(...list('assumed', guesses.length > 0 ? guesses : ['nothing']))
  rows.push(
    ...list(
      'left out',
      left_out.map(({ path: file, reason }) => `${file}: ${reason}`),
    ),
  )
  const found = remaining.length === 0 ? 'no error' : remaining.join(', ')
  rows.push(['read back', `${written_to}: check --level cells finds ${found}`])
  if (place !== null) rows.push(['its place', `${place} in the array`])
  await writeKeyValues(rows, out)
  await writeLine(verdict(document), out)
}

function verdict({ cell_num, cells_lost, is_loss, lost_file, remaining, fragments }: RecoverDocument): string {
  const kept = counted(cell_num, 'cell')
  const isEmpty = fragments.length === 0
  if (!is_loss) {
    const what = isEmpty ? 'no cell, as TileDB reads no fragment' : `all ${kept}${doubt(fragments)}`
    return `RECOVERED${remaining.length > 0 ? ', BUT NOT RIGHT' : ''}: ${what}`
  }
  if (isEmpty) return 'RECOVERED WITH LOSS: no cell, as TileDB reads no fragment; what is left out is a loss'
  const listed = lost_file === null ? '' : `, listed in ${lost_file}`
  if (cells_lost === null) return `RECOVERED WITH LOSS: ${kept} kept, nobody knows how many are lost${listed}`
  if (cells_lost === 0) return `RECOVERED WITH LOSS: all ${kept}, but not all that is left out`
  const of = `${formatCount(cells_lost)} of ${counted(cell_num + cells_lost, 'cell')} in fragments`
  return `RECOVERED WITH LOSS: ${of} lost${listed}${fragments.length > 1 ? OTHERS : ''}`
}

const OTHERS = '; other fragments may hold cells at the same places, which readers still see'

function amount(fragments: readonly RecoverFragment[]): string {
  const cells = fragments.reduce((sum, { cell_num }) => sum + BigInt(cell_num), 0n)
  return `${counted(fragments.length, 'fragment')}, ${counted(cells, 'cell')}`
}

function rebuiltText({ name, cell_num, codes }: RecoverFragment): string {
  return `${name}: metadata anew (${codes.join(', ')}), ${counted(cell_num, 'cell')}`
}

function cutText({ name, cell_num, cells_lost, written_as, reason }: RecoverFragment): string {
  const parts = written_as.length > 1 ? `, in ${written_as.length} fragments` : ''
  const lost = cells_lost === null ? 'nobody knows how many are lost' : lostText(cells_lost)
  return `${name}: ${counted(cell_num, 'cell')} kept${parts}, ${lost}; ${reason}`
}

function contradictedTexts({ name, contradictions }: RecoverFragment): string[] {
  return contradictions.map(
    ({ tile, field, codes, cells }) =>
      `${name}: tile ${tile}, ${field}: ${counted(cells, 'cell')} (${codes.join(', ')})`,
  )
}

/** Says how many cells may be wrong. */
function doubt(fragments: readonly RecoverFragment[]): string {
  let cells = 0n
  let tiles = 0
  for (const { contradictions } of fragments) {
    const byTile = new Map(contradictions.map((one) => [one.tile, one.cells]))
    tiles += byTile.size
    for (const one of byTile.values()) cells += BigInt(one)
  }
  if (tiles === 0) return ''
  return `, but the metadata contradicts some of ${counted(cells, 'cell')} in ${counted(tiles, 'tile')}; --drop-damaged leaves these out`
}

function goneText({ name, cells_lost, written_as, reason }: RecoverFragment): string {
  if (written_as.length === 0) return `${name}: ${lostText(cells_lost)}${reason === null ? '' : `; ${reason}`}`
  return `${name}: no cell, as the ${counted(written_as.length, 'fragment')} that it replaced are still there`
}

function lostText(cells: RecoverFragment['cells_lost']): string {
  return cells === null ? 'nobody knows how many cells' : `${counted(cells, 'cell')} of this fragment lost`
}

function list(name: string, lines: readonly string[]): Pair[] {
  const shown = lines.slice(0, MOST)
  if (lines.length > MOST) shown.push(`and ${lines.length - MOST} more (--json)`)
  return shown.map((text, i) => [i === 0 ? name : '', text])
}
