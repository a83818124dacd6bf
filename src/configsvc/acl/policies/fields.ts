/**
 * Policies, as they are written and shown.
 */
import { f } from '../../../core/field/fields.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { AclPolicyRecord } from '../records.ts'

export const POLICY_BODY = {
  Name: f.strictText('Unique in its namespace, in any case: 1 to 128 letters, digits, "-", "_", and one "/".').default(''),
  Description: f.strictText('For people.').default(''),
  Rules: f.strictText('The rules, in HCL or JSON. None grant nothing.').default(''),
  Datacenters: f.strictTexts('Where it applies; everywhere if empty.').default([]),
  ...SCOPE_FIELDS,
}

/** Clients send back what they have read. */
export const POLICY_ECHOED_MEMBERS = [...ECHOED_MEMBERS, 'Hash']

const LISTED = {
  ID: f.text('UUID.'),
  Name: f.text('The name, as it was spelled.'),
  Description: f.text('For people.'),
  Datacenters: f.texts('Where it applies; absent: everywhere.').optional(),
  Hash: f.text('Base64 of the hash of its content.'),
  ...RECORD_META_FIELDS,
}

export const POLICY_LISTED = f.records(LISTED, 'Policies without their rules, in order of their names.', { name: 'PolicyEntry' })

export const POLICY_SHOWN = f.record({ ...LISTED, Rules: f.text('The rules.') }, 'A policy.', { name: 'Policy' })

export function listedPolicy(policy: AclPolicyRecord) {
  const { ID, Name, Description, Datacenters, Hash, CreateIndex, ModifyIndex } = policy
  const where = Datacenters.length > 0 ? { Datacenters } : {}
  return { ID, Name, Description, ...where, Hash, CreateIndex, ModifyIndex, ...shownScope(policy) }
}

export const shownPolicy = (policy: AclPolicyRecord) => ({ ...listedPolicy(policy), Rules: policy.Rules })
