/** Stores new tokens. */
import { toUtf8 } from '../../base/bytes.ts'
import { invalid } from '../../base/errors.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { lastCutoffNumber } from '../lease/cutoff.ts'
import { LEASE_RECORD, tokenLeaseKey } from '../lease/lease.ts'
import { deniedError } from '../token-authenticator.ts'
import { ancestors, MAX_ANCESTORS } from './ancestry.ts'
import { scheduleExpiry } from './revoke.ts'
import { chooseId } from './stored-id.ts'
import { ACCESSOR, accessorKey, CHILD, TOKEN } from './token.ts'
import { TOKEN_SALT } from './token-id.ts'

/** The limit for a whole record. It is low because every request with a batch token contains the whole record. */
const MAX_TOKEN_RECORD_BYTES = 32_768

/** The maximum expiry. Later times do not fit into the keys of the due index. */
const MAX_EXPIRY_MS = 999_999_999_999_999

/** When a token expires, in milliseconds since the epoch. @param ttl Seconds; 0 means never (null). */
export const expiryOf = (now: number, ttl: number): number | null =>
  ttl === 0 ? null : Math.min(now + ttl * 1000, MAX_EXPIRY_MS)

/**
 * Stores a token: its record, accessor, entry in its parent's list of children, lease and expiry. The commit checks all ancestors, so a
 * token that is revoked concurrently gets no new child.
 * @throws KernelError 403 if an ancestor is invalid, 400 if there are too many ancestors or the record is too large.
 */
export function storeToken(tx: Tx, text: string, record: TokenRecord): void {
  storeAs(tx, TOKEN_SALT.of(tx).id(text), record)
}

/** Like {@link storeToken}, for a token string that the creator chose. The string may be reused if its former token is invalid. */
export function storeChosen(tx: Tx, text: string, record: TokenRecord): void {
  const { id, chosen } = chooseId(tx, text)
  storeAs(tx, id, { ...record, chosen })
}

function storeAs(tx: Tx, id: string, record: TokenRecord): void {
  checkToken(tx, record)
  tx.put(TOKEN, id, { ...record, era: lastCutoffNumber(tx) })
  tx.put(ACCESSOR, accessorKey(TOKEN_SALT.of(tx), record), { accessor: record.accessor, token: id })
  if (record.parent !== '') tx.put(CHILD, `${record.parent}/${id}`, {})
  if (record.expires !== null) tx.put(LEASE_RECORD, tokenLeaseKey(id, record), { token: id })
  scheduleExpiry(tx, id, null, record.expires)
}

/** The checks that apply to both stored tokens and batch tokens. */
export function checkToken(tx: Tx, record: TokenRecord): void {
  if (toUtf8(JSON.stringify(record)).length > MAX_TOKEN_RECORD_BYTES)
    throw invalid(`meta: metadata, policies and names of a token must not exceed ${MAX_TOKEN_RECORD_BYTES} bytes together`)
  const chain = ancestors(tx, record.parent)
  if (!chain) throw deniedError()
  if (chain.length >= MAX_ANCESTORS) throw invalid(`parent: a token may have at most ${MAX_ANCESTORS} ancestors`)
}
