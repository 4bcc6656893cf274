import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Licences that are missing in packages: the package's own, or that of code compiled into its wasm files. */
const INSIDE = {
  '@bokuweb/zstd-wasm': 'src/filters/codecs/LICENSE-zstd.txt',
  '@foxglove/wasm-zstd': 'src/filters/codecs/LICENSE-zstd.txt',
  '@jsquash/webp': 'node_modules/@jsquash/webp/codec/LICENSE.codec.md',
}

/**
 * The licence texts that have to be distributed with the code of packages. Packages with the same text share it: half of the packages have
 * one author.
 * @param folders the folders of the packages, each once
 */
export function licences(folders) {
  const packages = new Map()
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
    const paths = [...files.map((file) => join(folder, file)), ...(name in INSIDE ? [INSIDE[name]] : [])]
    if (paths.length === 0) throw new Error(`expected a licence in ${folder}, found none`)
    const text = paths.map((path) => readFileSync(path, 'utf8').trim()).join('\n\n')
    packages.set(text, [...(packages.get(text) ?? []), `${name} ${version} (${license})`])
  }
  const parts = [...packages].map(([text, names]) => `${names.sort().join('\n')}\n\n${text}`)
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `${['Code of these packages is part of the program.', ...parts.sort()].join(line)}\n`
}
