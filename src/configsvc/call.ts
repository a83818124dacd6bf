/**
 * Calls of the configuration service: who asks, and where.
 */
import type { CallBase, TxOf } from '../core/contract/tx.ts'

/** The embedding application has full authority and no token. */
export interface AppCaller {
  readonly kind: 'app'
}

/** Whoever sends a request. Without a secret it is the anonymous token that counts. */
export interface TokenCaller {
  readonly kind: 'token'
  /** The SecretID that was sent; empty where none was. No code keeps or shows it but the reply about the token itself. */
  readonly secret: string
}

export interface ConfigCall extends CallBase {
  readonly caller: AppCaller | TokenCaller
  /** The namespace that the request names in its query or header; undefined where it names none. */
  readonly ns: string | undefined
  /** The label of new things that name none themselves. */
  readonly partition: string | undefined
  readonly recheck: undefined
}

/** What operations of this service may do. */
export type ConfigTx = TxOf<ConfigCall>

const CALL_ORIGIN = { mount: { path: 'configsvc/' }, namespace: { path: '' }, recheck: undefined } as const

export const callBy = (
  caller: ConfigCall['caller'],
  { ns, partition }: { readonly ns?: string | undefined; readonly partition?: string | undefined } = {},
): ConfigCall => ({ ...CALL_ORIGIN, caller, ns, partition })

/** The embedding application's own call. */
export const APP_CALL: ConfigCall = /* @__PURE__ */ Object.freeze(callBy({ kind: 'app' }))
