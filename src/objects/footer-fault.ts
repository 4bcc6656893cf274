import { type ErrorCode, type Fault, hasCode, InspectError, longer, unlessFault } from '../base/errors.ts'
import { viewOf } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import {
  FOOTER_LENGTH_BYTES,
  type FragmentFooter,
  footerHead,
  footerLength,
  footerLengthIsStored,
  fragmentFooter,
} from '../format/fragment-footer.ts'
import { fragmentSlots } from '../format/fragment-slots.ts'
import { GENERIC_TILE_FIXED_BYTES, genericTileHeader } from '../format/generic-tile.ts'
import { decode, decodePrefix, encode } from '../format/io.ts'
import { sectionPlaces } from '../format/metadata-sections.ts'
import { u32, u64 } from '../format/u32.ts'
import type { ByteSource } from '../storage/source.ts'

/** A metadata file with a damaged footer, and what is known about it. */
interface FooterEvidence {
  source: ByteSource
  fileSize: number
  /** Format version in the folder's name, with 3 for 3 and 4; undefined if the name has none. */
  named: number | undefined
  /** The copy of the footer in a consolidated fragment metadata file. */
  copy: Uint8Array | undefined
  /** Reads a schema; undefined if it cannot be read. */
  schema(name: string): Promise<ArraySchema | undefined>
}

/** Upper limit on the sections to walk. No schema leads to this many. */
const MAX_SECTIONS = 100_000
/** Bytes to read for the header of a section. */
const HEADER_BYTES = 256
/** More bytes than any footer has. */
const FOOTER_ROOM = 1 << 20

/**
 * Finds out why a footer cannot be read. It walks the sections, which follow one another from the start of the file up to the
 * footer. So it can tell a file that was cut short from one that was overwritten.
 *
 * @param error what reading the footer threw
 * @returns the error to throw instead, and the offset in bytes up to which sections may reach
 */
export async function footerFault(
  error: InspectError,
  evidence: FooterEvidence,
): Promise<{ fault: InspectError; footerAt: number }> {
  const { source, fileSize, copy } = evidence
  const walked = await walkSections(source, fileSize)
  const fault = await faultAfter(walked, error, evidence)
  const start = copy && (await lastSectionStart(copy, evidence).catch(unlessFault))
  // The walk ends early where a section is damaged, too. Then the end of the file is nearer to where the footer was.
  const isEarly = walked.cutAt !== undefined || (start !== undefined && start >= walked.end)
  return { fault, footerAt: isEarly ? fileSize : walked.end }
}

async function faultAfter(
  { end, last, cutAt }: Walked,
  error: InspectError,
  evidence: FooterEvidence,
): Promise<InspectError> {
  const { source, fileSize, named } = evidence
  const failed = (code: ErrorCode, offset: number, fault: Fault, field = 'footer'): InspectError =>
    new InspectError(code, fault, { file: source.name, offset, field }, { cause: error })
  // The folder's name has such a version, too, so a fork or an unreleased build wrote the fragment.
  if (error.code === 'UNSUPPORTED_VERSION' && named !== undefined && named > NEWEST_FORMAT_VERSION) return error
  if (fileSize === 0)
    return failed('TRUNCATED', 0, {
      expected: 'sections and a footer',
      found: 'an empty file: it was cut, or never written',
    })
  const isOfVersion = error.code === 'UNSUPPORTED_VERSION' || error.at.offset === end
  if (!isOfVersion && cutAt === undefined && end > 0 && (await isFooterLengthRight(evidence, end))) {
    const { code, at } = error
    return failed(code, at.offset ?? end, longer(error.fault, ': the footer was overwritten'), `footer.${at.field}`)
  }
  const whole = await wholeSize(evidence, end, cutAt)
  const cut = (expected: string): InspectError =>
    failed('TRUNCATED', fileSize, { expected, found: `${fileSize}: the file was cut short` })
  if (whole?.exact && fileSize < whole.size) return cut(`${whole.size} bytes${whole.how}`)
  if (cutAt !== undefined) {
    const least = Math.max(cutAt, whole?.size ?? 0)
    return cut(`more than ${least} bytes, as the section at byte ${last} goes on and a footer follows`)
  }
  if (fileSize < GENERIC_TILE_FIXED_BYTES) return cut('sections and a footer of some hundred bytes')
  if (whole && fileSize < whole.size) return cut(`more bytes, as a footer follows the sections, which end at ${end}`)
  if (end === 0) {
    const found = `bytes that are neither, and ${error.message}: the file was overwritten`
    return failed('BAD_VALUE', 0, { expected: 'sections and a footer after them', found })
  }
  const found = end + 4 > fileSize ? undefined : u32(await source.read(end, 4), 0)
  if (found !== undefined && (found < 1 || found > NEWEST_FORMAT_VERSION)) {
    const expected = named === undefined ? `one from 1 to ${NEWEST_FORMAT_VERSION}` : String(named)
    const fault = {
      expected: `format version ${expected} where the footer begins`,
      found: `${found}, which does not exist: the footer was overwritten`,
    }
    return failed('BAD_VALUE', end, fault)
  }
  // The footer is in the right place and has a version that exists. Only the version in the name differs.
  if (error.at.offset === end) return error
  if (whole?.exact && fileSize === whole.size) {
    const at = fileSize - FOOTER_LENGTH_BYTES
    const length = viewOf(await source.read(at, FOOTER_LENGTH_BYTES)).getBigUint64(0, true)
    const fault = {
      expected: `a footer of ${at - end} bytes from byte ${end} on`,
      found: `${length} for its length: the end of the file was overwritten`,
    }
    return failed('BAD_VALUE', at, fault, 'footer_length')
  }
  if (whole?.exact && fileSize > whole.size) {
    const fault = {
      expected: `${whole.size} bytes${whole.how}`,
      found: `${fileSize}: bytes were added after the footer`,
    }
    return failed('BAD_VALUE', whole.size, fault)
  }
  const fault = {
    expected: `a footer from byte ${end} on, where the sections end`,
    found: 'a footer length that gives another place: the file was cut short or overwritten',
  }
  return failed('TRUNCATED', fileSize, fault)
}

