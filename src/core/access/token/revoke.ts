/**
 * Revokes tokens together with all their descendants and leases, as in Vault.
 *
 * One commit marks a token as revoked. All its descendants are then invalid too, because every use of a token checks its ancestors. Jobs
 * delete the records afterwards, one generation after the other, in commits of bounded size.
 */
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { loadAll } from '../../transaction/load-all.ts'
import { endLease } from '../lease/end-lease.ts'
import { LEASE_RECORD, TOKEN_LEASES, tokenLeaseKey } from '../lease/lease.ts'
import { WRAPPING_POLICY } from '../policies.ts'
import { ancestors } from './ancestry.ts'
import { deleteTokenRecord } from './stored-id.ts'
import { ACCESSOR, accessorKey, CHILD, CUBBYHOLE, TOKEN } from './token.ts'
import { TOKEN_SALT } from './token-id.ts'

/** Prefixes of the ids of due items (scheduled background work) in the lane `revocation`. */
const EXPIRED = 'token/'

const TREE = 'tree/'

const ORPHANS = 'orphans/'

/** The maximum number of children, leases and cubbyhole entries that one commit deletes. Each child or lease takes at most six writes. */
const CHILDREN_PER_COMMIT = 16

const LEASES_PER_COMMIT = 16

const ENTRIES_PER_COMMIT = 64

/** Changes the time at which an expired token is deleted. */
export function scheduleExpiry(tx: Tx, id: string, from: number | null, to: number | null): void {
  tx.due('revocation', EXPIRED + id, { from: from ?? undefined, to: to ?? undefined })
}

/**
 * Marks a token as revoked, which also invalidates all its descendants. Does nothing if the token does not exist or is already revoked. If
 * it was revoked by {@link revokeAlone}, its children thus stay valid.
 */
export function revokeStoredToken(tx: Tx, id: string, why: TokenEnd = 'token.revoked'): void {
  const token = tx.get(TOKEN, id)
  if (token?.state !== 'live') return
  markDead(tx, id, token, 'revoked')
  reportEnd(tx, why, token)
}

type TokenEnd = 'token.revoked' | 'token.expired'

/** Publishes the event for the end of a token, except for wrapping tokens: every wrapped answer creates and ends one. */
function reportEnd(tx: Tx, why: TokenEnd, { accessor, display_name, namespace, mount, policies }: TokenRecord): void {
  if (policies.includes(WRAPPING_POLICY)) return
  const topology = TOPOLOGY.of(tx)
  const place = {
    namespace: topology.namespaces.byUuid(namespace)?.path ?? '',
    mount: topology.mounts.byId(mount)?.record.path ?? '',
  }
  tx.event(why, { accessor, display_name }, place)
}

/**
 * Marks a token as revoked, but not its children: they become tokens without a parent.
 * @returns False if the token or one of its ancestors was already invalid. In that case nothing changes, and the children are invalid too.
 */
export function revokeAlone(tx: Tx, id: string): boolean {
  const token = ancestors(tx, id)?.[0]?.record
  if (!token) return false
  markDead(tx, id, token, 'orphaning')
  reportEnd(tx, 'token.revoked', token)
  return true
}

function markDead(tx: Tx, id: string, token: TokenRecord, state: 'revoked' | 'orphaning'): void {
  scheduleExpiry(tx, id, token.expires, null)
  tx.delete(ACCESSOR, accessorKey(TOKEN_SALT.of(tx), token))
  tx.delete(LEASE_RECORD, tokenLeaseKey(id, token))
  if (token.parent !== '') tx.delete(CHILD, `${token.parent}/${id}`)
  tx.put(TOKEN, id, { ...token, state, expires: null, parent: '' })
  tx.due('revocation', (state === 'revoked' ? TREE : ORPHANS) + id, { to: tx.now })
}

