import { f } from '../../../core/field/fields.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { AclPolicyRecord } from '../records.ts'

export const POLICY_BODY = {
  Name: f
    .strictText('Unique in its namespace regardless of case: 1 to 128 letters, digits, "-" and "_", with at most one "/".')
    .default(''),
  Description: f.strictText('A human-readable description.').default(''),
  Rules: f.strictText('The rules, in HCL or JSON. A policy without rules grants nothing.').default(''),
  Datacenters: f.strictTexts('The datacenters in which the policy is valid; everywhere if empty.').default([]),
  ...SCOPE_FIELDS,
}

/** Members of responses. Requests may contain them, because clients send back what they have read. */
export const POLICY_ECHOED_MEMBERS = [...ECHOED_MEMBERS, 'Hash']

const LISTED = {
  ID: f.text('UUID.'),
  Name: f.text('The name, in upper and lower case as it was created.'),
  Description: f.text('A human-readable description.'),
  Datacenters: f.texts('The datacenters in which the policy is valid; absent: everywhere.').optional(),
  Hash: f.text('The hash of the content of the policy, in base64.'),
  ...RECORD_META_FIELDS,
}

export const POLICY_LISTED = f.records(LISTED, 'Policies without their rules, sorted by name.', { name: 'PolicyEntry' })

export const POLICY_SHOWN = f.record({ ...LISTED, Rules: f.text('The rules.') }, 'A policy.', { name: 'Policy' })

export function listedPolicy(policy: AclPolicyRecord) {
  const { ID, Name, Description, Datacenters, Hash, CreateIndex, ModifyIndex } = policy
  const where = Datacenters.length > 0 ? { Datacenters } : {}
  return { ID, Name, Description, ...where, Hash, CreateIndex, ModifyIndex, ...shownScope(policy) }
}

export const shownPolicy = (policy: AclPolicyRecord) => ({ ...listedPolicy(policy), Rules: policy.Rules })
