/**
 * Tokens as they are stored.
 *
 * A token's record lies under a keyed hash of it; the token itself is shown once and kept nowhere. Tokens are local to a cluster.
 */
import { jsonRecord, textRecord } from '../../contract/record-kind.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { TokenSalt } from './token-id.ts'

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
