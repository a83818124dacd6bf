import { f } from '../../../core/field/fields.ts'
import { configOperation } from '../../operation.ts'
import {
  readTemplateName,
  synthesize,
  type TemplatedPolicy,
  templatedPolicies,
  templatedPolicy,
  validateVariables,
} from '../../rules/index.ts'
import { aclContentHash } from '../hash.ts'

const THING = 'TemplatedPolicy'

const TEMPLATE_NAME = f.text('One of the built-in templates, such as `builtin/service`.')

export type TemplatedPolicyShown = Omit<TemplatedPolicy, 'TemplateID'>

const shown = ({ TemplateName, Schema, Template, Description }: TemplatedPolicy): TemplatedPolicyShown => ({
  TemplateName,
  Schema,
  Template,
  Description,
})

const SHOWN = {
  TemplateName: f.word<TemplatedPolicy['TemplateName']>('The name.'),
  Schema: f.text('The JSON Schema of the variables; empty if the template has no variables.'),
  Template: f.text('The rules, with a placeholder for the name.'),
  Description: f.text('A human-readable description.'),
}

export const templatedPolicyOperations = {
  /** @throws no errors of its own. */
  list: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/templated-policies',
    summary: 'Lists the templated policies.',
    thing: THING,
    permission: 'acl:read',
    fields: {},
    answers: f.json<Readonly<Record<string, TemplatedPolicyShown>>>('The templated policies, by name.', {
      additionalProperties: f.record(SHOWN, '').schema,
    }),
    run: (): Readonly<Record<string, TemplatedPolicyShown>> =>
      Object.fromEntries(templatedPolicies().map((template) => [template.TemplateName, shown(template)])),
  }),

  /** @throws KernelError 400 if the template does not exist. */
  readByName: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/templated-policy/name/+TemplateName',
    summary: 'Reads a templated policy.',
    thing: THING,
    permission: 'acl:read',
    fields: { TemplateName: TEMPLATE_NAME },
    answers: f.record(SHOWN, 'A templated policy.', { name: 'TemplatedPolicy' }),
    run: (_tx, { TemplateName }) => shown(templatedPolicy(readTemplateName(TemplateName))),
  }),

  /** @throws KernelError 400 if the template does not exist, or if a required variable is missing. */
  preview: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/acl/templated-policy/preview/+TemplateName',
    summary: 'Shows the policy that results from filling in a template with a name.',
    thing: THING,
    permission: 'acl:read',
    fields: { TemplateName: TEMPLATE_NAME },
    body: {
      TemplateVariables: f
        .record(
          { name: f.strictText('The name that replaces the placeholder in the template.').optional() },
          'The variables. The request body is this object.',
          { name: 'PreviewVariables' },
        )
        .optional(),
    },
    whole: 'TemplateVariables',
    answers: f.record(
      {
        ID: f.text('An ID that depends on the rules only.'),
        Name: f.text('The name by which explanations of decisions refer to the policy.'),
        Description: f.text('A human-readable description.'),
        Rules: f.text('Its rules.'),
        Hash: f.text('The hash of the content of the policy, in base64.'),
      },
      'The resulting policy, which is not stored.',
      { name: 'PolicyPreview' },
    ),
    run(_tx, { TemplateName, TemplateVariables }) {
      const template = readTemplateName(TemplateName)
      validateVariables(template, TemplateVariables)
      const { ID, Name, Description, Rules } = synthesize(template, TemplateVariables)
      return { ID, Name, Description, Rules, Hash: aclContentHash([Name, Description, Rules]) }
    },
  }),
}
