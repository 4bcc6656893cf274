import { CONSOLIDATION_DEFAULTS, type ConsolidationSettings } from '../advice/consolidation.ts'
import { usage } from '../base/errors.ts'
import { byLikeness } from '../base/nearest.ts'
import { parseSize } from '../calls/option-values.ts'

/** The settings of a consolidation that `--config` takes. */
interface ConsolidationConfig extends ConsolidationSettings {
  steps: number
  max_fragment_size: bigint
  timestamp_start: bigint
  timestamp_end: bigint
}

export interface Config {
  /** Undefined unless the user names a setting of consolidation. */
  consolidation: ConsolidationConfig | undefined
  /** `sm.mem.total_budget`, in bytes. */
  total_budget: number | undefined
  /** The settings of consolidation as the user wrote them. */
  consolidation_texts: Readonly<Record<string, string>>
}

const MAX_UINT64 = 2n ** 64n - 1n
const DEFAULTS: ConsolidationConfig = {
  ...CONSOLIDATION_DEFAULTS,
  steps: 2 ** 32 - 1,
  max_fragment_size: MAX_UINT64,
  timestamp_start: 0n,
  timestamp_end: MAX_UINT64,
}

const CONSOLIDATION = 'sm.consolidation.'
/** A setting that is accepted without effect: it says which cells a consolidation keeps, not which fragments it merges. */
const PURGE = `${CONSOLIDATION}purge_deleted_cells`
const BUDGET = 'sm.mem.total_budget'
const KEYS = [...Object.keys(DEFAULTS).map((name) => `${CONSOLIDATION}${name}`), PURGE, BUDGET]

/** Parses `--config`: KEY=VALUE as in TileDB's configuration. The last value of a key counts. @throws InspectError USAGE */
export function parseConfig(settings: readonly string[] = []): Config {
  const consolidation = { ...DEFAULTS }
  const consolidation_texts: Record<string, string> = {}
  let total_budget: number | undefined
  for (const setting of settings) {
    const at = setting.indexOf('=')
    if (at < 0) throw usage(`--config expects KEY=VALUE, found ${JSON.stringify(setting)}`)
    const [key, value] = [setting.slice(0, at).trim(), setting.slice(at + 1).trim()]
    if (key === PURGE) {
      if (!/^(?:true|false)$/.test(value))
        throw usage(`--config ${PURGE} expects true or false, found ${JSON.stringify(value)}`)
      consolidation_texts[key] = value
      continue
    }
    if (!KEYS.includes(key)) {
      const known = byLikeness(key, KEYS).join(', ')
      throw usage(`--config knows no key ${JSON.stringify(key)}; it knows ${known}`)
    }
    if (key === BUDGET) total_budget = parseSize(`--config ${BUDGET}`, value)
    else {
      consolidation_texts[key] = value
      set(consolidation, key.slice(CONSOLIDATION.length) as keyof ConsolidationConfig, value)
    }
  }
  const { step_min_frags, step_max_frags, step_size_ratio } = consolidation
  if (step_min_frags > step_max_frags)
    throw usage(
      `--config expects a step_min_frags of at most step_max_frags, ${step_max_frags}, found ${step_min_frags}`,
    )
  if (step_size_ratio > 1) throw usage(`--config expects a step_size_ratio from 0 to 1, found ${step_size_ratio}`)
  return {
    consolidation: Object.keys(consolidation_texts).length > 0 ? consolidation : undefined,
    total_budget,
    consolidation_texts,
  }
}

/** Sets a value, which must have the type of its default. */
function set(config: ConsolidationConfig, name: keyof ConsolidationConfig, text: string): void {
  const fail = (what: string): Error =>
    usage(`--config ${CONSOLIDATION}${name} expects ${what}, found ${JSON.stringify(text)}`)
  if (name === 'step_size_ratio' || name === 'amplification') {
    if (!/^\d+(\.\d+)?$/.test(text)) throw fail('a number from 0 on')
    config[name] = Number(text)
    return
  }
  const most = typeof DEFAULTS[name] === 'bigint' ? MAX_UINT64 : 2n ** 32n - 1n
  if (!/^\d+$/.test(text) || BigInt(text) > most) throw fail(`a whole number from 0 to ${most}`)
  if (name === 'steps' || name === 'step_min_frags' || name === 'step_max_frags') config[name] = Number(text)
  else config[name] = BigInt(text)
}
