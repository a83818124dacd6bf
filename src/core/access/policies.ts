/** Stored policies. */
import type { NamespaceRecord } from '../contract/namespace.ts'
import { jsonRecord } from '../contract/record-kind.ts'
import type { Tx } from '../contract/tx.ts'
import { DEFAULT_POLICY_TEXT, hasEnded, RESPONSE_WRAPPING_POLICY_TEXT } from '../policy/index.ts'

export interface PolicyRecord {
  /** The policy as it was written. */
  readonly text: string
  /** The number of writes since the policy was created. Absent in records of older releases, which means 0. */
  readonly version?: number
  /** Milliseconds since the epoch of the last write. */
  readonly modified?: number
  /** Whether the next write must name the version that it replaces. */
  readonly cas_required?: boolean
  /** Milliseconds since the epoch: from then on the policy does not exist, even if its record was not deleted yet. */
  readonly ends?: number
}

/** At `r/core/policy/<namespace uuid>/<name>`. Format 2 has expirations, which releases that know only format 1 would ignore. */
export const POLICY = /* @__PURE__ */ jsonRecord<PolicyRecord>({
  folder: 'policy',
  format: 2,
  migrate: (old) => old as PolicyRecord,
})

export const ROOT_POLICY = 'root'
export const DEFAULT_POLICY = 'default'
export const WRAPPING_POLICY = 'response-wrapping'

/** Whether this is a wrapping token: it has the wrapping policy and no other. */
export const isWrapping = ({ policies }: { readonly policies: readonly string[] }): boolean =>
  policies.length === 1 && policies[0] === WRAPPING_POLICY

const BUILT_IN: Readonly<Record<string, PolicyRecord>> = Object.freeze({
  [DEFAULT_POLICY]: Object.freeze({ text: DEFAULT_POLICY_TEXT, version: 1 }),
  [WRAPPING_POLICY]: Object.freeze({ text: RESPONSE_WRAPPING_POLICY_TEXT, version: 1 }),
})

/** The stored policy of a namespace, even if it has expired. */
export const storedPolicy = (tx: Tx, namespace: NamespaceRecord, name: string): PolicyRecord | undefined =>
  tx.get(POLICY, `${namespace.uuid}/${name}`)

/** The policy of a stored record, unless it has expired. `default` and `response-wrapping` exist without a record. */
export const policyOf = (stored: PolicyRecord | undefined, name: string, now: number): PolicyRecord | undefined =>
  stored && !hasEnded(stored.ends, now) ? stored : Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined

/** A policy of a namespace, unless it has expired. */
export const loadPolicy = (tx: Tx, namespace: NamespaceRecord, name: string): PolicyRecord | undefined =>
  policyOf(storedPolicy(tx, namespace, name), name, tx.now)
