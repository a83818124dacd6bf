/** Cases of interpolation.json: names with variables, for the tokens of logins. */
import { expect, it } from 'vitest'
import { describeAcl } from '../../fixtures/acl-vectors.ts'
import { LoginWorld, mapped } from './login-world.ts'

interface NameCase {
  readonly id: string
  readonly template: string
  readonly vars: Readonly<Record<string, string>>
  readonly result?: string
  readonly refused?: true
}

async function outcome({ template, vars }: NameCase): Promise<string | undefined> {
  await using world = await LoginWorld.open()
  await world.method('m', { ClaimMappings: mapped(Object.keys(vars)) })
  const rule = { AuthMethod: 'm', BindType: 'templated-policy', BindName: 'builtin/api-gateway', BindVars: { name: template } }
  const made = await world.ask('PUT', 'binding-rule', rule)
  if (made.status === 400) return undefined
  expect(made.status).toBe(200)
  const { status, body } = await world.logIn('m', vars)
  if (status === 403) return undefined
  expect(status).toBe(200)
  const [policy] = (body as { TemplatedPolicies: readonly { TemplateVariables: { name: string } }[] }).TemplatedPolicies
  return policy?.TemplateVariables.name
}

describeAcl<NameCase>('interpolation.json', 'names with variables', (cases) => {
  it.each(cases)('a template is filled in as recorded, $id: $template', async (testCase) => {
    expect(await outcome(testCase)).toBe(testCase.refused ? undefined : testCase.result)
  })
})
