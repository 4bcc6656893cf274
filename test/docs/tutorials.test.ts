import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { sessionsOf } from '../helpers/sessions.ts'
import { shortTurn } from '../helpers/turn.ts'
import { TUTORIALS, textOf, tutorialAnew } from './pages.ts'

const tutorials = TUTORIALS.map((page) => [page, temporaryFolder()])

test.each(shortTurn(tutorials, 4))(
  'what %s says is what happens (else: npm run docs:sessions)',
  async (page, folder) => {
    const said = sessionsOf(textOf(page))
    expect(said.length).toBeGreaterThan(4)
    expect(sessionsOf(await tutorialAnew(page, folder))).toEqual(said)
  },
)
