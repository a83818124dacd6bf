/**
 * Who asks.
 */
import type { Acl } from '../policy/index.ts'
import type { NamespaceRecord } from './namespace.ts'
import type { TokenRecord } from './token-record.ts'

/** What is asked, in the words of a policy. */
export type Capability = 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch'

/** The embedding application: its own authority, no token, asked nothing. */
export interface AppCaller {
  readonly kind: 'app'
}

/** A request to a path that needs no token. */
export interface AnonymousCaller {
  readonly kind: 'anonymous'
  /** The token that was sent all the same, unlooked at. */
  readonly text?: string | undefined
}

/** A token that is good. */
export interface TokenCaller {
  readonly kind: 'token'
  /** The token itself, for replies about itself; nothing else may keep or show it. */
  readonly text: string
  /** Its id in the store; empty for a batch token, which is not stored. */
  readonly id: string
  readonly token: TokenRecord
  readonly namespace: NamespaceRecord
  /** What its entity adds to its own policies. */
  readonly identityPolicies: readonly string[]
  readonly acl: Acl
}

export type Caller = AppCaller | AnonymousCaller | TokenCaller

export const APP: AppCaller = /* @__PURE__ */ Object.freeze({ kind: 'app' })

export const ANONYMOUS: AnonymousCaller = /* @__PURE__ */ Object.freeze({ kind: 'anonymous' })

/** Whether who asks has shown no token, and is not the application either. */
export const isStranger = ({ kind }: Caller): boolean => kind === 'anonymous'
