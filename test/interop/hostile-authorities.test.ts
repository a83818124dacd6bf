import { describe, expect, it } from 'vitest'
import { configure, GOOD, HOSTILE, refusal } from './hostile-authorities.ts'

describe('a malformed certificate authority for database users', () => {
  it.each(HOSTILE)('is refused: %s', (_, config) => {
    expect(refusal(config)).toMatch(/^400 credential_config: /)
  })

  it('is the only reason for the refusals: the same configuration with a valid authority is accepted', () => {
    expect(configure(GOOD)).toMatchObject({ credential_type: 'client_certificate' })
  })
})
