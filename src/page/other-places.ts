import { InspectError } from '../base/errors.ts'
import { parseKey } from '../base/key.ts'
import type { PagePlaces } from '../calls/page-data.ts'
import { encodeText } from '../format/text.ts'
import { folderStorage, type ListedFile } from '../storage/folder-storage.ts'
import { remoteTarget } from '../storage/remote/urls.ts'
import { addWasmFiles } from './codecs.ts'
import { FRAME_BASE, frameClient } from './frame-client.ts'
import type { TargetPlace } from './inspected.ts'
import { ServedStorage } from './served-storage.ts'
import { UrlStorage } from './url-storage.ts'

/** The places that do not come with the page. A report does without this part of the program. */

export function servedPlace({ kind, top, path, shown, key, wasm }: PagePlaces): TargetPlace {
  addWasmFiles(wasm)
  if (kind !== 'framed')
    return { kind: 'served', storage: new ServedStorage(new URL('.', location.href), top), path, shown }
  const storage = new ServedStorage(FRAME_BASE, top, frameClient())
  return { kind, storage, path, shown, ...(key !== undefined && { key: parseKey(encodeText(key), 'key') }) }
}

/** @throws InspectError USAGE */
export function urlPlace(url: string): TargetPlace {
  if (!/^https?:\/\//i.test(url))
    throw new InspectError('USAGE', 'expected an http or https URL; for a bucket, its https URL')
  const { path, access } = remoteTarget(url)
  let warn = (_text: string): void => {}
  const warning = new Promise<string>((resolve) => {
    warn = resolve
  })
  return { kind: 'url', storage: new UrlStorage(warn, access ? [access] : []), path, shown: path, warning }
}

/** The place of the files that the user chose with `<input type="file" webkitdirectory>`. */
export function filesPlace(files: Iterable<ListedFile>): TargetPlace | undefined {
  const all = [...files]
  const [name] = all[0]?.webkitRelativePath.split('/') ?? []
  return name ? { kind: 'folder', storage: folderStorage(all), path: name, shown: name } : undefined
}

/** The place of a dropped folder. Lists all its files first, as only this works in every browser. */
export async function dropPlace(entries: readonly FileSystemEntry[]): Promise<TargetPlace | undefined> {
  const files: ListedFile[] = []
  for (const entry of entries) await addFiles(entry, entry.name, files)
  return filesPlace(files)
}

async function addFiles(entry: FileSystemEntry, path: string, files: ListedFile[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    files.push({
      name: file.name,
      webkitRelativePath: path,
      size: file.size,
      slice: (from, to) => file.slice(from, to),
    })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  while (true) {
    // Each call gives some of the entries; an empty list is the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return
    for (const one of some) await addFiles(one, `${path}/${one.name}`, files)
  }
}
