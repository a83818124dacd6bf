/** Rules that the originals take or refuse. */
import { describe, expect, it } from 'vitest'
import { parseRules } from '../../../../src/configsvc/rules/index.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { ABSENT, aclVectors, vectorsPresent } from '../../../fixtures/acl-vectors.ts'

interface Case {
  readonly id: string
  readonly about: string
  readonly syntax: 'hcl' | 'json'
  readonly rules: string
  readonly expect: 'accepted' | 'refused'
  readonly names?: string
}

describe.skipIf(!vectorsPresent)(`rules${ABSENT}`, () => {
  const cases = aclVectors<Case>('rules.json')

  it.each(cases)('$id: $about, $syntax', ({ rules, expect: wanted, names = '' }) => {
    if (wanted === 'accepted') return expect(Array.isArray(parseRules(rules))).toBe(true)
    let refusal: unknown
    try {
      parseRules(rules)
    } catch (error) {
      refusal = error
    }
    expect(refusal).toBeInstanceOf(KernelError)
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining(names) })
  })
})
