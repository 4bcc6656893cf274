import { unlessFault } from '../base/errors.ts'
import { shellWord } from '../base/shell-word.ts'
import { loss, noLoss, UNSURE } from '../check/codes/row.ts'
import { isMendedBy } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { NDRange } from '../format/range.ts'
import { type FragmentEntry, type InspectArray, SCHEMA_FOLDER } from '../objects/array.ts'
import { droppedContradictions, lackOf } from '../recover/array.ts'
import { contradictedField, isContradiction } from '../recover/contradictions.ts'
import { hasForeignMetadata } from '../recover/foreign-metadata.ts'
import { type ArrayDrafts, commitOf } from './array-drafts.ts'
import { Draft } from './drafts.ts'
import { schemaFromCode } from './schema-plan.ts'
import { folderAround, type PlanStep, type Shell, word } from './shell.ts'
import {
  addLostTiles,
  addTiles,
  type ConditionWords,
  type FragmentLoss,
  failsOthers,
  fragmentLoss,
  type LostTiles,
  lostPlaces,
  lostText,
  numberRuns,
  shownName,
} from './tile-loss.ts'
import type { Way } from './ways.ts'

/** Most runs of tiles for which a plan has a command that keeps their undamaged fields. For the others it says to do the same. */
const MAX_KEPT = 3

/** The ways that end in a call of `recover`. */
export type RecoverWay = Extract<Way, 'recover' | 'statistics' | 'drop'>

/** A fragment that `recover` writes anew, and what is wrong with it. */
export class DamagedFragment {
  readonly entry: FragmentEntry
  draft = new Draft()
  private readonly tiles: LostTiles = new Map()
  /** Tiles of which only the validity is lost. */
  private readonly ofNulls: LostTiles = new Map()
  /** Tiles that the metadata contradicts, by field. */
  private readonly contradicted: LostTiles = new Map()
  /** Whether the plan drops these, too. */
  dropsContradicted = false
  /** Whether the metadata is a copy of another fragment's. */
  private isForeign = false
  /** Whether the metadata may give wrong places for the tiles. */
  private isMisled = false
  private hasLostTiles = false
  private isDense = false
  /** Whether its cells contradict its metadata, and nothing shows that the metadata is wrong. */
  isContradicted = false
  /** Whether it has errors that `recover` does not mend. */
  keepsErrors = false
  /** What `recover` needs from the user or from a copy: its box or schema, if nothing tells it, or its tiles, if none is whole. */
  lack: Awaited<ReturnType<typeof lackOf>>
  /** Path of its schema in the array, if that is not there. */
  lostSchema: string | undefined
  private loss: FragmentLoss | undefined

  constructor(entry: FragmentEntry) {
    this.entry = entry
  }

  async add(finding: Finding, draft: Draft, way: RecoverWay, array: InspectArray): Promise<void> {
    this.draft = draft
    this.isMisled ||= isMendedBy(finding.code, 'recover-places') && finding.severity === 'error'
    const isOfTile = way === 'drop'
    const { code, severity, tile } = finding
    if (isContradiction(code) && severity === 'error' && tile !== undefined)
      addTiles(this.contradicted, contradictedField(finding), [tile])
    if (code === 'SCHEMA_MISSING') {
      const name = await array.withFragment(this.entry.path, async (one) => (await one.head()).array_schema_name)
      this.lostSchema = `${SCHEMA_FOLDER}/${name}`
    }
    if (!isOfTile) return
    const { tiles, ofNulls } = this
    const isLost =
      this.isMisled ||
      (await array.withFragment(this.entry.path, (fragment) => addLostTiles(tiles, ofNulls, fragment, finding)))
    this.hasLostTiles ||= isLost
    if (!isLost) draft.addLost(noLoss('nothing: the statistics tell which cells are null'))
  }

  /** Finds out what `recover` would lack, before the rest is planned. */
  async seekLack(array: InspectArray): Promise<void> {
    // The plan for an array on a server is to mend a copy, so nothing needs to be read for it now.
    if (array.folder.isRemote || !this.isUnreadable) return
    this.isForeign = await array.withFragment(this.entry.path, (one) => hasForeignMetadata(array, one))
    this.isMisled ||= this.isForeign
    const lack = await lackOf(array, this.entry.path)
    if (this.isMisled || lack === 'own-files') this.lack = lack
  }

