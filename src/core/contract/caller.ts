import type { Acl } from '../policy/index.ts'
import type { NamespaceRecord } from './namespace.ts'
import type { TokenRecord } from './token-record.ts'

/** A capability, by its name in policies. */
export type Capability = 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch'

/** The embedding application. It has full authority and no token, and no policy is checked. */
export interface AppCaller {
  readonly kind: 'app'
}

/** The caller of a path that requires no token. */
export interface AnonymousCaller {
  readonly kind: 'anonymous'
  /** The token that the request contains although the path requires none. The token is not validated. */
  readonly text?: string | undefined
}

/** A valid token. */
export interface TokenCaller {
  readonly kind: 'token'
  /** The token string. Only results that contain the token may use it; it must not be stored or revealed elsewhere. */
  readonly text: string
  /** The token's id in the store; empty for a batch token, which has no record. */
  readonly id: string
  readonly token: TokenRecord
  readonly namespace: NamespaceRecord
  /** The policies that the token's entity adds to the policies of the token. */
  readonly identityPolicies: readonly string[]
  readonly acl: Acl
}

export type Caller = AppCaller | AnonymousCaller | TokenCaller

export const APP: AppCaller = /* @__PURE__ */ Object.freeze({ kind: 'app' })

export const ANONYMOUS: AnonymousCaller = /* @__PURE__ */ Object.freeze({ kind: 'anonymous' })

/** Whether the caller has no token and is not the application. */
export const isAnonymous = ({ kind }: Caller): boolean => kind === 'anonymous'
