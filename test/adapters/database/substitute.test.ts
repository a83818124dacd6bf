/** Values cannot leave the quotes around their placeholders. */

import { describe, expect, it } from 'vitest'
import { expirationText } from '../../../src/adapters/database/expiration.ts'
import { mysqlScanner } from '../../../src/adapters/database/mysql-scanner.ts'
import { postgresqlScanner } from '../../../src/adapters/database/postgresql-scanner.ts'
import type { SqlScanner } from '../../../src/adapters/database/sql-scanner.ts'
import { substitute } from '../../../src/adapters/database/substitute.ts'
import fc from '../../fixtures/fast-check.ts'

const pg = (text: string, password: string) => substitute(text, postgresqlScanner, { name: 'n', username: 'n', password })
const mysql = (text: string, password: string) => substitute(text, mysqlScanner, { name: 'n', username: 'n', password })

describe('a value substituted into an SQL statement', () => {
  it('is escaped for the quotes around it', () => {
    expect(pg(`'{{password}}', "{{password}}"`, `a'b"c\\d`)).toBe(`'a''b"c\\d', "a'b""c\\d"`)
    expect(pg(`E'{{password}}', U&'{{password}}'`, `a'\\`)).toBe(`E'a''\\\\', U&'a''\\\\'`)
    expect(mysql('\'{{password}}\', "{{password}}" `{{password}}`', 'a\'b"c`d\\e')).toBe(
      '\'a\'\'b"c`d\\\\e\', "a\'b""c`d\\\\e" `a\'b"c``d\\e`',
    )
  })

  it('is escaped inside a dollar-quoted block, and cannot end the block', () => {
    expect(pg(`DO $$ x '{{password}}'; $$; y`, `a'b`)).toBe(`DO $$ x 'a''b'; $$; y`)
    expect(pg(`DO $$ x '{{password}}'; $$; y`, `$$; DROP $block0$`)).toBe(`DO $block1$ x '$$; DROP $block0$'; $block1$; y`)
    expect(pg(`DO $$ x $q$ '{{password}}' $q$; $$`, `$q$$$'`)).toBe(`DO $block1$ x $block0$ '$q$$$''' $block0$; $block1$`)
    expect(pg(`DO $$x '{{password}}$$`, `$`)).toBe(`DO $block0$x '$$block0$`)
  })

  it('is inserted into unquoted code only if it is a single word', () => {
    expect(pg('ALTER ROLE {{name}}; SET x = {{password}}', '1')).toBe('ALTER ROLE n; SET x = 1')
    for (const password of ['a b', 'a;b', 'a-b', "'", '$$', '', 'a\nb'])
      expect(() => pg('x {{password}}', password)).toThrow('quotes')
  })

  it('is inserted neither into comments nor for an unknown placeholder', () => {
    expect(pg(`-- {{password}}\n/* {{password}} */ '{{ password }} {{expiration}} {{x}}'`, "a\n*/'")).toBe(
      `-- {{password}}\n/* {{password}} */ '{{ password }} {{expiration}} {{x}}'`,
    )
  })

  it('is refused if it has a NUL character or is inside more than four nested blocks', () => {
    expect(() => pg(`'{{password}}'`, 'a\0')).toThrow('NUL')
    const deep = (n: number): string => (n === 0 ? `'{{password}}'` : `$a${n}$ ${deep(n - 1)} $a${n}$`)
    expect(pg(deep(4), 'x')).toContain(`'x'`)
    expect(() => pg(deep(5), 'x')).toThrow('4 nested dollar quotes')
  })

  it('never ends the quotes around it, whatever characters it has', () => {
    const value = fc.array(fc.constantFrom("'", '"', '`', '\\', '$', '$$', 'a', ';', '--', '/*', '*/', '{{name}}', '\n'))
    fc.assert(
      fc.property(
        value.map((chosen) => chosen.join('')),
        (password) => {
          // Each text is one quoted token. After the substitution it must still be scanned as one token up to its end.
          for (const [lexis, text] of [
            [postgresqlScanner, `'{{password}}'`],
            [postgresqlScanner, `"{{password}}"`],
            [postgresqlScanner, `$$ '{{password}}' $$`],
            [mysqlScanner, `'{{password}}'`],
            [mysqlScanner, `"{{password}}"`],
            [mysqlScanner, '`{{password}}`'],
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

/** Code inside strings, inside dollar quotes, and inside both, with a placeholder at different levels of quotes. */
const NESTED: readonly (readonly [name: string, lexis: SqlScanner, text: string])[] = [
  ['a name in a string', postgresqlScanner, `DO $$ BEGIN EXECUTE 'CREATE ROLE "{{password}}"'; END $$`],
  ['a string in a string', postgresqlScanner, `DO $$ BEGIN EXECUTE 'ALTER ROLE x PASSWORD ''{{password}}'''; END $$`],
  ['a name in a string in a string', postgresqlScanner, `DO 'BEGIN EXECUTE ''CREATE ROLE "{{password}}"''; END'`],
  ['code in a string', postgresqlScanner, `DO $$ BEGIN EXECUTE 'CREATE ROLE {{password}}'; END $$`],
  ['dollar quotes in a string', postgresqlScanner, `DO 'BEGIN EXECUTE $x$CREATE ROLE "{{password}}"$x$; END'`],
  ['a comment in a string', postgresqlScanner, `DO $$ BEGIN EXECUTE 'CREATE ROLE x /* {{password}} */'; END $$`],
  ['a string with escapes', postgresqlScanner, `DO $$ BEGIN EXECUTE E'CREATE ROLE \\x22{{password}}\\x22'; END $$`],
  ['joined by an operator', postgresqlScanner, `DO $$ BEGIN EXECUTE 'CREATE ROLE "' || '{{password}}' || '"'; END $$`],
  ['joined over lines', postgresqlScanner, `SELECT run('CREATE ROLE "'\n'{{password}}'\n'"')`],
  ['a prepared statement', mysqlScanner, "PREPARE s FROM 'CREATE USER ''{{password}}'''"],
  ['a prepared statement with other quotes', mysqlScanner, `PREPARE s FROM "CREATE USER '{{password}}'"`],
  ['a name in a prepared statement', mysqlScanner, "PREPARE s FROM 'GRANT ALL ON `{{password}}`.* TO x'"],
  ['code of a prepared statement', mysqlScanner, "PREPARE s FROM 'CREATE USER {{password}}'"],
  ['escapes in a prepared statement', mysqlScanner, "PREPARE s FROM 'CREATE USER \\'{{password}}\\''"],
  ['an immediate statement', mysqlScanner, `EXECUTE IMMEDIATE "CREATE USER '{{password}}'"`],
  ['joined by a call', mysqlScanner, "SET @s = CONCAT('CREATE USER ''', '{{password}}', '''')"],
  ['joined without an operator', mysqlScanner, `SET @s = 'CREATE USER "' '{{password}}' '"'`],
]

describe('a value substituted between quotes inside an SQL string', () => {
  it.each(NESTED)('is refused if it would need an escape in %s', (_, lexis, text) => {
    for (const password of [`a"b`, `a'b`, 'a`b', 'a\\b', `"; DROP ROLE admin; --`, `'; DROP ROLE admin; --`, 'a\nb', `''`, `""`])
      expect(() => substitute(text, lexis, { password }), password).toThrow('in quotes inside a string')
    // Words, and the characters of generated names and passwords, are allowed everywhere.
    for (const password of ['word', 'v-app-orders-x1Y2-1700000000', 'müller_7'])
      expect(substitute(text, lexis, { password })).toContain(password)
  })

  it('may contain dollar signs, unless the inner string has dollar quotes', () => {
    const verifier = 'SCRAM-SHA-256$4096:c2FsdA==$a+/=:b+/='
    const text = `DO $$ BEGIN EXECUTE 'ALTER ROLE x PASSWORD ''{{password}}'''; END $$`
    expect(pg(text, verifier)).toContain(`''${verifier}''`)
    expect(() => pg(`DO 'BEGIN EXECUTE $x$CREATE ROLE "{{password}}"$x$; END'`, 'a$x$')).toThrow('in quotes inside a string')
  })

  it('is refused in code without quotes if it can be more than one word', () => {
    for (const [, lexis, text] of NESTED.filter(([name]) => /^code/.test(name)))
      for (const password of ['x SUPERUSER', 'x;y', 'x--y', 'x(y)', 'x,y', 'x/*y*/', 'x#y'])
        expect(() => substitute(text, lexis, { password }), password).toThrow('in quotes inside a string')
  })

  it('is escaped if it is the only content of the string', () => {
    const nasty = `a'b"c\\d`
    expect(pg(`DO $$ BEGIN EXECUTE format('CREATE ROLE %I', '{{password}}'); END $$`, nasty)).toContain(`'a''b"c\\d'`)
    expect(mysql(`SET @s = CONCAT('CREATE USER ', QUOTE('{{password}}'))`, nasty)).toContain(`'a''b"c\\\\d'`)
  })

  it('can be an expiration time', () => {
    const expiration = expirationText(0)
    const text = `DO $$ BEGIN EXECUTE 'ALTER ROLE x VALID UNTIL ''{{expiration}}'' -- {{expiration}}'; END $$`
    expect(substitute(text, postgresqlScanner, { expiration })).toContain(`''${expiration}''`)
  })
})

it('expirationText returns the time in UTC with a precision of one second', () => {
  expect(expirationText(Date.UTC(2026, 10, 21, 10, 9, 49, 999))).toBe('2026-11-21 10:09:49+0000')
})
