/** Names that the originals take or refuse. */
import { describe, expect, it } from 'vitest'
import { isAuthMethodName, isIdentityName, isPolicyName, isRoleName } from '../../../../src/configsvc/rules/index.ts'
import { ABSENT, aclVectors, vectorsPresent } from '../../../fixtures/acl-vectors.ts'

const JUDGES: Readonly<Record<string, (name: string) => boolean>> = {
  policy: isPolicyName,
  role: isRoleName,
  'auth-method': isAuthMethodName,
  'service-identity': isIdentityName,
  'node-identity': isIdentityName,
}

interface Case {
  readonly id: string
  readonly of: string
  readonly name: string
  readonly valid: boolean
}

describe.skipIf(!vectorsPresent)(`names${ABSENT}`, () => {
  it.each(aclVectors<Case>('names.json'))('$id: $of', ({ of, name, valid }) => {
    expect(JUDGES[of]?.(name)).toBe(valid)
  })
})