  /** Adds to the draft what is lost. @param fragmentNum number of fragments of the array */
  async measure(array: InspectArray, fragmentNum: number, words: ConditionWords): Promise<void> {
    const { draft, hasLostTiles, isMisled } = this
    const others = `${fragmentNum - 1} other fragments`
    if (this.lack === 'tiles') {
      draft.takeBackLost()
      draft.addLost(loss('its cells: no tile of its data files is whole'))
    }
    if (this.lack === 'own-files') {
      draft.takeBackLost()
      draft.addLost(
        loss("its cells: a data file is not its own, and nothing tells which of the others' cells belong together"),
      )
      draft.never.add('trust what other steps make of these files: cells of two fragments would be mixed')
      draft.notLost.add(others)
      return
    }
    if (this.isForeign) {
      draft.takeBackLost()
      draft.addLost(noLoss("nothing of its cells: the metadata is a copy of another fragment's"))
    }
    if (this.lack === 'box') draft.addLost(loss('where its cells are: nothing tells the box that they fill'))
    if (this.lack === 'schema' && this.lostSchema !== undefined) {
      draft.takeBackLost()
      draft.addLost(loss('its schema: no other one fits its files'))
    }
    if (!hasLostTiles || isMisled) {
      if (hasLostTiles && !this.isForeign)
        draft.addLost(noLoss('nothing, if only the metadata is damaged: it gives wrong places for the tiles'))
      draft.notLost.add(others)
      return
    }
    await this.addContradicted(array)
    let hasOthers = true
    await array.withFragment(this.entry.path, async (fragment) => {
      const info = await fragment.info().catch(unlessFault)
      this.isDense = info?.dense ?? false
      hasOthers = info?.schema.attributes.some(({ name }) => !this.tiles.has(name)) ?? true
      this.loss = await fragmentLoss(fragment, this.tiles, this.ofNulls)
    })
    if (!this.loss) return
    const { lost, all, cells } = this.loss
    for (const one of lost) draft.addLost(loss(`${lostText(one)}${await failsOthers(array, one.field, words)}`))
    const places = lostPlaces(this.loss)
    if (places !== undefined) draft.addLost(loss(places))
    draft.notLost.add(`${BigInt(all) - BigInt(cells)} other cells of this fragment, ${others}`)
    const areValuesThere = lost.some(({ nulls }) => nulls !== undefined)
    if (hasOthers) draft.loses.add(`the ${areValuesThere ? 'values' : 'other fields'} of ${cells} cells`)
    draft.never.add(
      'delete the fragment without these steps: a commit names it, and TileDB does not open the array without it',
    )
  }

  /** Adds the tiles that `recover` drops, too: it reads the cells, which a check of another level does not. */
  private async addContradicted(array: InspectArray): Promise<void> {
    // Of an array on a server, a copy is mended: the plan for that reads the cells.
    if (array.folder.isRemote && this.contradicted.size === 0) return
    const found = await droppedContradictions(array, this.entry.path).catch(unlessFault)
    for (const one of found ?? [])
      if (one.tile !== undefined) addTiles(this.contradicted, contradictedField(one), [one.tile])
    this.dropsContradicted = found !== undefined && found.length > 0
    if (this.dropsContradicted) for (const [field, tiles] of this.contradicted) addTiles(this.tiles, field, tiles)
  }

  /** Whether decode cannot show all of its cells. */
  get isUnreadable(): boolean {
    return this.hasLostTiles || this.isMisled
  }

  /** Whether tiles are left out. */
  get isCut(): boolean {
    return this.hasLostTiles && !this.isMisled
  }

  /** Whether no tile is whole. */
  get isLost(): boolean {
    return (
      this.lack !== 'own-files' && this.isCut && this.loss !== undefined && this.loss.tiles.length >= this.loss.tile_num
    )
  }

  /** Boxes around the cells that the plan drops. */
  get lostBoxes(): readonly NDRange[] {
    return this.isCut && this.loss ? this.loss.boxes : []
  }

  /** Whether it may become several fragments: the tiles that are left of a dense fragment need not fill a box. */
  get isParted(): boolean {
    return this.lack !== 'own-files' && this.isCut && this.isDense && !this.isLost
  }

  /** Whether `recover` takes it for whole, because it has no errors. `recover` then writes new metadata only if the old one is gone. */
  get isTakenForWhole(): boolean {
    return !this.draft.hasErrors
  }

