/** Cases of rules.json: policies whose rules are stored or refused. */
import { expect, it } from 'vitest'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { configWorld } from '../../fixtures/configsvc.ts'

interface RulesCase extends AclCase {
  readonly syntax: string
  readonly rules: string
  readonly expect: 'accepted' | 'refused'
  readonly names?: string
}

describeAcl<RulesCase>('rules.json', 'rules', (cases) => {
  it.each(cases)(
    'writing policy rules is accepted or refused as recorded, $id: $about, $syntax',
    async ({ rules: Rules, expect: expected, names = '' }) => {
      await using world = await configWorld()
      const { status, body } = await world.ask('PUT', 'acl/policy', { Name: 'p', Rules })
      if (expected === 'refused') return expect([status, body]).toEqual([400, expect.stringContaining(names)])
      expect([status, body]).toEqual([200, expect.objectContaining({ Name: 'p', Rules })])
    },
  )
})
