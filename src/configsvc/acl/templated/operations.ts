/**
 * `acl/templated-policy`: the templates there are, and what they come to for a name.
 */
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
  TemplateName: f.word<TemplatedPolicy['TemplateName']>('Its name.'),
  Schema: f.text('The JSON Schema of its variables; empty where it has none.'),
  Template: f.text('Its rules, with a place for the name.'),
  Description: f.text('For people.'),
}

export const templatedPolicyOperations = {
  list: configOperation({
    kind: 'read',
    verb: 'GET',
    path: '/acl/templated-policies',
    summary: 'All templated policies by their names.',
    thing: THING,
    permission: 'acl:read',
    fields: {},
    answers: f.json<Readonly<Record<string, TemplatedPolicyShown>>>('Each by its name.', {
      additionalProperties: f.record(SHOWN, '').schema,
    }),
    run: (): Readonly<Record<string, TemplatedPolicyShown>> =>
      Object.fromEntries(templatedPolicies().map((template) => [template.TemplateName, shown(template)])),
  }),

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

  preview: configOperation({
    kind: 'read',
    verb: 'POST',
    path: '/acl/templated-policy/preview/+TemplateName',
    summary: 'The policy that a templated policy stands for.',
    thing: THING,
    permission: 'acl:read',
    fields: { TemplateName: TEMPLATE_NAME },
    body: {
      TemplateVariables: f
        .record({ name: f.strictText('What it is about.').optional() }, 'The body itself.', { name: 'PreviewVariables' })
        .optional(),
    },
    whole: 'TemplateVariables',
    answers: f.record(
      {
        ID: f.text('Tells its rules from others.'),
        Name: f.text('Its name in explanations.'),
        Description: f.text('For people.'),
        Rules: f.text('Its rules.'),
        Hash: f.text('Base64 of the hash of its content.'),
      },
      'A policy that is stored nowhere.',
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
