/** Cases from Consul: templated policies, their rules and refusals. How lists of them are stored is tested elsewhere. */
import { expect, it } from 'vitest'
import {
  authorizerOf,
  parseRules,
  readPermissionText,
  readTemplateName,
  syntheticPolicies,
  type TemplateVariables,
  templatedPolicy,
  validateVariables,
} from '../../../../src/configsvc/rules/index.ts'
import { describeAcl } from '../../../fixtures/acl-vectors.ts'

interface Templated {
  readonly TemplateName: string
  readonly TemplateVariables?: TemplateVariables
}

interface Case extends Templated {
  readonly id: string
  readonly about: string
  readonly kind: 'id' | 'rules' | 'list'
  readonly TemplateID?: string
  readonly rules?: readonly (readonly string[])[]
  readonly not?: readonly string[]
  readonly list?: readonly Templated[]
  readonly refused?: string
}

/** `service:write web` */
function parseAccess(text: string) {
  const [permission = '', segment = ''] = text.split(' ')
  return { ...readPermissionText(permission), segment }
}

const checkTemplate = ({ TemplateName, TemplateVariables }: Templated): void =>
  validateVariables(readTemplateName(TemplateName), TemplateVariables)

describeAcl<Case>('templates.json', 'templated policies', (cases) => {
  it.each(cases.filter(({ kind }) => kind === 'id'))('have the recorded template ID, $id: $about', (testCase) => {
    checkTemplate(testCase)
    expect(templatedPolicy(readTemplateName(testCase.TemplateName)).TemplateID).toBe(testCase.TemplateID)
  })

  it.each(cases.filter(({ kind }) => kind === 'rules'))(
    'produce the recorded rules, $id: $about',
    ({ rules = [], not = [], ...templated }) => {
      checkTemplate(templated)
      const policies = syntheticPolicies({ TemplatedPolicies: [templated] })
      const read = policies.flatMap(({ Rules }) => parseRules(Rules))
      const written = read.map(({ resource, match, name, level }) =>
        name === '' && match === 'exact'
          ? [resource, level]
          : [match === 'prefix' ? `${resource}_prefix` : resource, name, level],
      )
      const byText = (a: readonly string[], b: readonly string[]) => (a.join() < b.join() ? -1 : 1)
      expect(written.sort(byText)).toEqual([...rules].sort(byText))
      const authorizer = authorizerOf([{ name: 'p', rules: read }], 'deny')
      for (const text of not) {
        const { resource, access, segment } = parseAccess(text)
        expect([text, authorizer.decide(resource, access, segment)]).toEqual([text, false])
      }
    },
  )

  it.each(cases.filter(({ refused }) => refused !== undefined))(
    'are refused as recorded, $id: $about',
    ({ list = [], refused = '' }) => {
      expect(() => list.forEach(checkTemplate)).toThrow(
        expect.objectContaining({ status: 400, message: expect.stringContaining(refused) }),
      )
    },
  )
})
