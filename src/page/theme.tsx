import { useEffect, useState } from 'preact/hooks'
import { isFramed, onMessage, tellHost } from './frame.ts'

/** The ways in which the page is shown, and the media for which its dark colours then count. */
const THEMES = { system: '(prefers-color-scheme: dark)', light: 'not all', dark: 'all' } as const
type ThemeName = keyof typeof THEMES

/** Where the browser keeps the choice. A page in a file may not keep anything: then it is asked again. */
const KEPT = 'tiledb-inspect-theme'

/** Event of the page when its colours changed. Drawings are drawn again. */
export const THEME_CHANGED = 'tiledb-inspect-theme'

/** The rule of the style with the dark colours. It is the only one about them. */
function darkRule(): CSSMediaRule | undefined {
  const rules = Array.from(document.styleSheets).flatMap((sheet) => [...sheet.cssRules])
  return rules.find((rule): rule is CSSMediaRule => rule instanceof CSSMediaRule && rule.cssText.includes('--paper'))
}

function keptTheme(): ThemeName {
  try {
    const kept = localStorage.getItem(KEPT) ?? ''
    return kept in THEMES ? (kept as ThemeName) : 'system'
  } catch {
    return 'system'
  }
}

function keepTheme(name: ThemeName): void {
  try {
    localStorage.setItem(KEPT, name)
  } catch {}
}

/** A choice between dark, light, and what the system has. In a frame, the page around it stands for the system. */
export function Theme() {
  const [name, setName] = useState(keptTheme)
  const [around, setAround] = useState<ThemeName>('system')
  const shown = name === 'system' ? around : name
  useEffect(() => {
    if (!isFramed()) return undefined
    const end = onMessage((message) => {
      if ('theme' in message) setAround(message.theme)
      else if ('link' in message) location.hash ||= message.link
    })
    tellHost({ asks: 'beginning' })
    return end
  }, [])
  useEffect(() => {
    const rule = darkRule()
    if (!rule) return
    rule.media.mediaText = THEMES[shown]
    document.documentElement.style.colorScheme = shown === 'system' ? 'light dark' : shown
    dispatchEvent(new Event(THEME_CHANGED))
  }, [shown])
  return (
    <label>
      Colours{' '}
      <select
        value={name}
        onChange={(event) => {
          const chosen = event.currentTarget.value as ThemeName
          keepTheme(chosen)
          setName(chosen)
        }}
      >
        {Object.keys(THEMES).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}