  /** Adds commands that keep the undamaged fields of the cells that the plan drops. */
  async keepOthers(shell: Shell, fresh: (path: string) => Promise<string>): Promise<void> {
    if (!this.loss || this.loss.whole.length === 0 || !this.isCut) return
    const { whole, placed, tiles, lostDimensions } = this.loss
    const fields = whole.map((name) => ` --field ${shellWord(name)}`).join('')
    const isPlaced = new Set(placed)
    const runs = [placed, tiles.filter((tile) => !isPlaced.has(tile))].flatMap((some) => numberRuns(some))
    for (const [first, last] of runs.slice(0, MAX_KEPT)) {
      const to = word(await fresh(`${shell.root}.kept-${first}.ndjson`))
      const decode = `${shell.call('decode')} ${shell.at(this.entry.path)} --tiles ${first}..${last}${fields}`
      const lacks: string[] = []
      if (!isPlaced.has(first))
        lacks.push(`without ${lostDimensions.map(shownName).join(' and ')}, nothing tells where these values belong`)
      for (const [field, own] of this.ofNulls)
        if (whole.includes(field) && [...own].some((tile) => tile >= first && tile <= last))
          lacks.push(`nothing tells which values of ${shownName(field)} are null`)
      // A file of -o is never incomplete.
      const text = `ends with exit code 1: ${lacks.join('; ')}`
      this.draft.keep.push(
        lacks.length === 0 ? { command: `${decode} -o ${to}` } : { command: `${decode} --format ndjson > ${to}`, text },
      )
    }
    if (runs.length > MAX_KEPT)
      this.draft.keep.push({ text: `likewise the other ${runs.length - MAX_KEPT} runs of tiles` })
  }
}

/** Plans a call of `recover` that writes one fragment anew beside the array. It then takes the place of the damaged one. */
export async function planRecoverFragment(
  one: DamagedFragment,
  array: InspectArray,
  shell: Shell,
  fresh: (path: string) => Promise<string>,
): Promise<void> {
  const { entry, draft, isCut, isTakenForWhole, lostSchema } = one
  const { path, name } = entry
  const folder = `mkdir -p ${word(folderAround(`${shell.aside}/${path}`))}`
  // Not in the folder for what is moved out: that looks like an array, and nothing is written into an array.
  const [here, made, old] = [shell.at(path), word(await fresh(`${shell.root}.${name}.new`)), shell.kept(path)]
  const recover = `${shell.call('recover')} ${here} --to ${made}`
  const swap = shell.swap(here, made, old)
  if (await planLack(one, array, shell)) {
    if (one.lack !== 'box') return
    const { dimensions } = (await array.newestSchema()).schema.domain
    const box = dimensions.map(({ name }) => ` --domain ${shellWord(`${name}=LO..HI`)}`).join('')
    const text = 'without a copy, if you know the box that was written: replace LO and HI with its ends'
    draft.instead.push({ command: `${folder} && ${recover}${box}`, text }, swap.step)
    return
  }
  if (one.dropsContradicted) sayChanged(draft, here)
  // Its metadata goes, and with it what contradicts the cells.
  else if (one.isContradicted && isTakenForWhole) loseSign(draft, here)
  if (isTakenForWhole) {
    const [metadata, kept] = [shell.at(`${path}/${FRAGMENT_METADATA_FILE}`), shell.kept(`${name}.metadata`)]
    // The exit code does not tell whether it worked: recover ends with 1 if it leaves faults that it does not mend.
    draft.say({
      command: `${folder} && mv ${metadata} ${kept} && { ${recover}; test -d ${made} || mv ${kept} ${metadata}; }`,
    })
    draft.move({ step: swap.step, back: { command: `${swap.back.command} && mv ${kept} ${metadata}` } })
  } else {
    draft.say({ command: `${folder} && ${recover}${isCut ? ' --drop-damaged' : ''}`, ...exitOf([one]) })
    draft.move(swap)
    if (lostSchema !== undefined)
      draft.instead.push({ text: `put ${shell.at(lostSchema)} back, if a copy of the array has it` })
    const otherwise = 'first, if recover says that tiles cannot be read'
    if (!isCut) draft.instead.push({ text: otherwise, command: `${recover} --drop-damaged` })
  }
  draft.end(shell.check())
}

/** Plans for a fragment of which `recover` lacks something: a copy of the array has it. @returns whether it does */
async function planLack(one: DamagedFragment, array: InspectArray, shell: Shell): Promise<boolean> {
  const { entry, draft, lack, lostSchema } = one
  const { path, name } = entry
  const ofSchema = lack === 'schema' ? lostSchema : undefined
  if (ofSchema === undefined && !(lack === 'tiles' || lack === 'box' || lack === 'own-files')) return false
  draft.outcome = 'copy'
  draft.say({ text: `put ${shell.at(ofSchema ?? path)} back from a copy of the array` })
  draft.end(shell.check())
  if (ofSchema === undefined) return true
  draft.instead.push(schemaFromCode(shell, ofSchema))
  const mark = commitOf(name)
  if ((await array.folder.kind(mark)) === 'file') {
    const command = `${shell.moveAside(path).step.command} && ${shell.moveAside(mark).step.command}`
    draft.instead.push({ command, text: 'if it is a fragment of another array, or readers are to do without it' })
  }
  return true
}

