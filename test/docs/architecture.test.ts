import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

/** What docs/architecture.md says of the code, held against the code. What the README of each room says, tools/rooms.mjs checks. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(`${ROOT}docs/architecture.md`, 'utf8')

test('every room has a row in the table', () => {
  const rooms = readdirSync(`${ROOT}src`, { withFileTypes: true }).filter((one) => one.isDirectory())
  expect(rooms.filter(({ name }) => !PAGE.includes(`\n| \`${name}\` |`))).toEqual([])
})

test('every file that it names is there', () => {
  const files = Array.from(PAGE.matchAll(/`([\w-]+\/[\w./-]+\.(?:tsx?|mjs|js))`/g), ([, name]) => name)
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((name) => !existsSync(`${ROOT}src/${name}`) && !existsSync(`${ROOT}${name}`))).toEqual([])
})

test('the walks say in which file each name is', () => {
  const walks = PAGE.slice(PAGE.indexOf('## Six walks'), PAGE.indexOf('## Adding something'))
  const named = Array.from(walks.matchAll(/`([\w.]+)`\s+\(`([\w./-]+\.tsx?)`\)/g), ([, name, file]) => ({ name, file }))
  expect(named.length).toBeGreaterThan(9)
  expect(named.filter(({ name, file }) => !defines(`${ROOT}src/${file}`, name))).toEqual([])
})

/** Whether a file defines a name: a function, a class, a type, a constant, or a method of a class. */
function defines(file: string, name: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1)
  const definition = new RegExp(
    `(?:function\\*?|class|interface|const|type) ${last}\\b|^ +(?:static )?(?:async )?\\*?${last}[(<]`,
    'm',
  )
  return definition.test(readFileSync(file, 'utf8'))
}
