import { performance } from 'node:perf_hooks'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../src/core/errors.ts'
import { compileAcl, MOST_POLICY_TEXT, parsePolicy } from '../../src/core/policy/index.ts'
import { SLOW } from './support.ts'

const RUNS = SLOW ? 200_000 : 5000

/** Whether the text was taken. Anything but a refusal with status 400 fails. */
function taken(text: string): boolean {
  try {
    parsePolicy(text)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/^failed to parse policy: /) })
    expect((error as Error).message.length).toBeLessThan(500)
    return false
  }
}

/** The fastest of some runs, in milliseconds. */
function timeOf(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) {
    const start = performance.now()
    run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

/** What both notations are made of, and what they are not. */
const PIECES = [
  ...'{}[]()=:,"\\#/*<>-+.$_ \n\t\r\0',
  ...['path', 'name', 'capabilities', 'policy', 'allowed_parameters', 'required_parameters', 'min_wrapping_ttl', 'comment'],
  ...[
    '"path"',
    '"a"',
    '"a/*"',
    '"+/b"',
    '"{{x}}"',
    '"read"',
    '["read"]',
    '"deny"',
    'path "a" {',
    '{"path":{',
    '"capabilities":["read"]',
  ],
  ...[
    'true',
    'false',
    'null',
    '0',
    '17',
    '-1',
    '1.5',
    '1e9',
    '0x1f',
    '1e999',
    '"1h"',
    '//',
    '/*',
    '*/',
    '<<E',
    '<<-E',
    'E',
    '${',
    '{{',
    '}}',
  ],
  ...['\\n', '\\u0041', '\\ud800', '\\x41', '\u00e9', '\ud83d', '\u2028', '\ufeff'],
]

describe('any text', () => {
  it('is taken or refused with 400', () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 })
    fc.assert(
      fc.property(pieces, fc.constantFrom('', ' '), (list, glue) => {
        taken(list.join(glue))
      }),
      { numRuns: RUNS },
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        taken(text)
      }),
      { numRuns: RUNS },
    )
  })

  it('is taken or refused with 400 after a small change to a policy', () => {
    const policies = [
      'path "kv/{{identity.entity.id}}/*" { capabilities = ["read", "list"] allowed_parameters = { a = [1, "b*", true] } }',
      '{"path":{"kv/+/x":{"capabilities":["deny"],"min_wrapping_ttl":"1h","denied_parameters":{"a":[{"b":[1.5]}]}}}}',
      'name = "x" /* y */ path "a" { policy = "write" comment = <<E\nwhy\nE\n required_parameters = ["a",] } # end',
    ]
    let kept = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...policies),
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom(...PIECES, ''),
        (text, seed, cut, piece) => {
          const at = seed % (text.length + 1)
          if (taken(text.slice(0, at) + piece + text.slice(at + cut))) kept++
        },
      ),
      { numRuns: RUNS },
    )
    expect(kept).toBeGreaterThan(RUNS / 100)
  })
})

describe('hostile text', () => {
  const repeated =
    (piece: string, head = '', tail = '') =>
    (size: number) =>
      head + piece.repeat(Math.floor((size - head.length - tail.length) / piece.length)) + tail
  const shapes: Readonly<Record<string, (size: number) => string>> = {
    quotes: repeated('"'),
    'one string': repeated('a', 'path "', '" {}'),
    'one escaped string': repeated('\\n', 'path "', '" {}'),
    'an open string': repeated('a', 'path "'),
    dollars: repeated('$', 'path "', '" {}'),
    interpolations: repeated('$' + '{', 'path "', '" {}'),
    'closed interpolations': repeated('$' + '{}', 'path "', '" {}'),
    comments: repeated('#\n'),
    'short comments': repeated('/**/'),
    'open comments': repeated('/*'),
    slashes: repeated('/'),
    lines: repeated('\n'),
    heredocs: repeated('<<E\n', 'path "a" { comment = '),
    'a long heredoc': repeated('x\n', 'path "a" { comment = <<E\n', 'E\n}'),
    'an indented heredoc': repeated('  x\n', 'path "a" { comment = <<-E\n', '  E\n}'),
    digits: repeated('9', 'path "a" { comment = ', ' }'),
    'digits and letters': repeated('9', 'path "a" { comment = ', 'x }'),
    fractions: repeated('0', 'path "a" { comment = 1.', 'x }'),
    minuses: repeated('-', 'path "a" { comment = ', ' }'),
    words: repeated('a ', 'path '),
    'one word': repeated('a'),
    templates: repeated('{{a}}', 'path "', '" {}'),
    'open templates': repeated('{{', 'path "', '" {}'),
    brackets: repeated('['),
    braces: repeated('{'),
    'one path many times': repeated('path "a" { capabilities = ["read"] allowed_parameters = { x = [1] } }\n'),
    'many values': repeated('{},', 'path "a" { allowed_parameters = { x = [', '] } }'),
    'many names': repeated('"x"=[],', 'path "a" { allowed_parameters = {', '} }'),
    'many required': repeated('"a",', 'path "a" { required_parameters = [', '] }'),
    'many capabilities': repeated('"read",', 'path "a" { capabilities = [', '] }'),
    'JSON, one string': repeated('\\u0041', '{"path":{"', '":{}}}'),
    'JSON, one path': repeated('"a":{},', '{"path":{', '"a":{}}}'),
    'JSON, lists': repeated('{"a":{}},', '{"path":[', '{}]}'),
    'JSON, spaces': repeated(' ', '{', '}'),
    'spaces in front': repeated(' '),
  }
  it.each(Object.entries(shapes))('takes time linear in its length: %s', (_, shape) => {
    const compile = (text: string) => () => {
      try {
        compileAcl([{ name: 'p', policy: parsePolicy(text), namespace: '' }])
      } catch (error) {
        if (!(error instanceof KernelError)) throw error
      }
    }
    const small = shape(MOST_POLICY_TEXT / 8)
    const large = shape(MOST_POLICY_TEXT)
    taken(small)
    taken(large)
    // Eight times as long; the rest is for a machine that is never quiet. Quadratic would be 64 times.
    const linear = (): boolean => {
      const once = timeOf(compile(small))
      return timeOf(compile(large)) < 24 * once + 10
    }
    expect(linear() || linear() || linear()).toBe(true)
  })
})
