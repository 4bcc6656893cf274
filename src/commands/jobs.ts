import { usage } from '../base/errors.ts'

/** `--jobs`: number of threads; 1 by default. @throws InspectError USAGE */
export function parseJobs(text = '1'): number {
  if (!/^[1-9]\d*$/.test(text)) throw usage(`--jobs expects a number from 1 on, found ${JSON.stringify(text)}`)
  return Number(text)
}
