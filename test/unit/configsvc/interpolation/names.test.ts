/** Cases about names with variables from the tests of Consul. */
import { expect, it } from 'vitest'
import { checkNameTemplate, interpolateName } from '../../../../src/configsvc/interpolation/index.ts'
import { describeAcl } from '../../../fixtures/acl-vectors.ts'

interface Case {
  readonly id: string
  readonly template: string
  readonly vars: Readonly<Record<string, string>>
  readonly result?: string
  readonly refused?: true
}

/** Validated when written and at a login, as a rule of a method that provides the variables. */
function outcome({ template, vars }: Case): string | undefined {
  const variables = Object.fromEntries(Object.entries(vars).map(([name, value]) => [`value.${name}`, value]))
  try {
    checkNameTemplate(template, Object.keys(variables))
    return interpolateName(template, variables)
  } catch (error) {
    expect(error).toMatchObject({ status: 400 })
    return undefined
  }
}

describeAcl<Case>('interpolation.json', 'names of the originals', (cases) => {
  it.each(cases)('a template of a name has the result that Consul gives: $id, $template', (testCase) => {
    expect(outcome(testCase)).toBe(testCase.refused ? undefined : testCase.result)
  })
})
