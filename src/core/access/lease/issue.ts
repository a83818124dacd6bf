/**
 * A new lease, in the commit of the operation that gives the secret.
 */
import { invalid } from '../../base/errors.ts'
import { base62 } from '../../base/identifiers.ts'
import type { Caller } from '../../contract/caller.ts'
import { type Leased, type LeaseWish, leaseTtl } from '../../contract/lease-terms.ts'
import { effectiveTtl } from '../../contract/mount-record.ts'
import { namespaceSuffix } from '../../contract/namespace.ts'
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { transactionOf } from '../../transaction/crossing.ts'
import { denied } from '../authority.ts'
import { ancestors } from '../token/ancestry.ts'
import { scheduleLease } from './end-lease.ts'
import { currentEra } from './ending.ts'
import { HELD, LEASE, OWNED, type SecretLease } from './lease.ts'
import { tellLease } from './revoke-lease.ts'

const RANDOM_CHARACTERS = 24

/** @throws KernelError 400 for the last use of a token, 403 where the token that asks went meanwhile. */
export function issueLease(tx: Tx, wish: LeaseWish): Leased {
  const { caller, mount, namespace, path } = tx.call
  const topology = TOPOLOGY.of(tx)
  if (!topology.holder(mount.uuid)?.engine.leases) throw new TypeError(`${mount.type}: an engine that leases says how it revokes`)
  // It goes with this request, and its leases with it: nothing is made that nobody could use.
  if (caller.kind === 'token' && caller.token.num_uses === -1) throw invalid(LAST_USE)
  const until = untilOf(caller)
  const { now } = tx
  const { ttl, warnings } = leaseTtl({ increment: 0, terms: wish, issued: now, now, until, mount: effectiveTtl(mount) })
  for (const warning of warnings) tx.warn(warning)
  const name = base62(tx.env.entropy, RANDOM_CHARACTERS)
  const key = `${namespace.uuid}/${path}/${name}`
  const owner = ownerOf(caller)
  transactionOf(tx).within(topology.corePlace(namespace), tx.call, (core) => {
    if (!ancestors(core, owner)) throw denied()
    const lease: SecretLease = {
      mount: mount.uuid,
      owner,
      issued: now,
      expires: now + ttl * 1000,
      renewed: null,
      renewable: wish.renewable,
      ttl: wish.ttl ?? 0,
      max_ttl: wish.max_ttl ?? 0,
      until,
      era: currentEra(core),
      data: { ...wish.data },
      state: 'live',
      force: false,
      due: now + ttl * 1000,
      attempts: 0,
      revokeErr: '',
    }
    core.put(LEASE, key, lease)
    core.put(HELD, `${mount.uuid}/${name}`, { lease: key })
    if (owner !== '') core.put(OWNED, `${owner}/${name}`, { lease: key })
    scheduleLease(core, key, undefined, lease.due)
    tellLease(core, 'lease.issued', key, lease)
  })
  return { lease_id: `${path}/${name}${namespaceSuffix(namespace)}`, lease_duration: ttl, renewable: wish.renewable }
}

const LAST_USE = 'Secret cannot be returned; token had one use left, so leased credentials were immediately revoked.'

/** A batch token is nowhere to end: what it takes ends with the token that made it, and by its own time. */
const ownerOf = (caller: Caller): string => {
  if (caller.kind !== 'token') return ''
  return caller.token.type === 'batch' ? caller.token.parent : caller.id
}

const untilOf = (caller: Caller): number | null =>
  caller.kind === 'token' && caller.token.type === 'batch' ? caller.token.expires : null
