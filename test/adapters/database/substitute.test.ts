/** Values cannot leave the quotes their placeholders stand in. */

import { describe, expect, it } from 'vitest'
import { expirationText } from '../../../src/adapters/database/expiration.ts'
import { mysqlLexis } from '../../../src/adapters/database/mysql-lexis.ts'
import { postgresqlLexis } from '../../../src/adapters/database/postgresql-lexis.ts'
import { substitute } from '../../../src/adapters/database/substitute.ts'
import fc from '../../fixtures/fast-check.ts'

const pg = (text: string, password: string) => substitute(text, postgresqlLexis, { name: 'n', username: 'n', password })
const mysql = (text: string, password: string) => substitute(text, mysqlLexis, { name: 'n', username: 'n', password })

describe('a value in a statement', () => {
  it('is escaped for its quotes', () => {
    expect(pg(`'{{password}}' "{{password}}"`, `a'b"c\\d`)).toBe(`'a''b"c\\d' "a'b""c\\d"`)
    expect(pg(`E'{{password}}' U&'{{password}}'`, `a'\\`)).toBe(`E'a''\\\\' U&'a''\\\\'`)
    expect(mysql('\'{{password}}\' "{{password}}" `{{password}}`', 'a\'b"c`d\\e')).toBe(
      '\'a\'\'b"c`d\\\\e\' "a\'b""c`d\\\\e" `a\'b"c``d\\e`',
    )
  })

  it('is escaped within a block too, and ends none', () => {
    expect(pg(`DO $$ x '{{password}}'; $$; y`, `a'b`)).toBe(`DO $$ x 'a''b'; $$; y`)
    expect(pg(`DO $$ x '{{password}}'; $$; y`, `$$; DROP $block0$`)).toBe(`DO $block1$ x '$$; DROP $block0$'; $block1$; y`)
    expect(pg(`DO $$ x $q$ '{{password}}' $q$; $$`, `$q$$$'`)).toBe(`DO $block1$ x $block0$ '$q$$$''' $block0$; $block1$`)
    expect(pg(`DO $$x '{{password}}$$`, `$`)).toBe(`DO $block0$x '$$block0$`)
  })

  it('stands without quotes only where it is a word', () => {
    expect(pg('ALTER ROLE {{name}}; SET x = {{password}}', '1')).toBe('ALTER ROLE n; SET x = 1')
    for (const password of ['a b', 'a;b', 'a-b', "'", '$$', '', 'a\nb'])
      expect(() => pg('x {{password}}', password)).toThrow('quotes')
  })

  it('is not put into comments, nor for a placeholder nobody knows or gave', () => {
    expect(pg(`-- {{password}}\n/* {{password}} */ '{{ password }} {{expiration}} {{x}}'`, "a\n*/'")).toBe(
      `-- {{password}}\n/* {{password}} */ '{{ password }} {{expiration}} {{x}}'`,
    )
  })

  it('holds no NUL character, and stands at most four blocks deep', () => {
    expect(() => pg(`'{{password}}'`, 'a\0')).toThrow('NUL')
    const deep = (n: number): string => (n === 0 ? `'{{password}}'` : `$a${n}$ ${deep(n - 1)} $a${n}$`)
    expect(pg(deep(4), 'x')).toContain(`'x'`)
    expect(() => pg(deep(5), 'x')).toThrow('4 dollar quotes')
  })

  it('stays where it is and what it is, whatever it holds', () => {
    const value = fc.array(fc.constantFrom("'", '"', '`', '\\', '$', '$$', 'a', ';', '--', '/*', '*/', '{{name}}', '\n'))
    fc.assert(
      fc.property(
        value.map((chosen) => chosen.join('')),
        (password) => {
          // Each text is one quoted stretch: scanned again it has to be one still, to its end.
          for (const [lexis, text] of [
            [postgresqlLexis, `'{{password}}'`],
            [postgresqlLexis, `"{{password}}"`],
            [postgresqlLexis, `$$ '{{password}}' $$`],
            [mysqlLexis, `'{{password}}'`],
            [mysqlLexis, `"{{password}}"`],
            [mysqlLexis, '`{{password}}`'],
          ] as const) {
            const written = substitute(text, lexis, { password })
            const stretches: number[] = []
            lexis.scan(written, (_, from, to) => stretches.push(from, to))
            expect(stretches).toEqual([0, written.length])
          }
        },
      ),
    )
  })
})

it('an expiration is in UTC, to the second', () => {
  expect(expirationText(Date.UTC(2026, 10, 21, 10, 9, 49, 999))).toBe('2026-11-21 10:09:49+0000')
})
