/**
 * The time for any text that the policy readers take grows as its length does: doubled from 1 KB to the bound and beyond, through the
 * operations that take them, in shapes made to be slow. Beyond the bound it is refused before anybody reads it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { MEASURED } from '../fixtures/measured.ts'

const SMALLEST = 1024
const BOUND = 262_144
/** Twice as long as the longest in base64. */
const LARGEST = 4 * BOUND
/** Two doublings may take eleven times as long: what is linear takes four, what is quadratic sixteen. Short times say nothing. */
const MOST_GROWTH = 11
const SHORT_MS = 4
/** A text beyond the bound is measured and refused, whatever it holds. */
const REFUSED_MS = 10

const repeated =
  (piece: string, head = '', tail = '') =>
  (size: number) =>
    head + piece.repeat(Math.floor((size - head.length - tail.length) / piece.length)) + tail

const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  quotes: repeated('"'),
  'one string': repeated('a', 'path "', '" {}'),
  'one escaped string': repeated('\\n', 'path "', '" {}'),
  'an open string': repeated('a', 'path "'),
  backslashes: repeated('\\', 'path "'),
  dollars: repeated('$', 'path "', '" {}'),
  interpolations: repeated('$' + '{', 'path "', '" {}'),
  'closed interpolations': repeated('$' + '{}', 'path "', '" {}'),
  comments: repeated('#\n'),
  'short comments': repeated('/**/'),
  'open comments': repeated('/*'),
  'an open comment': repeated('*', '/*'),
  slashes: repeated('/'),
  lines: repeated('\n'),
  blanks: repeated(' '),
  'blanks between': repeated(' ', 'a', '!'),
  'blanks in base64': repeated(' ', 'aaaa', '='),
  'paddings in base64': repeated('=', 'a', '!'),
  base64: repeated('QUJD'),
  'base64 of a policy': (size) =>
    Buffer.from(repeated('path "a" { policy = "read" }\n')(Math.floor((size * 3) / 4))).toString('base64'),
  heredocs: repeated('<<E\n', 'path "a" { comment = '),
  'the name of a heredoc': repeated('E', 'path "a" { comment = <<'),
  'a long heredoc': repeated('x\n', 'path "a" { comment = <<E\n', 'E\n}'),
  'an indented heredoc': repeated('  x\n', 'path "a" { comment = <<-E\n', '  E\n}'),
  'the end of a heredoc': repeated(' ', 'path "a" { comment = <<-E\nx\n', 'E\n}'),
  digits: repeated('9', 'path "a" { comment = ', ' }'),
  'digits and letters': repeated('9', 'path "a" { comment = ', 'x }'),
  fractions: repeated('0', 'path "a" { comment = 1.', 'x }'),
  minuses: repeated('-', 'path "a" { comment = ', ' }'),
  words: repeated('a ', 'path '),
  'one word': repeated('a'),
  templates: repeated('{{a}}', 'path "', '" {}'),
  'open templates': repeated('{{', 'path "', '" {}'),
  'many templates': repeated('path "{{identity.entity.name}}/{{a.b.c.d}}" {}\n'),
  'dots in templates': repeated(`path "{{${'.'.repeat(4000)}}}" {}\n`),
  'blanks in templates': repeated(`path "{{${' '.repeat(4000)}}}" {}\n`),
  'stars in paths': repeated(`path "${'*'.repeat(4000)}" {}\n`),
  'plus signs in paths': repeated(`path "${'+/'.repeat(2000)}" {}\n`),
  'slashes in paths': repeated(`path "${'/'.repeat(4000)}" {}\n`),
  brackets: repeated('['),
  braces: repeated('{'),
  'nesting in a list': repeated(`${'['.repeat(20)}${']'.repeat(20)},`, 'path "a" { allowed_parameters = { x = [', '] } }'),
  'one path many times': repeated('path "a" { capabilities = ["read"] allowed_parameters = { x = [1] } }\n'),
  'many values': repeated('{},', 'path "a" { allowed_parameters = { x = [[', ']] } }'),
  'many names': repeated('"x"=[],', 'path "a" { allowed_parameters = {', '} }'),
  'many required': repeated('"a",', 'path "a" { required_parameters = [', '] }'),
  'many capabilities': repeated('"read",', 'path "a" { capabilities = [', '] }'),
  'JSON, one string': repeated('\\u0041', '{"path":{"', '":{}}}'),
  'JSON, one path': repeated('"a":{},', '{"path":{', '"a":{}}}'),
  'JSON, lists': repeated('{"a":{}},', '{"path":[', '{}]}'),
  'JSON, spaces': repeated(' ', '{', '}'),
  'JSON, deep': repeated('[', '{"path":'),
  'JSON, a number': repeated('1', '{"path":', '}'),
  'a charset': repeated('a', 'length = 20\nrule "charset" { charset = "', '" }'),
  'an unprintable charset': repeated('a', 'length = 20\nrule "charset" { charset = "', '\\t" }'),
  'many charsets': repeated('rule "charset" { charset = "ab" }\n', 'length = 20\n'),
}

