/** Cases of templates.json: templated policies of roles and tokens, and the resulting permissions. */
import { expect, it } from 'vitest'
import { type PermissionText, parseRules } from '../../../src/configsvc/rules/index.ts'
import { type AclCase, describeAcl } from '../../fixtures/acl-vectors.ts'
import { answered, configWorld } from '../../fixtures/configsvc.ts'

interface Templated {
  readonly TemplateName: string
  readonly TemplateVariables?: { readonly name?: string }
}

interface TemplatesCase extends AclCase, Templated {
  readonly kind: 'id' | 'rules' | 'list'
  readonly TemplateID?: string
  readonly rules?: readonly (readonly string[])[]
  readonly not?: readonly string[]
  readonly list?: readonly Templated[]
  readonly stored?: readonly Templated[]
  readonly refused?: string
}

const BY_TEXT = (a: readonly string[], b: readonly string[]) => (a.join() < b.join() ? -1 : 1)

/** The rules of a policy in the notation of the cases. */
const written = (text: string): readonly (readonly string[])[] =>
  parseRules(text).map(({ resource, match, name, level }) => {
    if (match === 'prefix') return [`${resource}_prefix`, name, level]
    return name === '' ? [resource, level] : [resource, name, level]
  })

describeAcl<TemplatesCase>('templates.json', 'templated policies', (cases) => {
  it.each(cases.filter(({ kind }) => kind === 'id'))(
    'a role with a templated policy shows the recorded template ID, $id: $about',
    async ({ TemplateName, TemplateVariables, TemplateID }) => {
      await using world = await configWorld()
      const TemplatedPolicies = [{ TemplateName, ...(TemplateVariables && { TemplateVariables }) }]
      const role = await answered(world.ask('PUT', 'acl/role', { Name: 'r', TemplatedPolicies }))
      expect(role.TemplatedPolicies).toEqual([{ ...TemplatedPolicies[0], TemplateID }])
    },
  )

  it.each(cases.filter(({ kind }) => kind === 'rules'))(
    'the preview of a templated policy contains the recorded rules, $id: $about',
    async ({ TemplateName, TemplateVariables, rules = [] }) => {
      await using world = await configWorld()
      const policy = await answered(world.ask('POST', `acl/templated-policy/preview/${TemplateName}`, TemplateVariables))
      expect([...written(policy.Rules)].sort(BY_TEXT)).toEqual([...rules].sort(BY_TEXT))
    },
  )

  const rights = cases.filter(({ kind }) => kind === 'rules')

  it.each(rights)(
    'a token with a templated policy has the recorded permissions, $id: $about',
    async ({ TemplateName, TemplateVariables, rules = [], not = [] }) => {
      await using world = await configWorld()
      const TemplatedPolicies = [{ TemplateName, ...(TemplateVariables && { TemplateVariables }) }]
      const { SecretID: token } = await answered(world.ask('PUT', 'acl/token', { TemplatedPolicies }))
      const may = (permission: string, resource: string) =>
        world.service.acl.authorize({ token, permission: permission as PermissionText, resource })
      for (const rule of rules) {
        const [kind = '', name, level] = rule.length === 2 ? [rule[0], '', rule[1]] : rule
        const [resource, match] = kind.split('_')
        expect([rule, await may(`${resource}:${level}`, match ? 'some-name' : `${name}`)]).toEqual([rule, true])
      }
      for (const text of not) {
        const [permission = '', resource = ''] = text.split(' ')
        expect([text, await may(permission, resource)]).toEqual([text, false])
      }
    },
  )

  const lists = cases.filter(({ kind }) => kind === 'list')
  const holders = lists.flatMap((testCase) => ['role', 'token'].map((holder) => ({ ...testCase, holder })))

  it.each(holders)(
    'a templated policy in a $holder is stored or refused as recorded, $id: $about',
    async ({ holder, list, stored, refused }) => {
      await using world = await configWorld()
      const name = holder === 'role' ? { Name: 'r' } : {}
      const answer = await world.ask('PUT', `acl/${holder}`, { ...name, TemplatedPolicies: list })
      if (refused !== undefined)
        return expect([answer.status, answer.body]).toEqual([400, expect.stringMatching(new RegExp(refused, 'i'))])
      const made = await answered(Promise.resolve(answer))
      expect(made.TemplatedPolicies).toEqual(stored?.map((templated) => ({ ...templated, TemplateID: expect.any(String) })))
    },
  )
})
