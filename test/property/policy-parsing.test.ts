import { describe, expect, it } from 'vitest'
import { KernelError } from '../../src/core/base/errors.ts'
import { parsePolicy } from '../../src/core/policy/index.ts'
import { anyCharacter } from '../fixtures/any-character.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

const RUNS = runs({ quick: 5000, soak: 200_000 })

/** Whether the text was accepted. Any error other than a refusal with status 400 fails the test. */
function parses(text: string): boolean {
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

/** Tokens of both notations, and invalid text. */
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

describe('parsing arbitrary text as a policy', () => {
  it('succeeds or fails with a 400 error', () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 })
    fc.assert(
      fc.property(pieces, fc.constantFrom('', ' '), (list, glue) => {
        parses(list.join(glue))
      }),
      { numRuns: RUNS },
    )
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        parses(text)
      }),
      { numRuns: RUNS },
    )
  })

  it('succeeds or fails with a 400 error after a small change to a valid policy', () => {
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
          if (parses(text.slice(0, at) + piece + text.slice(at + cut))) kept++
        },
      ),
      { numRuns: RUNS },
    )
    expect(kept).toBeGreaterThan(RUNS / 100)
  })
})
