/**
 * Policies as they are stored.
 */
import type { NamespaceRecord } from '../contract/namespace.ts'
import { jsonRecord } from '../contract/record-kind.ts'
import type { Tx } from '../contract/tx.ts'
import { DEFAULT_POLICY_TEXT, hasEnded, RESPONSE_WRAPPING_POLICY_TEXT } from '../policy/index.ts'

export interface PolicyRecord {
  /** The policy as it was written. */
  readonly text: string
  /** Counts the writes since the policy was made, from 1. Absent in records of older releases, which counts as 0. */
  readonly version?: number
  /** Milliseconds since the epoch: the last write. */
  readonly modified?: number
  /** Whether the next write has to name the version that it replaces. */
  readonly cas_required?: boolean
  /** Milliseconds since the epoch: from then on there is no such policy, whether or not the record has been cleared away. */
  readonly ends?: number
}

/**
 * At `r/core/policy/<namespace uuid>/<name>`. Releases that know only format 1 have no expirations, so they must not read newer records.
 */
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

/** The stored policy of a namespace, even if it has ended. */
export const storedPolicy = (tx: Tx, namespace: NamespaceRecord, name: string): PolicyRecord | undefined =>
  tx.get(POLICY, `${namespace.uuid}/${name}`)

/** The policy that a stored record stands for now. `default` and `response-wrapping` exist without a record, too. */
export const policyOf = (stored: PolicyRecord | undefined, name: string, now: number): PolicyRecord | undefined =>
  stored && !hasEnded(stored.ends, now) ? stored : Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined

/** A namespace's policy, unless it has ended. */
export const loadPolicy = (tx: Tx, namespace: NamespaceRecord, name: string): PolicyRecord | undefined =>
  policyOf(storedPolicy(tx, namespace, name), name, tx.now)
