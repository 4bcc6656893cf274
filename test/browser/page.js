import { folderStorage, openArray, readArray, readCells } from 'tiledb-inspect/browser'

/** The functions that a test can call. The part of the page's URL after `#` has the name and the arguments as JSON. */
const TASKS = {
  /** All cells of an array's fragments, by URL. */
  async cells({ url, key }) {
    return rowsOf(await openArray(new URL(url, location.href).href, { key }))
  },

  /** The cells of an array, all fragments merged. */
  async read({ url, key, options }) {
    const array = await openArray(new URL(url, location.href).href, { key })
    const rows = []
    for await (const row of readCells(await readArray(array, options))) rows.push(row)
    return rows
  },

  /** Some tiles of one field of the first fragment. */
  async tiles({ url, field, tiles }) {
    return tilesOf(await openArray(new URL(url, location.href).href), field, tiles)
  },

  /** The same tiles from a folder as `<input webkitdirectory>` gives it, and the number of bytes that were read. */
  async files({ name, paths, field, tiles }) {
    let read = 0
    const slice = Blob.prototype.slice
    const files = await Promise.all(
      paths.map(async (path) => {
        const file = new File([await bytesOf(path)], path.slice(path.lastIndexOf('/') + 1))
        Object.defineProperty(file, 'webkitRelativePath', { value: path })
        return file
      }),
    )
    Blob.prototype.slice = function (from, to) {
      read += Math.min(to, this.size) - from
      return slice.call(this, from, to)
    }
    const array = await openArray(name, { storage: folderStorage(files) })
    const rows = await tilesOf(array, field, tiles)
    return { rows, read, size: files.reduce((sum, { size }) => sum + size, 0) }
  },

  /** All cells of an array in a folder that a handle leads to. */
  async handle({ name, paths }) {
    const top = await navigator.storage.getDirectory()
    for (const path of paths) {
      const [file, ...folders] = path.split('/').reverse()
      let folder = top
      for (const part of folders.reverse()) folder = await folder.getDirectoryHandle(part, { create: true })
      const writable = await (await folder.getFileHandle(file, { create: true })).createWritable()
      await writable.write(await bytesOf(path))
      await writable.close()
    }
    const folder = await top.getDirectoryHandle(name)
    return rowsOf(await openArray(folder.name, { storage: folderStorage(folder) }))
  },
}

async function tilesOf(array, field, tiles) {
  const [{ path }] = await array.fragments()
  const fragment = array.fragment(path)
  const rows = []
  for await (const row of readCells(fragment, { fields: [field], tiles })) rows.push(row)
  await fragment.close()
  return rows
}

async function rowsOf(array) {
  const rows = []
  for (const { path } of await array.fragments()) {
    const fragment = array.fragment(path)
    for await (const row of readCells(fragment)) rows.push(row)
    await fragment.close()
  }
  return rows
}

async function bytesOf(path) {
  return (await fetch(`/arrays/${path}`)).arrayBuffer()
}

/** Replaces wide integers, bytes and special floats, which JSON does not have. The test does the same with the other side. */
function plain(_, value) {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint8Array) return { base64: btoa(String.fromCharCode(...value)) }
  return value
}

const [name, args] = JSON.parse(decodeURIComponent(location.hash.slice(1)))
const answer = await TASKS[name](args).then(
  (result) => ({ result }),
  (error) => ({ error: `${error}\n${error.stack}`, at: error.at }),
)
await fetch('/done', { method: 'POST', body: JSON.stringify(answer, plain) })
