import { InspectError } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { unpackText } from '../calls/packed-text.ts'
import type { PagePlaces, ReportHead } from '../calls/page-data.ts'
import type { ListedFile } from '../storage/folder-storage.ts'
import { addWasmFiles } from './codecs.ts'
import type { TargetPlace } from './inspected.ts'
import { ReportStorage } from './report-storage.ts'
import { yieldToBrowser } from './yield-to-browser.ts'

/** The place that came with the page: a report, or a server of its files. Undefined if the page came alone. */
export async function placeInPage(): Promise<TargetPlace | undefined> {
  addWasmOfPage()
  const element = document.getElementById('data')
  if (!element) return undefined
  const bytes = fromBase64(takeText(element))
  // A report is compressed with gzip; the few words of a served page are plain JSON.
  if (bytes[0] !== 0x1f) {
    const { servedPlace } = await import('./other-places.ts')
    return servedPlace(JSON.parse(new TextDecoder().decode(bytes)) as PagePlaces)
  }
  return reportPlace(await unzipped([bytes].values()))
}

/** Adds the wasm files that stand in the page. */
function addWasmOfPage(): void {
  for (const { id, textContent, dataset } of document.querySelectorAll<HTMLElement>('.wasm')) {
    const text = textContent ?? ''
    const { size } = dataset
    addWasmFiles({ [id]: size === undefined ? text : toBase64(unpackText(text, Number(size))) })
  }
}

function reportPlace(bytes: Uint8Array): TargetPlace {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as ReportHead
  const { path, shown, documents, made, files, wasm } = head
  addWasmFiles(wasm)
  const left = files.filter(({ isLeftOut }) => isLeftOut)
  const size = sum(left, (file) => file.size)
  return {
    kind: 'report',
    storage: new ReportStorage(head, bytes.subarray(4 + length), restOfReport(files)),
    path,
    shown,
    documents,
    made,
    ...(left.length > 0 && { leftOut: { file_num: left.length, of: files.length, size } }),
  }
}

/** The bytes of a report that stand after the program. The browser may not have read them yet. */
async function restOfReport(files: ReportHead['files']): Promise<Uint8Array> {
  if (files.every(({ first }) => first === undefined)) return new Uint8Array()
  if (document.readyState === 'loading')
    await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }))
  // The browser first draws what the bytes before the program tell.
  await new Promise((resolve) => setTimeout(resolve, 50))
  try {
    return await unzipped(decoded(document.querySelectorAll('.rest')))
  } catch (cause) {
    throw new InspectError(
      'TRUNCATED',
      { expected: 'the whole report', found: 'a part: was its file cut?' },
      {},
      { cause },
    )
  }
}

/** The text of an element. Removes the element: nothing else needs it. */
function takeText(element: Element): string {
  const text = element.textContent ?? ''
  element.remove()
  return text
}

function* decoded(elements: Iterable<Element>): Generator<Uint8Array> {
  for (const element of elements) yield fromBase64(takeText(element))
}

/** The place of a target behind a URL. @throws InspectError USAGE */
export async function placeOfUrl(url: string): Promise<TargetPlace> {
  return (await import('./other-places.ts')).urlPlace(url)
}

/** The place of the files that the user chose. */
export async function placeOfFiles(files: Iterable<ListedFile>): Promise<TargetPlace | undefined> {
  return (await import('./other-places.ts')).filesPlace(files)
}

/** {@link dropPlace} for the items of an event. */
export async function placeOfDrop(items: DataTransferItemList): Promise<TargetPlace | undefined> {
  // What was dropped is told only during the event.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  return (await import('./other-places.ts')).dropPlace(entries)
}

/** Bytes of a base64 text, by the function that newer browsers have for it. */
function fromBase64(text: string): Uint8Array {
  const known = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }
  if (known.fromBase64) return known.fromBase64(text)
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** Inflates gzip data. The page draws between two pieces. */
async function unzipped(pieces: Iterator<Uint8Array>): Promise<Uint8Array> {
  const packed = new ReadableStream({
    async pull(controller) {
      await yieldToBrowser()
      const { done, value } = pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer())
}
