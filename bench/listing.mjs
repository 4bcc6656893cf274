/**
 * Makes only the system calls of `ls`: reads the names and sizes of all files of each fragment, and the end of its metadata file. No
 * program on Node can list an array faster.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'

const [array] = process.argv.slice(2)
const room = Buffer.alloc(65536)
let total = 0
for (const fragment of readdirSync(`${array}/__fragments`)) {
  const folder = `${array}/__fragments/${fragment}`
  for (const file of readdirSync(folder)) total += statSync(`${folder}/${file}`).size
  const descriptor = openSync(`${folder}/__fragment_metadata.tdb`)
  const { size } = fstatSync(descriptor)
  const length = Math.min(size, room.length)
  readSync(descriptor, room, 0, length, size - length)
  closeSync(descriptor)
}
console.log(total)
