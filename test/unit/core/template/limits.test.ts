import { expect, it } from 'vitest'
import { describeTemplateLimits, outcomeOf } from './limit-cases.ts'

describeTemplateLimits(async (run) => run())

it('error messages of templates contain neither template text nor field values', () => {
  for (const text of ['{{secretname}}', '{{.secretname}}', '{{"secretname" | decode_hex}}', '{{"secretname" | decode_base64}}']) {
    const outcome = outcomeOf(text)
    expect(outcome).toMatch(/^username_template: /)
    expect(outcome).not.toContain('secret')
  }
})
