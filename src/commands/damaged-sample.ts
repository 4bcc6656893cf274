import { addPlace, usage } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { isWithinFolder, nameOf } from '../base/paths.ts'
import { shellWord } from '../base/shell-word.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import { FINDING_CODES, type FindingCode } from '../check/codes.ts'
import { beside } from '../damage/damage.ts'
import { DAMAGES } from '../damage/damages.ts'
import { sampleArray } from '../damage/samples.ts'
import type { DamageKindsDocument, DamageKindsLine } from '../documents/damage-kinds.ts'
import type { DamagedSampleDocument } from '../documents/damaged-sample.ts'
import { absolutePath } from '../node/current-folder.ts'
import { openFolderOutput } from '../node/folder-output.ts'
import { writingCodecs } from '../node/node-codecs.ts'

/** The result of `write-sample --damage list`: one kind of damage for each finding code. */
export function damageKinds(): Outcome {
  const kinds = (Object.keys(DAMAGES) as FindingCode[]).map((kind) => kindResult(kind))
  const document: DamageKindsDocument = { ...documentHead('damage-kinds', ''), kinds }
  return {
    kind: 'rows',
    document,
    rows: kinds,
    table: async (out) => (await import('../render/views/damaged-sample.ts')).damageKindsTable(document, out),
  }
}

/** Writes a small array or group with one damage, which `check` finds with this code. The same code gives the same bytes. */
export async function writeDamagedSample(cx: CommandContext, path: string, kind: string): Promise<Outcome> {
  const code = kind.toUpperCase().replaceAll('-', '_')
  if (!isFindingCode(code)) {
    throw usage(
      `--damage expects a finding code of check (--damage list shows them), found ${JSON.stringify(kind)}${didYouMean(code, Object.keys(DAMAGES))}`,
    )
  }
  const open = (place: string) => openFolderOutput(place, (one) => cx.refuseReadPlace(one, 'write-sample'))
  const outputs = [await open(path)]
  try {
    const root = absolutePath(path)
    const { sample, plant } = DAMAGES[code]
    const array = await sampleArray(sample, root, writingCodecs)
    await plant(array)
    const files: { path: string; bytes: Uint8Array }[] = []
    const others = beside(root)
    const isBeside = (file: string): boolean => isWithinFolder(file, others)
    if ([...array.files.keys()].some(isBeside)) outputs.push(await open(beside(path)))
    for (const [file, bytes] of array.files) {
      const below = file.slice((isBeside(file) ? others : root).length + 1)
      await outputs[isBeside(file) ? 1 : 0].write(below, bytes)
      files.push({ path: isBeside(file) ? `../${nameOf(others)}/${below}` : below, bytes })
    }
    for (const output of outputs) output.commit()
    const document: DamagedSampleDocument = {
      ...documentHead('damaged-sample', cx.shownPath(path)),
      ...kindResult(code),
      files: files.map(({ path: file, bytes }) => ({ path: file, size: bytes.length })),
      next: `tiledb-inspect check --level cells --all ${shellWord(path)}`,
    }
    return {
      kind: 'document',
      document,
      table: async (out) => (await import('../render/views/damaged-sample.ts')).damagedSampleTable(document, out),
    }
  } catch (error) {
    throw addPlace(error, { file: path })
  } finally {
    for (const output of outputs) output.discard()
  }
}

function isFindingCode(code: string): code is FindingCode {
  return Object.hasOwn(FINDING_CODES, code)
}

function kindResult(damage: FindingCode): DamageKindsLine {
  const { severity, meaning } = FINDING_CODES[damage]
  return { damage, severity, what: DAMAGES[damage].name, meaning }
}
