import process from 'node:process'

/** Runs before scripts that need the development packages. Prints one line if they are not installed. */
try {
  import.meta.resolve('rolldown')
} catch {
  console.error('error: the packages that this needs are not installed: run npm install first')
  process.exit(1)
}
