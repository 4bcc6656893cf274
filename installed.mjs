import process from 'node:process'

/** Before scripts that need the packages of development: says so in one line where they are not there. */
try {
  import.meta.resolve('rolldown')
} catch {
  console.error('error: the packages that this needs are not installed: run npm install first')
  process.exit(1)
}
