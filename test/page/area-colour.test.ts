import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { areaColour } from '../../src/page/picture/area-colour.ts'

/** The colours of the style: light, then dark ones. */
const themes = readFileSync('src/page/style.css', 'utf8')
  .match(/:root \{[^}]*\}/g)
  ?.slice(0, 2)
  .map((rule) => new Map(Array.from(rule.matchAll(/--(\w+): (#\w+);/g), ([, name, colour]) => [name, colour])))

function luminance(colour: string): number {
  const long = colour.length === 4 ? colour.replace(/\w/g, '$&$&') : colour
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(long.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
}

function contrast(...colours: readonly [string, string]): number {
  const [low, high] = colours.map(luminance).sort((a, b) => a - b)
  return high / low
}

test.each([0, 1])('areas behind lines are seen on the paper, and the line in ink on them: theme %i', (i) => {
  const theme = themes?.[i] ?? new Map<string, string>()
  const [paper, ink] = ['paper', 'ink'].map((name) => theme.get(name) ?? '')
  for (const name of ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']) {
    const area = areaColour(theme.get(name) ?? '', paper, ink)
    expect([name, contrast(area, paper) >= 3, contrast(area, ink) >= 3]).toEqual([name, true, true])
    expect([name, contrast(area, paper) < 3.3]).toEqual([name, true])
  }
})