describe('the time that a text takes grows as its length does', MEASURED, () => {
  let kernel: Kernel
  beforeAll(async () => {
    kernel = await createDevKernel()
  })
  afterAll(() => kernel.close())

  const byPath =
    (path: string, name: string) =>
    async (text: string): Promise<unknown> => {
      const headers = { 'X-Service-Token': kernel.rootToken }
      const { status } = await kernel.handle({ method: 'POST', path: `/v1/sys/${path}`, headers, body: { [name]: text } })
      if (status >= 500) throw new Error(`status ${status}`)
      return status
    }
  const typed = (call: (text: string) => Promise<unknown>) => (text: string) =>
    call(text).catch((error: unknown) => {
      if ((error as { status?: number }).status !== 400) throw error
    })
  type Ways = Readonly<Record<string, (text: string) => Promise<unknown>>>
  const POLICIES: Ways = {
    'a policy by path': byPath('policies/acl/p', 'policy'),
    'a policy in the old way': byPath('policy/p', 'rules'),
    'a policy in the typed view': typed((policy) => kernel.policies.writePolicy({ name: 'p', policy })),
  }
  const PASSWORD_POLICIES: Ways = {
    'a password policy by path': byPath('policies/password/p', 'policy'),
    'a password policy in the typed view': typed((policy) => kernel.policies.writePasswordPolicy({ name: 'p', policy })),
  }
  const READERS: readonly Ways[] = [POLICIES, PASSWORD_POLICIES]

  /** Of the processor, in the best of three: what else the machine does must not count. One that is below `most` is enough. */
  async function milliseconds(run: () => Promise<unknown>, most: number): Promise<number> {
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3 && best > most; i++) {
      const start = process.cpuUsage()
      await run()
      const { user, system } = process.cpuUsage(start)
      best = Math.min(best, (user + system) / 1000)
    }
    return best
  }

  /** What grew too fast, as a sentence. */
  async function grownTooFast(
    take: (text: string) => Promise<unknown>,
    shape: (size: number) => string,
  ): Promise<string | undefined> {
    const times: number[] = []
    for (let size = SMALLEST; size <= LARGEST; size *= 2) {
      const text = shape(size)
      const quarter = Math.max(times.at(-2) ?? 0, SHORT_MS)
      const most = size > 2 * BOUND ? REFUSED_MS : MOST_GROWTH * quarter
      const took = await milliseconds(() => take(text), Math.min(most, SHORT_MS))
      if (took > most) return `${size}: ${took} ms, ${quarter} for a quarter`
      times.push(took)
    }
    return undefined
  }

  /** The ways to one reader lead to the same code: without SLOW they take turns. */
  const waysOf = (nth: number): readonly (readonly [string, (text: string) => Promise<unknown>])[] =>
    READERS.flatMap((ways) =>
      process.env['SLOW'] ? Object.entries(ways) : [Object.entries(ways)[nth % Object.keys(ways).length]!],
    )

  it.each(Object.keys(SHAPES).map((name, nth) => [name, nth] as const))('%s', { timeout: 120_000 }, async (name, nth) => {
    const shape = SHAPES[name] as (size: number) => string
    for (const [way, take] of waysOf(nth)) {
      // Again where the process was busy with something else, such as collecting what others left.
      let wrong = await grownTooFast(take, shape)
      for (let again = 0; wrong !== undefined && again < 3; again++) wrong = await grownTooFast(take, shape)
      expect(wrong, way).toBeUndefined()
    }
  })
})
