/**
 * Cases of selectors.json that apply to identities: expressions as selectors of binding rules, refused when written, or evaluated at a
 * login.
 */
import { expect, it } from 'vitest'
import { describeAclFile } from '../../fixtures/acl-vectors.ts'
import { LoginWorld } from './login-world.ts'

interface Person {
  readonly on: string
  readonly value: Readonly<Record<string, string>>
  readonly list: Readonly<Record<string, readonly string[]>>
}

interface SelectorsFile {
  readonly values: Readonly<Record<string, Person>>
  readonly cases: readonly {
    readonly id: string
    readonly value: string
    readonly expression: string
    readonly expect: boolean | 'refused'
  }[]
}

const prefixed = <T>(prefix: string, members: Readonly<Record<string, T>>): readonly (readonly [string, T])[] =>
  Object.entries(members).map(([name, value]) => [`${prefix}-${name}`, value])

const mappings = (prefix: string, members: object) =>
  Object.fromEntries(Object.keys(members).map((name) => [`${prefix}-${name}`, name]))

describeAclFile<SelectorsFile>('selectors.json', 'selectors', ({ values, cases }) => {
  const ofPeople = cases.filter(({ value }) => values[value]?.on === 'identity')

  it.each(ofPeople)(
    'a selector is parsed and evaluated as recorded, $id: $expression',
    async ({ value: name, expression, expect: expected }) => {
      const { value, list } = values[name] as Person
      await using world = await LoginWorld.open()
      await world.method('m', { ClaimMappings: mappings('one', value), ListClaimMappings: mappings('many', list) })
      const rule = { AuthMethod: 'm', BindType: 'service', BindName: 'web', Selector: expression }
      const written = await world.ask('PUT', 'binding-rule', rule)
      expect(written.status).toBe(expected === 'refused' ? 400 : 200)
      if (expected === 'refused') return expect(written.body).toMatch(/Selector is invalid/)
      const { status } = await world.logIn(
        'm',
        Object.fromEntries([...prefixed('one', value), ...prefixed<unknown>('many', list)]),
      )
      expect(status).toBe(expected ? 200 : 403)
      const evaluation = await world.service.bindingRules.evaluate({ auth_method: 'm', identity: { value, list } })
      expect(evaluation.Allowed).toBe(expected)
    },
  )
})
