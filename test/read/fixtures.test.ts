import { describe, expect, test } from '@jest/globals'
import { answerOf, askedReads } from '../helpers/asked-reads.ts'
import { FIXTURES, fixtureKey } from '../helpers/fixtures.ts'
import { shortTurn } from '../helpers/turn.ts'

const asked = askedReads(`${FIXTURES}/reads.json.gz`)

describe('a merged read returns the cells that TileDB returns', () => {
  test.each(shortTurn([...asked], 12))('%s', async (name, queries) => {
    for (const query of queries) {
      const { cell_num, answer, ...rest } = query
      expect({ ...rest, ...(await answerOf(`${FIXTURES}/${name}`, fixtureKey(name), query)) }).toEqual(query)
    }
  })
})