/** Whether the file ends with the length of a footer that begins where the sections end. Then it was not cut. */
async function isFooterLengthRight({ source, fileSize }: FooterEvidence, end: number): Promise<boolean> {
  const at = fileSize - FOOTER_LENGTH_BYTES
  if (at <= end) return false
  return viewOf(await source.read(at, FOOTER_LENGTH_BYTES)).getBigUint64(0, true) === BigInt(at - end)
}

interface Walked {
  /** Where the last complete section ends. */
  end: number
  /** Where the last section begins. */
  last: number
  /** Where the last section should end, if that is beyond the end of the file. */
  cutAt: number | undefined
}

/** Walks the sections of a fragment's metadata file, which follow one another from its start. */
export async function walkSections(source: ByteSource, fileSize: number): Promise<Walked> {
  let end = 0
  let last = 0
  for (let i = 0; i < MAX_SECTIONS && end + GENERIC_TILE_FIXED_BYTES <= fileSize; i++) {
    const bytes = await source.read(end, Math.min(HEADER_BYTES, fileSize - end))
    let next: number
    // All sections are such tiles, so this is the footer.
    if (!isTileOfBytes(bytes)) break
    try {
      const { value, length } = decodePrefix(bytes, genericTileHeader, {})
      next = end + length + value.persisted_size
    } catch (error) {
      if (hasCode(error, 'TRUNCATED')) return { end, last: end, cutAt: fileSize + 1 }
      break
    }
    last = end
    if (next > fileSize) return { end, last, cutAt: next }
    end = next
  }
  return { end, last, cutAt: undefined }
}

/** Offset of the datatype in a generic tile's header. The cell size follows it. TileDB always writes CHAR and 1. */
const DATATYPE_AT = 20
const CHAR = 4

function isTileOfBytes(bytes: Uint8Array): boolean {
  return bytes[DATATYPE_AT] === CHAR && u64(bytes, DATATYPE_AT + 1) === 1
}

/** Size of an undamaged file. */
interface Whole {
  size: number
  /** Whether the size is exact. If not, it is a lower bound. */
  exact: boolean
  /** Source of the size: text for a message, after the number. */
  how: string
}

/** Size of the undamaged file, from the copy of its footer or from the rest of the footer. */
async function wholeSize(evidence: FooterEvidence, end: number, cutAt: number | undefined): Promise<Whole | undefined> {
  const { source, fileSize, named, copy } = evidence
  if (copy && named !== undefined && named >= 10) {
    const start = await lastSectionStart(copy, evidence).catch(unlessFault)
    const footerBytes = copy.length + FOOTER_LENGTH_BYTES
    const how = ', by the copy of its footer in a consolidated fragment metadata file'
    // If the cut section is the last one, the footer begins at its end.
    if (cutAt !== undefined)
      return { size: Math.max(cutAt, start ?? 0) + footerBytes, exact: start !== undefined && start <= end, how }
    const isWhole = start === undefined || start < end
    return { size: (isWhole ? end : start) + footerBytes, exact: isWhole, how }
  }
  if (cutAt !== undefined || end === 0) return undefined
  const left = await source.read(end, Math.min(FOOTER_ROOM, fileSize - end))
  const least: Whole = { size: fileSize + 1, exact: false, how: '' }
  if (left.length < 4) return least
  const version = u32(left, 0)
  if (version < 3 || version > NEWEST_FORMAT_VERSION) return undefined
  const how = `: ${end} of sections and a footer after them`
  try {
    const head = version >= 10 ? decodePrefix(left, footerHead, {}).value : undefined
    const schema = await evidence.schema(head?.array_schema_name ?? '')
    if (!schema) return undefined
    const stored = footerLengthIsStored(version, schema)
    if (!stored) return { size: end + footerLength(version, schema), exact: true, how }
    // The fields that are left tell the length of the lists, and the missing fields have fixed lengths.
    const padded = new Uint8Array(left.length + FOOTER_ROOM)
    padded.set(left)
    const { value } = decodePrefix(padded, fragmentFooter(schema), {})
    const bytes = encode({ ...value, slack: new Uint8Array() }, fragmentFooter(schema)).length
    return { size: end + bytes + FOOTER_LENGTH_BYTES, exact: left.length >= bytes - 8 * numbersIn(value), how }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return least
  }
}

/** Where the last section begins, from a copy of the footer. */
async function lastSectionStart(copy: Uint8Array, { schema }: FooterEvidence): Promise<number | undefined> {
  const { array_schema_name } = decodePrefix(copy, footerHead, {}).value
  const written = await schema(array_schema_name ?? '')
  if (!written) return undefined
  const footer = decode(copy, fragmentFooter(written), {})
  const places = sectionPlaces(footer, fragmentSlots(footer.version, written, footer))
  return places.reduce((most, { offset }) => Math.max(most, offset), 0)
}

/** Count of the numbers in the lists and offsets of a footer. The fields before them give the lengths of the lists. */
function numbersIn(footer: FragmentFooter): number {
  return Object.entries(footer).reduce((sum, [key, value]) => {
    if (value instanceof Float64Array) return sum + value.length
    return sum + (key.endsWith('_offset') && value !== undefined ? 1 : 0)
  }, 0)
}
