import { openAnatomy } from '../anatomy/files.ts'
import { type Detectors, fileDetectors, tileDetectors, UNNOTICED } from '../anatomy/flip.ts'
import { cellFacts, chainTo } from '../anatomy/locate.ts'
import type { Part } from '../anatomy/part.ts'
import { pathText } from '../anatomy/path.ts'
import { InspectError } from '../errors.ts'
import type { FieldFile } from '../fragment.ts'
import type { Output, Result } from '../render/result.ts'
import type { Target } from '../target.ts'
import { cellPlacesOutcome } from './cell-places.ts'
import { type CommandContext, type CommandModule, collect, documentHead, type Outcome, wrongTarget } from './command.ts'
import { fileTarget } from './dump.ts'
import { anatomist, selectionOf } from './hex.ts'

interface AtOptions {
  cell?: string[]
  field?: string[]
}

export const command: CommandModule<AtOptions> = {
  configure(command) {
    command
      .argument('<file>', 'any file of an array or group; with --cell a fragment')
      .argument('[offset]', 'byte, counted from 0; 0x… is hexadecimal')
      .option('--cell <NAME=V,…>', 'where this cell is: a value for each dimension', collect)
      .option('--field <name>', 'with --cell: only this attribute or dimension (repeatable)', collect)
  },

  async *run(cx, [path, offset], options) {
    if (options.cell) {
      if (offset !== undefined) throw new InspectError('USAGE', 'at expects an offset or --cell, found both')
      const target = await cx.open(path)
      const fragment = target.type === 'fragment' || target.type === 'file' ? target.fragment : undefined
      if (!fragment) throw wrongTarget('at --cell', target, 'a fragment')
      try {
        yield await cellPlacesOutcome(cx, fragment, options.cell, options.field)
      } finally {
        await fragment.close()
      }
      return
    }
    const at = parseOffset(offset)
    const target = await fileTarget(cx, path, 'at')
    try {
      yield await byteOutcome(cx, target, at)
    } finally {
      await target.fragment?.close()
    }
  },
}

function parseOffset(text: string | undefined): number {
  if (text === undefined || !/^(?:\d+|0x[\da-f]+)$/i.test(text))
    throw new InspectError(
      'USAGE',
      `at expects a byte's offset (or --cell), found ${text === undefined ? 'none' : JSON.stringify(text)}`,
    )
  return Number(text)
}

async function byteOutcome(cx: CommandContext, target: Target & { type: 'file' }, offset: number): Promise<Outcome> {
  const by = anatomist(cx)
  const { root, role, size, close } = await openAnatomy(target, by)
  const path = `${target.folder.path}/${target.name}`
  try {
    if (offset >= size)
      throw new InspectError('USAGE', `expected an offset below ${size}, the file's size, found ${offset}`, {
        file: path,
      })
    const chain = await chainTo(root, offset)
    const selection = selectionOf(cx, {}, path)
    for (const part of chain) if (part.fault) selection.onFault(part.fault)
    const file = await dataFile(target)
    const range = chain.findLast((part) => part.cells !== undefined)?.cells
    const detectors = await detectorsAt(cx, path, file, chain, offset)
    const [byte] = await root.space.read(offset, 1)
    const document = {
      ...documentHead('at', cx.shownPath(target.path)),
      offset,
      byte,
      role,
      size,
      chain: chain.map(linkResult),
      field_path: pathText(chain.slice(1).flatMap((part) => (part.transparent ? [] : [part.name]))),
      cells: range && file ? await cellsResult(cx, target, file, range) : undefined,
      detected_by: [...new Set(detectors.flat())],
      detected_by_bit: detectors,
    }
    return {
      document,
      async table(out: Output) {
        const { atTable } = await import('../render/views/at.ts')
        await atTable(document, out)
      },
    }
  } finally {
    await close()
  }
}

/** The field that a data file holds. */
async function dataFile({ fragment, name }: Target & { type: 'file' }): Promise<FieldFile | undefined> {
  try {
    return (await fragment?.fieldFiles())?.find((file) => file.name === name)
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

async function detectorsAt(
  cx: CommandContext,
  path: string,
  file: FieldFile | undefined,
  chain: readonly Part[],
  offset: number,
): Promise<Detectors> {
  // A file that is wrong already tells nothing of one more flip.
  if (chain.some(({ fault }) => fault !== undefined) || chain.at(-1)?.type === 'gap') return UNNOTICED
  const tile = chain.find(({ type }) => type === 'tile')
  if (file) {
    if (!tile) return UNNOTICED
    return tileDetectors(cx.storage, path, file, Number(tile.name), offset, anatomist(cx))
  }
  return fileDetectors(cx.storage, path, offset, chain[1], anatomist(cx))
}

function linkResult(part: Part): { [key: string]: Result | undefined } {
  const { name, type, space, offset, length, label, stored, unit, meaning, verdict } = part
  const value = part.children === undefined && part.elements === undefined ? part.value : undefined
  return { name, type, offset, length, space: space.name, label, value, stored, unit, meaning, verdict }
}

/** The cells that a byte feeds; where it is one cell, that cell. */
async function cellsResult(
  cx: CommandContext,
  { fragment }: Target & { type: 'file' },
  file: FieldFile,
  range: { tile: number; from: number; to: number },
): Promise<Result> {
  if (!fragment) return null
  const info = await fragment.info()
  const slot = info.slots[file.slot]
  const facts =
    range.from === range.to ? await cellFacts(fragment, file.slot, range.tile, range.from, cx.style) : undefined
  return {
    tile: range.tile,
    from: range.from,
    to: range.to,
    field: slot.kind === 'coords' ? undefined : slot.name,
    coordinates: facts?.coordinates,
    value: facts?.value,
    padding: facts && !facts.written ? true : undefined,
  }
}
