/** Cases from Consul: valid and invalid rules. */
import { expect, it } from 'vitest'
import { parseRules } from '../../../../src/configsvc/rules/index.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { describeAcl } from '../../../fixtures/acl-vectors.ts'

interface Case {
  readonly id: string
  readonly about: string
  readonly syntax: 'hcl' | 'json'
  readonly rules: string
  readonly expect: 'accepted' | 'refused'
  readonly names?: string
}

describeAcl<Case>('rules.json', 'rules', (cases) => {
  it.each(cases)(
    'ACL rules are accepted or refused as in Consul: $id, $about, $syntax',
    ({ rules, expect: expected, names = '' }) => {
      if (expected === 'accepted') return expect(Array.isArray(parseRules(rules))).toBe(true)
      let refusal: unknown
      try {
        parseRules(rules)
      } catch (error) {
        refusal = error
      }
      expect(refusal).toBeInstanceOf(KernelError)
      expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining(names) })
    },
  )
})
