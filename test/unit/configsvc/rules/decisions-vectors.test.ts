/** Cases from Consul: what policies allow. */
import { expect, it } from 'vitest'
import {
  authorizerOf,
  BUILT_IN_POLICIES,
  type DefaultPolicy,
  parseRules,
  readPermissionText,
} from '../../../../src/configsvc/rules/index.ts'
import { describeAcl } from '../../../fixtures/acl-vectors.ts'

interface Case {
  readonly id: string
  readonly about: string
  readonly policies: readonly string[]
  readonly builtin?: readonly string[]
  readonly default_policy: DefaultPolicy | readonly DefaultPolicy[]
  readonly asks: readonly { readonly permission: string; readonly resource: string; readonly expect: 'allow' | 'deny' }[]
}

describeAcl<Case>('decisions.json', 'decisions', (cases) => {
  it.each(cases)(
    'an ACL decision is the one that Consul makes: $id, $about',
    ({ policies, builtin = [], default_policy, asks }) => {
      const texts = [...policies, ...builtin.map((name) => BUILT_IN_POLICIES.find(({ Name }) => Name === name)!.Rules)]
      const named = texts.map((text, i) => ({ name: `p${i}`, rules: parseRules(text) }))
      for (const byDefault of [default_policy].flat() as DefaultPolicy[]) {
        const authorizer = authorizerOf(named, byDefault)
        const turned = authorizerOf(named.toReversed(), byDefault)
        for (const { permission, resource: segment, expect: expected } of asks) {
          const { resource, access } = readPermissionText(permission)
          const label = [byDefault, permission, segment]
          expect([...label, authorizer.decide(resource, access, segment)]).toEqual([...label, expected === 'allow'])
          expect([...label, authorizer.explain(resource, access, segment).allow]).toEqual([...label, expected === 'allow'])
          expect([...label, turned.decide(resource, access, segment)]).toEqual([...label, expected === 'allow'])
        }
      }
    },
  )
})
