import { describe, expect, it } from 'vitest'
import { mysqlScanner } from '../../../src/adapters/database/mysql-scanner.ts'
import { postgresqlScanner } from '../../../src/adapters/database/postgresql-scanner.ts'
import { splitStatements } from '../../../src/adapters/database/split-statements.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { naiveMysqlSplit, naivePostgresqlSplit } from './naive-split.ts'

const pg = (...statements: string[]) => splitStatements(statements, postgresqlScanner)
const mysql = (...statements: string[]) => splitStatements(statements, mysqlScanner)
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('splitStatements for PostgreSQL', () => {
  const block = `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname='my_role') THEN CREATE ROLE my_role; END IF; END $$`
  const create = `CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'`
  const grant = `GRANT SELECT ON ALL TABLES IN SCHEMA public TO "{{name}}"`

  it('splits at semicolons outside of blocks', () => {
    expect(pg(block)).toEqual([block])
    expect(pg(`${create}; ${grant};`)).toEqual([create, grant])
    expect(pg(`${create}; ${block};; ${grant}`, grant)).toEqual([create, block, grant, grant])
  })

  it.each([
    ['a quote (vault#1619)', `COMMENT ON ROLE a IS 'made; for ''you;'''`],
    ['a quoted name', `ALTER ROLE "a;b""c;" LOGIN`],
    ['a tagged block (vault#6098)', `DO $body$ BEGIN PERFORM 1; PERFORM $$;$$; END $body$`],
    ['a comment', `SELECT 1 -- one; two\n, 2`],
    ['comments in comments', `SELECT /* a /* b; */ c; */ 1`],
    ['a string with escapes', `SELECT E'it\\'s; so', 'c:\\', 1`],
    ['a string that continues on another line', `SELECT E'a'\n  -- and\n 'b\\';c'`],
    ['a name with dollars (openbao#3991)', `SELECT a$b$ FROM c$b$`],
  ])('keeps the semicolon in %s', (_, text) => {
    expect(pg(`${text}; SELECT 2`)).toEqual([text, 'SELECT 2'])
  })

  it('accepts statements as base64, as a JSON list and as base64 of a JSON list', () => {
    expect(pg(base64(`${create};${grant}`))).toEqual([create, grant])
    expect(pg(JSON.stringify([create, 'SELECT 1; SELECT 2']))).toEqual([create, 'SELECT 1; SELECT 2'])
    expect(pg(base64(JSON.stringify([create, grant])))).toEqual([create, grant])
    expect(pg('["not a list')).toEqual(['["not a list'])
  })

  it('does not decode SQL words that look like base64', () => {
    for (const word of ['ROLLBACK', 'COMMIT', 'VACUUM', 'CHECKPOINT12', 'abcd']) expect(pg(word)).toEqual([word])
  })

  it('returns no statements for a text of blanks and comments', () => {
    expect(pg('', ' ; ;\n', '-- nothing; here', '/* or; here */;')).toEqual([])
  })

  it('refuses NUL characters and more than 1,000 statements', () => {
    expect(() => pg('SELECT \0')).toThrow('NUL')
    expect(() => pg('["a\\u0000"]')).toThrow('NUL')
    expect(pg('a;'.repeat(1000))).toHaveLength(1000)
    expect(() => pg('a;'.repeat(1001))).toThrow('at most 1000 queries')
  })
})

describe('splitStatements for MySQL', () => {
  it.each([
    ['a quote with a backslash', `SELECT 'it\\'s; so', "a\\";b", 'c''d;'`],
    ['backticks', 'SELECT `a;b``c;\\`'],
    ['a comment to the end of the line', 'SELECT 1 # one; two\n, 2 -- three; four\n, 3'],
    ['a comment', 'SELECT /* a /* b; */ 1'],
    ['an executable comment', `SELECT /*!50100 1; */ + /*M! ';' ; */ 2`],
  ])('keeps the semicolon in %s', (_, text) => {
    expect(mysql(`${text}; SELECT 2`)).toEqual([text, 'SELECT 2'])
  })

  it('treats two dashes as the start of a comment only before a blank', () => {
    expect(mysql('SELECT 1--1; SELECT 2')).toEqual(['SELECT 1--1', 'SELECT 2'])
    expect(mysql('SELECT 1 --')).toEqual(['SELECT 1 --'])
  })
})

describe('splitStatements', () => {
  const pieces = (list: readonly string[]) =>
    fc.array(fc.constantFrom(...list), { maxLength: 30 }).map((chosen) => chosen.join(''))
  const shared = ["'", '"', ';', '/*', '*/', '--', '\n', ' ', '\\', 'a', '1', "''", '""']
  const cases = { numRuns: runs({ quick: 1000, soak: 50_000 }) }

  it('agrees with a naive implementation for PostgreSQL', () => {
    fc.assert(
      fc.property(pieces([...shared, '$$', '$a$', '$', 'E', 'e', 'U&', 'é']), (text) => {
        expect(pg(`x ${text}`)).toEqual(naivePostgresqlSplit(`x ${text}`))
      }),
      cases,
    )
  })

  it('agrees with a naive implementation for MySQL', () => {
    fc.assert(
      fc.property(pieces([...shared, '`', '#', '/*!', '-- ', '``']), (text) => {
        expect(mysql(`x ${text}`)).toEqual(naiveMysqlSplit(`x ${text}`))
      }),
      cases,
    )
  })
})
