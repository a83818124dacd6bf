/**
 * Stored tokens.
 *
 * A token's record is stored under a keyed hash of the token. The token itself is shown once and not stored. Tokens are local to a cluster.
 */
import { foldName } from '../../base/fold-name.ts'
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
 * At `l/core/chosen-token/<keyed hash of the text>`: the id of a token whose text its creator chose. Each use of the same text has a
 * different id, so that nothing of a former token becomes valid again.
 */
export const CHOSEN = /* @__PURE__ */ jsonRecord<ChosenToken>({ class: 'l', folder: 'chosen-token' })

/** At `l/core/child/<parent id>/<child id>`: the tree that a revocation follows. */
export const CHILD = /* @__PURE__ */ jsonRecord<Record<never, never>>({ class: 'l', folder: 'child' })

/** At `l/core/cubbyhole/<cubbyhole id>/<path>`: the private data of tokens, as JSON texts. */
export const CUBBYHOLE = /* @__PURE__ */ textRecord({ class: 'l', folder: 'cubbyhole' })

/** Whether a token's own record allows its use now. Its ancestors are not checked. */
export const isAlive = ({ state, num_uses, expires }: TokenRecord, now: number): boolean =>
  state === 'live' && num_uses !== -1 && (expires === null || now < expires)

/** Trimmed, lower case, sorted, without duplicates. If `root` is among them, it is the only one. */
export function normalizePolicies(names: readonly string[]): readonly string[] {
  const all = new Set(names.map((name) => foldName(name.trim())).filter((name) => name !== ''))
  return all.has('root') ? ['root'] : [...all].sort()
}
