import { expect, it } from 'vitest'
import { mysqlLexis } from '../../../src/adapters/database/mysql-lexis.ts'
import { postgresqlLexis } from '../../../src/adapters/database/postgresql-lexis.ts'
import { queriesOf } from '../../../src/adapters/database/split.ts'
import { referenceMs } from '../../fixtures/calibration.ts'

/** The splitter runs in one step and blocks other requests, so this bounds its time. */
const MAX_MS = 50

const base64 = (text: string) => Buffer.from(text).toString('base64')

// The input is four times as long as the engine accepts.
it('the splitter of statements reads half a million characters of anything within 50 ms', async () => {
  const size = 524_288
  const texts = ["'", "''", '$a$', '$', '/*', '*/', '/*!', '\\', "E'", '"', '`', '--\n', '-- ', '#', 'a', ' ', '(', '[', "E''\n"]
  const long = texts.map((piece) => piece.repeat(size / piece.length))
  const tags = Array.from({ length: 50_000 }, (_, i) => `$t${i}$`).join('')
  for (const text of [...long, `x${'é'.repeat(size)}`, tags, JSON.stringify(['x'.repeat(size)]), base64('x '.repeat(size / 3))])
    for (const lexis of [postgresqlLexis, mysqlLexis])
      expect(await referenceMs(() => queriesOf([text], lexis), MAX_MS), JSON.stringify(text.slice(0, 20))).toBeLessThan(MAX_MS)
})
