/**
 * Policies as they are stored.
 */
import type { NamespaceRecord } from '../contract/namespace.ts'
import { jsonRecord } from '../contract/record-kind.ts'
import type { Tx } from '../contract/tx.ts'
import { DEFAULT_POLICY_TEXT, RESPONSE_WRAPPING_POLICY_TEXT } from '../policy/index.ts'

export interface PolicyRecord {
  /** The policy as it was written. */
  readonly text: string
}

/** At `r/core/policy/<namespace uuid>/<name>`. */
export const POLICY = /* @__PURE__ */ jsonRecord<PolicyRecord>({ folder: 'policy' })

export const ROOT_POLICY = 'root'
export const DEFAULT_POLICY = 'default'
export const WRAPPING_POLICY = 'response-wrapping'

/** Whether this is a wrapping token: it has the wrapping policy and no other. */
export const isWrapping = ({ policies }: { readonly policies: readonly string[] }): boolean =>
  policies.length === 1 && policies[0] === WRAPPING_POLICY

const BUILT_IN: Readonly<Record<string, PolicyRecord>> = Object.freeze({
  [DEFAULT_POLICY]: Object.freeze({ text: DEFAULT_POLICY_TEXT }),
  [WRAPPING_POLICY]: Object.freeze({ text: RESPONSE_WRAPPING_POLICY_TEXT }),
})

/** A namespace's policy; `default` and `response-wrapping` exist without having been written. */
export function readPolicy(tx: Tx, namespace: NamespaceRecord, name: string): PolicyRecord | undefined {
  return tx.get(POLICY, `${namespace.uuid}/${name}`) ?? (Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined)
}
