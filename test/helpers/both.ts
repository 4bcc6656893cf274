import { FIXTURES } from './fixtures.ts'
import { type RunOptions, run } from './run.ts'

/** Runs a command on a local target and on the same target of a server. Returns what both print, with the location replaced by `…`. */
export async function onDiskAndOn(
  url: string,
  args: readonly string[],
  target: string | readonly string[],
  options: RunOptions = {},
): Promise<{ local: unknown; remote: unknown }> {
  const at = async (base: string): Promise<unknown> => {
    const targets = [target].flat().map((one) => `${base}/${one}`)
    const { code, text, stderr } = await run([...args.slice(0, 1), ...targets, ...args.slice(1), '--json'], options)
    return { code, text: text.replaceAll(base, '…'), stderr: stderr.replaceAll(base, '…') }
  }
  return { local: await at(FIXTURES), remote: await at(url) }
}
