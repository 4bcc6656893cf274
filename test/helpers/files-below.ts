import { readdirSync, readFileSync } from 'node:fs'

/** Reads every file below a folder. The keys are paths in which `as` takes the place of the folder's path. */
export function filesBelow(path: string, as: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory())
      for (const [name, bytes] of filesBelow(`${path}/${entry.name}`, `${as}/${entry.name}`)) files.set(name, bytes)
    else files.set(`${as}/${entry.name}`, new Uint8Array(readFileSync(`${path}/${entry.name}`)))
  }
  return files
}
