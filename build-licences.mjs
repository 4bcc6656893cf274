import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Licences that packages do not carry: their own, or of what they compiled into their wasm files. */
const INSIDE = {
  '@bokuweb/zstd-wasm': 'src/filters/codecs/LICENSE-zstd.txt',
  '@foxglove/wasm-zstd': 'src/filters/codecs/LICENSE-zstd.txt',
  '@jsquash/webp': 'node_modules/@jsquash/webp/codec/LICENSE.codec.md',
}

/** What the licences of packages want to go with their code. @param folders of packages, each once */
export function licences(folders) {
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
    const paths = [...files.map((file) => join(folder, file)), ...(name in INSIDE ? [INSIDE[name]] : [])]
    if (paths.length === 0) throw new Error(`expected a licence in ${folder}, found none`)
    const texts = paths.map((path) => readFileSync(path, 'utf8').trim())
    return [`${name} ${version} (${license})`, ...texts].join('\n\n')
  })
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `${['Code of these packages is part of the program.', ...parts.sort()].join(line)}\n`
}