/**
 * Plans for cells that contradict their metadata: only a copy has the right ones. Without one, their tiles can be left out.
 * @param tiles the contradicted tiles
 */
export async function restoreContradicted(
  draft: Draft,
  { path, name }: FragmentEntry,
  tiles: ReadonlySet<number>,
  { array, shell, fresh }: Pick<ArrayDrafts, 'array' | 'shell' | 'fresh'>,
): Promise<void> {
  const here = shell.at(path)
  const info = await array.withFragment(path, (fragment) => fragment.info().catch(unlessFault))
  draft.takeBackDoubt(UNSURE)
  draft.outcome = 'copy'
  draft.say(putBack(here))
  draft.end(shell.check())
  draft.never.add(
    'trust these cells because `recover` copies them: it ends with exit code 1, and check still finds them',
  )
  if (tiles.size >= (info?.tile_num ?? 0)) {
    const mark = commitOf(name)
    const isMarked = (await array.folder.kind(mark)) === 'file'
    const away = [path, ...(isMarked ? [mark] : [])].map((one) => shell.moveAside(one).step.command)
    draft.instead.push({
      command: away.join(' && '),
      text: 'without a copy: takes the fragment away, with all its cells',
    })
    return
  }
  const text = 'without a copy: leaves out the tiles whose cells contradict the metadata'
  // What is left of a dense fragment may become several.
  const { root } = shell
  const [from, made, old] = info?.dense
    ? [word(root), word(await fresh(`${root}.new`)), word(await fresh(`${root}.old`))]
    : [here, word(await fresh(`${root}.${name}.new`)), shell.kept(path)]
  const folder = info?.dense ? '' : `mkdir -p ${word(folderAround(`${shell.aside}/${path}`))} && `
  draft.instead.push({ command: `${folder}${shell.call('recover')} ${from} --to ${made} --drop-damaged`, text })
  draft.instead.push(shell.swap(from, made, old).step)
}

const KEEPS_CHANGED = 'the changed cells stay as they are, and the statistics are computed from them'

/** Warns that steps against other faults accept changed cells as right. @param here the fragment, as a word of a shell */
export function loseSign(draft: Draft, here: string): void {
  sayChanged(draft, here)
  draft.loses.add(`the sign that cells were changed: ${KEEPS_CHANGED}`)
}

function putBack(here: string): PlanStep {
  return { text: `put ${here} back from a copy (backup) of the array that is older than the change, if there is one` }
}

function sayChanged(draft: Draft, here: string): void {
  draft.takeBackDoubt(UNSURE)
  draft.say(putBack(here))
  draft.never.add('trust the array because check finds nothing after recover: the sign of the change is then gone')
}

function exitOf(all: readonly DamagedFragment[]): PlanStep {
  if (all.some(({ isCut }) => isCut)) return { text: 'ends with exit code 1, because cells are lost' }
  return all.some(({ keepsErrors }) => keepsErrors)
    ? { text: 'ends with exit code 1, because it does not mend all errors' }
    : {}
}

/** Plans one call of `recover` for the whole array, which then takes the place of the damaged one. @param all its damaged fragments */
export async function planRecoverArray(
  all: readonly DamagedFragment[],
  shell: Shell,
  fresh: (path: string) => Promise<string>,
): Promise<void> {
  const [{ draft }, ...others] = all
  for (const other of others) draft.absorb(other.draft)
  for (const { dropsContradicted, lack, entry } of all) {
    if (dropsContradicted) sayChanged(draft, shell.at(entry.path))
    if (lack === 'own-files')
      draft.loses.add(`all cells of ${entry.path}: put its files back first, if a copy has them`)
    if (lack === 'box') draft.loses.add(`all cells of ${entry.path}: mend it first, if you know its box`)
    if (lack === 'schema') draft.loses.add(`all cells of ${entry.path}: put its schema back first, if a copy has it`)
  }
  const { root } = shell
  const option = all.some(({ isCut }) => isCut) ? ' --drop-damaged' : ''
  const [made, old] = [word(await fresh(`${root}.new`)), word(await fresh(`${root}.old`))]
  draft.say(
    { command: `${shell.call('recover')} ${word(root)} --to ${made}${option}`, ...exitOf(all) },
    shell.check(made),
  )
  draft.move(shell.swap(word(root), made, old))
}
