/** Stored policies. */

import { coreRecord } from '../contract/core-record.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { Tx } from '../contract/tx.ts'
import { DEFAULT_POLICY_TEXT, RESPONSE_WRAPPING_POLICY_TEXT } from '../policy/built-in.ts'
import { hasEnded } from '../policy/validity.ts'

export interface PolicyRecord {
  /** The policy text as it was written. */
  readonly text: string
  /** The number of writes since the policy was created. */
  readonly version: number
  /** The time of the last write, in milliseconds since the epoch. Absent for built-in policies. */
  readonly modified?: number
  /** Whether the next write must name the version that it replaces. */
  readonly cas_required?: boolean
  /** The expiration in milliseconds since the epoch. After it the policy does not exist, even if its record was not deleted yet. */
  readonly ends?: number
}

/** Stored at `r/core/policy/<namespace uuid>/<name>`. */
export const POLICY = /* @__PURE__ */ coreRecord<PolicyRecord>({ folder: 'policy' })

export const ROOT_POLICY = 'root'
export const DEFAULT_POLICY = 'default'
export const WRAPPING_POLICY = 'response-wrapping'

/** Whether a token is a wrapping token: it has the wrapping policy and no other policy. */
export const isWrapping = ({ policies }: { readonly policies: readonly string[] }): boolean =>
  policies.length === 1 && policies[0] === WRAPPING_POLICY

const BUILT_IN: Readonly<Record<string, PolicyRecord>> = Object.freeze({
  [DEFAULT_POLICY]: Object.freeze({ text: DEFAULT_POLICY_TEXT, version: 1 }),
  [WRAPPING_POLICY]: Object.freeze({ text: RESPONSE_WRAPPING_POLICY_TEXT, version: 1 }),
})

/** The stored policy of a namespace, even if it has expired. */
export const storedPolicy = (tx: Tx, namespace: NamespaceRecord, name: string): PolicyRecord | undefined =>
  tx.get(POLICY, `${namespace.uuid}/${name}`)

/** The policy in a stored record, unless it has expired. The policies `default` and `response-wrapping` exist even without a record. */
export const policyOf = (stored: PolicyRecord | undefined, name: string, now: number): PolicyRecord | undefined =>
  stored && !hasEnded(stored.ends, now) ? stored : Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined

/** A policy of a namespace, unless it has expired. */
export const loadPolicy = (tx: Tx, namespace: NamespaceRecord, name: string): PolicyRecord | undefined =>
  policyOf(storedPolicy(tx, namespace, name), name, tx.now)
