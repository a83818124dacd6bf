import { expect, it } from 'vitest'
import { mysqlScanner } from '../../../src/adapters/database/mysql-scanner.ts'
import { postgresqlScanner } from '../../../src/adapters/database/postgresql-scanner.ts'
import { splitStatements } from '../../../src/adapters/database/split-statements.ts'
import { referenceMs } from '../../fixtures/calibration.ts'

/** The splitter runs in one step and blocks other requests, so this bounds its time. */
const MAX_MS = 50

const base64 = (text: string) => Buffer.from(text).toString('base64')

// The input is four times as long as the engine accepts.
it('splitStatements processes half a million characters of any text within 50 ms', async () => {
  const size = 524_288
  const texts = ["'", "''", '$a$', '$', '/*', '*/', '/*!', '\\', "E'", '"', '`', '--\n', '-- ', '#', 'a', ' ', '(', '[', "E''\n"]
  const long = texts.map((piece) => piece.repeat(size / piece.length))
  const tags = Array.from({ length: 50_000 }, (_, i) => `$t${i}$`).join('')
  for (const text of [...long, `x${'é'.repeat(size)}`, tags, JSON.stringify(['x'.repeat(size)]), base64('x '.repeat(size / 3))])
    for (const lexis of [postgresqlScanner, mysqlScanner])
      expect(await referenceMs(() => splitStatements([text], lexis), MAX_MS), JSON.stringify(text.slice(0, 20))).toBeLessThan(
        MAX_MS,
      )
})
