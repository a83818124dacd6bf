import type { Acl } from '../policy/index.ts'
import type { NamespaceRecord } from './namespace.ts'
import type { TokenRecord } from './token-record.ts'

/** A capability as policies name it. */
export type Capability = 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch'

/** The embedding application. It has full authority and no token, and nothing is checked. */
export interface AppCaller {
  readonly kind: 'app'
}

/** A request to a path that needs no token. */
export interface AnonymousCaller {
  readonly kind: 'anonymous'
  /** The token that was sent nevertheless. It is not validated. */
  readonly text?: string | undefined
}

/** A valid token. */
export interface TokenCaller {
  readonly kind: 'token'
  /** The token itself, for results about the token; no other code may keep or show it. */
  readonly text: string
  /** The token's id in the store; empty for a batch token, which has no record. */
  readonly id: string
  readonly token: TokenRecord
  readonly namespace: NamespaceRecord
  /** The policies that the token's entity adds. */
  readonly identityPolicies: readonly string[]
  readonly acl: Acl
}

export type Caller = AppCaller | AnonymousCaller | TokenCaller

export const APP: AppCaller = /* @__PURE__ */ Object.freeze({ kind: 'app' })

export const ANONYMOUS: AnonymousCaller = /* @__PURE__ */ Object.freeze({ kind: 'anonymous' })

/** Whether the caller has no token and is not the application. */
export const isAnonymous = ({ kind }: Caller): boolean => kind === 'anonymous'
