/**
 * Stored tokens.
 *
 * A token's record is stored under a keyed hash of the token. The token is returned once and not stored. Tokens are local to a cluster.
 */
import { foldName } from '../../base/fold-name.ts'
import { coreRecord, coreText } from '../../contract/core-record.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { TokenSalt } from './token-id.ts'

/** Stored at `l/core/token/<id>`. */
export const TOKEN = /* @__PURE__ */ coreRecord<TokenRecord>({ class: 'l', folder: 'token' })

interface AccessorRecord {
  readonly accessor: string
  /** The id of the token that has this accessor. */
  readonly token: string
}

/** Stored at `l/core/accessor/<namespace uuid>/<keyed hash of the accessor>`. */
export const ACCESSOR = /* @__PURE__ */ coreRecord<AccessorRecord>({ class: 'l', folder: 'accessor' })

export const accessorKey = (salt: TokenSalt, { namespace, accessor }: Pick<TokenRecord, 'namespace' | 'accessor'>): string =>
  `${namespace}/${salt.id(accessor)}`

interface ChosenToken {
  /** The id of the token. */
  readonly token: string
}

/**
 * Stored at `l/core/chosen-token/<keyed hash of the token string>`: the id of a token whose string its creator chose. A later token with
 * the same string gets another id, so the children, leases and cubbyhole of the former token do not become valid again.
 */
export const CHOSEN = /* @__PURE__ */ coreRecord<ChosenToken>({ class: 'l', folder: 'chosen-token' })

/** Stored at `l/core/child/<parent id>/<child id>`: the children of each token. A revocation follows these records to all descendants. */
export const CHILD = /* @__PURE__ */ coreRecord<Record<never, never>>({ class: 'l', folder: 'child' })

/** Stored at `l/core/cubbyhole/<cubbyhole id>/<path>`: the private data of tokens, as JSON strings. */
export const CUBBYHOLE = /* @__PURE__ */ coreText({ class: 'l', folder: 'cubbyhole' })

/** Whether the token's own record allows the token to be used now. Does not check its ancestors. */
export const isAlive = ({ state, num_uses, expires }: TokenRecord, now: number): boolean =>
  state === 'live' && num_uses !== -1 && (expires === null || now < expires)

/** Returns the names trimmed, in lower case, sorted and without duplicates. If `root` is among them, the result is only `root`. */
export function normalizePolicies(names: readonly string[]): readonly string[] {
  const all = new Set(names.map((name) => foldName(name.trim())).filter((name) => name !== ''))
  return all.has('root') ? ['root'] : [...all].sort()
}
