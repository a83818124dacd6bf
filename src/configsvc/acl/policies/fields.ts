/**
 * Policies, as they are written and shown.
 */
import { f } from '../../../core/field/fields.ts'
import { KEPT_FIELDS, PLACED_FIELDS, placeShown, REPEATED } from '../kept-fields.ts'
import type { PolicyRecord } from '../records.ts'

export const POLICY_BODY = {
  Name: f.strictText('Unique in its namespace, in any case: 1 to 128 letters, digits, "-", "_", and one "/".').default(''),
  Description: f.strictText('For people.').default(''),
  Rules: f.strictText('The rules, in HCL or JSON. None grant nothing.').default(''),
  Datacenters: f.strictTexts('Where it applies; everywhere if empty.').default([]),
  ...PLACED_FIELDS,
}

/** Clients send back what they have read. */
export const POLICY_REPEATED = [...REPEATED, 'Hash']

const LISTED = {
  ID: f.text('UUID.'),
  Name: f.text('The name, as it was spelled.'),
  Description: f.text('For people.'),
  Datacenters: f.texts('Where it applies; absent: everywhere.').optional(),
  Hash: f.text('Base64 of the hash of its content.'),
  ...KEPT_FIELDS,
}

export const POLICY_LISTED = f.records(LISTED, 'Policies without their rules, in order of their names.', { name: 'PolicyEntry' })

export const POLICY_SHOWN = f.record({ ...LISTED, Rules: f.text('The rules.') }, 'A policy.', { name: 'Policy' })

export function listedPolicy(policy: PolicyRecord) {
  const { ID, Name, Description, Datacenters, Hash, CreateIndex, ModifyIndex } = policy
  const where = Datacenters.length > 0 ? { Datacenters } : {}
  return { ID, Name, Description, ...where, Hash, CreateIndex, ModifyIndex, ...placeShown(policy) }
}

export const shownPolicy = (policy: PolicyRecord) => ({ ...listedPolicy(policy), Rules: policy.Rules })