/** Deletes the next records of a revoked token, or handles the expiry of a token. */
export function runRevocation(tx: Tx, item: string): void {
  const id = item.slice(item.indexOf('/') + 1)
  const token = tx.get(TOKEN, id)
  if (!token) return
  if (item.startsWith(EXPIRED)) {
    // If the token has not expired yet, the clock was set back. The commit removes the item from the due index, so add the item again.
    if (token.expires !== null && token.expires > tx.now) scheduleExpiry(tx, id, null, token.expires)
    else if (token.expires !== null) revokeStoredToken(tx, id, 'token.expired')
  } else if (item.startsWith(TREE)) clearTree(tx, id, token)
  else if (item.startsWith(ORPHANS)) freeChildren(tx, id, token)
}

/** Deletes all records of a revoked token: first its children, then its leases, its cubbyhole and the token's own record. */
function clearTree(tx: Tx, id: string, token: TokenRecord): void {
  const children = tx.listAbandoned(CHILD, `${id}/`, CHILDREN_PER_COMMIT)
  if (children.length > 0) {
    clearChildren(tx, id, children)
    tx.due('revocation', TREE + id, { to: tx.now })
  } else clearItself(tx, TREE + id, id, token)
}

function clearItself(tx: Tx, item: string, id: string, token: TokenRecord): void {
  if (endLeases(tx, id)) {
    tx.due('revocation', item, { to: tx.now })
    return
  }
  const entries = tx.listAbandoned(CUBBYHOLE, `${token.cubbyhole}/`, ENTRIES_PER_COMMIT)
  for (const entry of entries) tx.delete(CUBBYHOLE, `${token.cubbyhole}/${entry}`)
  if (entries.length < ENTRIES_PER_COMMIT) deleteTokenRecord(tx, id, token)
  else tx.due('revocation', item, { to: tx.now })
}

/** Ends the leases of a token. @returns Whether the token had leases. */
function endLeases(tx: Tx, id: string): boolean {
  const names = tx.listAbandoned(TOKEN_LEASES, `${id}/`, LEASES_PER_COMMIT)
  const indexed = loadAll(names, (name) => tx.get(TOKEN_LEASES, `${id}/${name}`))
  loadAll(indexed, (index) => index && tx.get(LEASE_RECORD, index.lease))
  names.forEach((name, at) => {
    const index = indexed[at]
    tx.delete(TOKEN_LEASES, `${id}/${name}`)
    if (index) endLease(tx, index.lease)
  })
  return names.length > 0
}

/** Deletes the children that have no children, leases or cubbyhole entries. Each of the other children gets a job of its own. */
function clearChildren(tx: Tx, parent: string, children: readonly string[]): void {
  const tokens = loadAll(children, (child) => tx.get(TOKEN, child))
  const busy = loadAll(children, (child) => tx.listAbandoned(CHILD, `${child}/`, 1).length > 0)
  const leases = loadAll(children, (child) => tx.listAbandoned(TOKEN_LEASES, `${child}/`, 1).length > 0)
  const keeps = loadAll(
    tokens,
    (token) => token !== undefined && tx.listAbandoned(CUBBYHOLE, `${token.cubbyhole}/`, 1).length > 0,
  )
  children.forEach((child, index) => {
    const token = tokens[index]
    if (token?.state === 'live') reportEnd(tx, 'token.revoked', token)
    if (token && (busy[index] || leases[index] || keeps[index])) {
      markDead(tx, child, token, 'revoked')
      return
    }
    tx.delete(CHILD, `${parent}/${child}`)
    if (!token) return
    scheduleExpiry(tx, child, token.expires, null)
    tx.delete(ACCESSOR, accessorKey(TOKEN_SALT.of(tx), token))
    tx.delete(LEASE_RECORD, tokenLeaseKey(child, token))
    deleteTokenRecord(tx, child, token)
  })
}

function freeChildren(tx: Tx, id: string, token: TokenRecord): void {
  const children = tx.listAbandoned(CHILD, `${id}/`, CHILDREN_PER_COMMIT)
  const tokens = loadAll(children, (child) => tx.get(TOKEN, child))
  children.forEach((child, index) => {
    const found = tokens[index]
    tx.delete(CHILD, `${id}/${child}`)
    if (found) tx.put(TOKEN, child, { ...found, parent: '' })
  })
  if (children.length > 0) tx.due('revocation', ORPHANS + id, { to: tx.now })
  else clearItself(tx, ORPHANS + id, id, token)
}
