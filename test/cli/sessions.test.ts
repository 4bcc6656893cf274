import { describe, expect, test } from '@jest/globals'
import { linesOf, ONLY_PRINTS, PAGES, textOf } from '../docs/pages.ts'
import { elided, sessionsOf } from '../helpers/sessions.ts'

const pages = PAGES.map((page) => {
  const calls = sessionsOf(textOf(page)).filter(({ command }) => ONLY_PRINTS.test(command))
  return [page, calls.map((session) => [session.command, session] as const)] as const
})

describe.each(pages.filter(([, calls]) => calls.length > 0))(
  'the sessions in %s are real (else: npm run docs:sessions)',
  (_, calls) => {
    test.each(calls)('%s', async (_, { command, printed }) => {
      expect(elided(await linesOf(command), printed)).toEqual(printed)
    })
  },
)
