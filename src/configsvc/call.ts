/** The caller of an operation of the configuration service, with the namespace and partition of the request. */
import type { CallBase, TxOf } from '../core/contract/tx.ts'

/** The embedding application, which has full authority and needs no token. */
export interface ConfigAppCaller {
  readonly kind: 'app'
}

/** The sender of a request. Without a secret, the request has the permissions of the anonymous token. */
export interface ConfigTokenCaller {
  readonly kind: 'token'
  /**
   * The SecretID of the request; empty for the anonymous token. It is never stored, and only a response about the token itself may show it.
   */
  readonly secret: string
}

export interface ConfigCall extends CallBase {
  readonly caller: ConfigAppCaller | ConfigTokenCaller
  /** The namespace in the query or header of the request; undefined if absent. */
  readonly ns: string | undefined
  /** The partition label for new records, unless the request body names another one. */
  readonly partition: string | undefined
  readonly recheck: undefined
  /** The record ids of the secrets that this request has hashed, keyed by secret. Undefined for calls that are not requests. */
  readonly tokenIds?: Map<string, string>
}

/** The transaction of an operation of this service. */
export type ConfigTx = TxOf<ConfigCall>

const CALL_ORIGIN = { mount: { path: 'configsvc/' }, namespace: { path: '' }, recheck: undefined } as const

export const callBy = (
  caller: ConfigCall['caller'],
  { ns, partition }: { readonly ns?: string | undefined; readonly partition?: string | undefined } = {},
): ConfigCall => ({ ...CALL_ORIGIN, caller, ns, partition })

/** A call of the embedding application. */
export const APP_CALL: ConfigCall = /* @__PURE__ */ Object.freeze(callBy({ kind: 'app' }))
