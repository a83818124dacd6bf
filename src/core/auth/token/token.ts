/**
 * Tokens as they are stored. Room: core/auth. Imported by auth and the token operations.
 *
 * A token's record lies under a keyed hash of it; the token itself is shown once and kept nowhere. Tokens are local to a cluster.
 */
import { jsonRecord, textRecord } from '../../transaction/record-kind.ts'
import type { TokenSalt } from './token-id.ts'

export interface TokenRecord {
  readonly type: 'service' | 'batch'
  /** Empty for batch tokens. With the namespace's suffix. */
  readonly accessor: string
  /** The uuid of the namespace that made it: its policies are of that one. */
  readonly namespace: string
  /** Trimmed, lower case, sorted, each once. */
  readonly policies: readonly string[]
  /** The request that made it, below the namespace. */
  readonly path: string
  readonly meta: Readonly<Record<string, string>> | null
  readonly display_name: string
  /** What is left; 0 is without limit, -1 used up. */
  readonly num_uses: number
  /** Milliseconds. */
  readonly created: number
  /** Milliseconds; null never. */
  readonly expires: number | null
  /** Seconds: what it was given when it was made. */
  readonly creation_ttl: number
  /** Seconds: what it was last given, by its making or by a renewal. */
  readonly last_ttl: number
  /** Milliseconds of the last renewal; null without one. */
  readonly renewed: number | null
  readonly renewable: boolean
  /** Seconds; 0 none. */
  readonly explicit_max_ttl: number
  /** Seconds; 0 none. */
  readonly period: number
  /** The id of the token it dies with; empty for an orphan. */
  readonly parent: string
  /** The name of the token role that made it, or empty. */
  readonly role: string
  /** The id of its entity, or empty. */
  readonly entity: string
  readonly bound_cidrs: readonly string[]
  /** Names its cubbyhole; empty for batch tokens. */
  readonly cubbyhole: string
  /** The uuid of the auth mount that made it: it dies with that. */
  readonly mount: string
  /**
   * `revoked`: dead, and all it made with it, though their records are still there. `orphaning`: dead alone; its children are being made
   * orphans.
   */
  readonly state: 'live' | 'revoked' | 'orphaning'
  /** Of a token that a login made: what its auth method needs for a renewal. */
  readonly login?: Readonly<Record<string, string>>
  /** The number of the last ending that had begun when it was stored: later ones are about it. Absent is 0. */
  readonly era?: number
  /** Of a token that its maker chose: the key of its {@link CHOSEN}. */
  readonly chosen?: string
}

/** At `l/core/token/<id>`. */
export const TOKEN = /* @__PURE__ */ jsonRecord<TokenRecord>({ class: 'l', folder: 'token' })

export interface AccessorRecord {
  readonly accessor: string
  /** The id of its token. */
  readonly token: string
}

/** At `l/core/accessor/<namespace uuid>/<keyed hash of the accessor>`. */
export const ACCESSOR = /* @__PURE__ */ jsonRecord<AccessorRecord>({ class: 'l', folder: 'accessor' })

export const accessorKey = (salt: TokenSalt, { namespace, accessor }: Pick<TokenRecord, 'namespace' | 'accessor'>): string =>
  `${namespace}/${salt.id(accessor)}`

export interface ChosenToken {
  /** The id of the token. */
  readonly token: string
}

/**
 * At `l/core/chosen-token/<keyed hash of the token>`: what a token that its maker chose is stored under. That is another id each time the
 * same token is made, so that nothing of a former one comes alive again.
 */
export const CHOSEN = /* @__PURE__ */ jsonRecord<ChosenToken>({ class: 'l', folder: 'chosen-token' })

/** At `l/core/child/<id of the parent>/<id of the child>`: what a revocation walks. */
export const CHILD = /* @__PURE__ */ jsonRecord<Record<never, never>>({ class: 'l', folder: 'child' })

/** What tokens keep for themselves, as JSON texts: `l/core/cubbyhole/<name of the cubbyhole>/<path>`. */
export const CUBBYHOLE = /* @__PURE__ */ textRecord({ class: 'l', folder: 'cubbyhole' })

/** Whether a token's own record says that it may be used at `now`; its parents have a say too. */
export const isAlive = ({ state, num_uses, expires }: TokenRecord, now: number): boolean =>
  state === 'live' && num_uses !== -1 && (expires === null || now < expires)

/** Trimmed, lower case, sorted, each once; `root` among others is `root` alone. */
export function normalizePolicies(names: readonly string[]): readonly string[] {
  const all = new Set(names.map((name) => name.trim().toLowerCase()).filter((name) => name !== ''))
  return all.has('root') ? ['root'] : [...all].sort()
}
