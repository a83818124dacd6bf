/**
 * Stores a new token.
 */
import { toUtf8 } from '../../base/bytes.ts'
import { invalid } from '../../base/errors.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { lastCutoffNumber } from '../lease/cutoff.ts'
import { LEASE, tokenLeaseKey } from '../lease/lease.ts'
import { deniedError } from '../token-authenticator.ts'
import { ancestors, MAX_ANCESTORS } from './ancestry.ts'
import { scheduleExpiry } from './revoke.ts'
import { chooseId } from './stored-id.ts'
import { ACCESSOR, accessorKey, CHILD, TOKEN } from './token.ts'
import { TOKEN_SALT } from './token-id.ts'

/** Metadata, policies and names together: the record of a batch token travels with every request. */
const MAX_TOKEN_RECORD_BYTES = 32_768

/** Later expiry times do not fit the due index. */
const MAX_EXPIRY_MS = 999_999_999_999_999

/** @param ttl Seconds; 0 means for ever. */
export const expiryOf = (now: number, ttl: number): number | null =>
  ttl === 0 ? null : Math.min(now + ttl * 1000, MAX_EXPIRY_MS)

/**
 * Stores a token with the text `text`: its record, its accessor, its place below its parent, its lease, its expiry. The commit depends on
 * all its ancestors, so that a token revoked meanwhile gets no child.
 * @throws KernelError 403 where an ancestor is dead, 400 where there are too many or the record is too large.
 */
export function storeToken(tx: Tx, text: string, record: TokenRecord): void {
  storeAs(tx, TOKEN_SALT.of(tx).id(text), record)
}

/** The same for a token whose text its maker chose. The text may have been used before, if that token is dead. */
export function storeChosen(tx: Tx, text: string, record: TokenRecord): void {
  const { id, chosen } = chooseId(tx, text)
  storeAs(tx, id, { ...record, chosen })
}

function storeAs(tx: Tx, id: string, record: TokenRecord): void {
  checkToken(tx, record)
  tx.put(TOKEN, id, { ...record, era: lastCutoffNumber(tx) })
  tx.put(ACCESSOR, accessorKey(TOKEN_SALT.of(tx), record), { accessor: record.accessor, token: id })
  if (record.parent !== '') tx.put(CHILD, `${record.parent}/${id}`, {})
  if (record.expires !== null) tx.put(LEASE, tokenLeaseKey(id, record), { token: id })
  scheduleExpiry(tx, id, null, record.expires)
}

/** Checks that also apply to batch tokens, which are not stored. */
export function checkToken(tx: Tx, record: TokenRecord): void {
  if (toUtf8(JSON.stringify(record)).length > MAX_TOKEN_RECORD_BYTES)
    throw invalid(`meta: metadata, policies and names of a token come to at most ${MAX_TOKEN_RECORD_BYTES} bytes`)
  const chain = ancestors(tx, record.parent)
  if (!chain) throw deniedError()
  if (chain.length >= MAX_ANCESTORS) throw invalid(`a token has at most ${MAX_ANCESTORS} ancestors`)
}
