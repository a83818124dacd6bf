/** Cases from Consul: valid and invalid names. */
import { expect, it } from 'vitest'
import { isAuthMethodName, isIdentityName, isPolicyName, isRoleName } from '../../../../src/configsvc/rules/index.ts'
import { describeAcl } from '../../../fixtures/acl-vectors.ts'

const VALIDATORS: Readonly<Record<string, (name: string) => boolean>> = {
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

describeAcl<Case>('names.json', 'names', (cases) => {
  it.each(cases)('a name is valid or invalid as in Consul: name $id of type $of', ({ of, name, valid }) => {
    expect(VALIDATORS[of]?.(name)).toBe(valid)
  })
})
