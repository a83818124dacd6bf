/** Creates a lease in the same commit as the operation that returns the secret. */
import { invalid } from '../../base/errors.ts'
import { base62 } from '../../base/identifiers.ts'
import type { Caller } from '../../contract/caller.ts'
import { type Leased, type LeasePreview, type LeaseRequest, type LeaseTerms, leaseTtl } from '../../contract/lease-terms.ts'
import { effectiveTtl } from '../../contract/mount-record.ts'
import { namespaceSuffix } from '../../contract/namespace.ts'
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { transactionOf } from '../../transaction/transaction-of.ts'
import { ancestors } from '../token/ancestry.ts'
import { deniedError } from '../token-authenticator.ts'
import { lastCutoffNumber } from './cutoff.ts'
import { scheduleLease } from './end-lease.ts'
import { LEASE_RECORD, MOUNT_LEASES, type SecretLease, TOKEN_LEASES } from './lease.ts'
import { reportLease } from './revoke-lease.ts'

const RANDOM_CHARACTERS = 24

/**
 * @throws KernelError 400 if this is the last use of the caller's token, or if the secret has already expired; 403 if the token was revoked
 * in the meantime.
 */
export function issueLease(tx: Tx, wish: LeaseRequest): Leased {
  const { mount, namespace, path, caller } = tx.call
  const { now } = tx
  const granted = previewTerms(tx, wish)
  for (const warning of granted.warnings) tx.warn(warning)
  const ttl = wish.ends === undefined ? granted.ttl : Math.min(granted.ttl, Math.floor((wish.ends - now) / 1000))
  if (ttl <= 0) throw invalid('the secret expired before it could be returned; retry')
  const name = base62(tx.env.entropy, RANDOM_CHARACTERS)
  const key = `${namespace.uuid}/${path}/${name}`
  const owner = ownerOf(caller)
  inCoreKeyspace(tx, (core) => {
    if (!ancestors(core, owner)) throw deniedError()
    const lease: SecretLease = {
      mount: mount.uuid,
      owner,
      issued: now,
      expires: now + ttl * 1000,
      renewed: null,
      renewable: wish.renewable,
      ttl: wish.ttl ?? 0,
      max_ttl: wish.max_ttl ?? 0,
      until: untilOf(caller),
      era: lastCutoffNumber(core),
      data: { ...wish.data },
      state: 'live',
      force: false,
      due: now + ttl * 1000,
      attempts: 0,
      revokeErr: '',
    }
    core.put(LEASE_RECORD, key, lease)
    core.put(MOUNT_LEASES, `${mount.uuid}/${name}`, { lease: key })
    if (owner !== '') core.put(TOKEN_LEASES, `${owner}/${name}`, { lease: key })
    scheduleLease(core, key, undefined, lease.due)
    reportLease(core, 'lease.issued', key, lease)
  })
  return { lease_id: `${path}/${name}${namespaceSuffix(namespace)}`, lease_duration: ttl, renewable: wish.renewable }
}

/** Returns the TTL that {@link issueLease} would grant now, without creating a lease. Throws the same errors. */
export function previewLease(tx: Tx, terms: LeaseTerms): LeasePreview {
  const granted = previewTerms(tx, terms)
  inCoreKeyspace(tx, (core) => {
    if (!ancestors(core, ownerOf(tx.call.caller))) throw deniedError()
  })
  return granted
}

function previewTerms(tx: Tx, terms: LeaseTerms): LeasePreview {
  const { caller, mount } = tx.call
  if (!TOPOLOGY.of(tx).holder(mount.uuid)?.engine.leases)
    throw new TypeError(`${mount.type}: an engine that calls tx.lease must declare leases`)
  // Leases end with their token. If this request is the last use of the token, a new lease would be revoked immediately, so refuse it.
  if (caller.kind === 'token' && caller.token.num_uses === -1) throw invalid(LAST_USE)
  const { now } = tx
  return leaseTtl({ increment: 0, terms, issued: now, now, until: untilOf(caller), mount: effectiveTtl(mount) })
}

/** Runs `body` on the kernel's own records. */
const inCoreKeyspace = (tx: Tx, body: (core: Tx) => void): void =>
  transactionOf(tx).within(TOPOLOGY.of(tx).coreKeyspace(tx.call.namespace), tx.call, body)

const LAST_USE = 'Secret cannot be returned; token had one use left, so leased credentials were immediately revoked.'

/**
 * Returns the id of the token with which the lease ends; empty if the lease only expires. A batch token cannot be revoked, so its leases
 * end with its parent token or when they expire.
 */
const ownerOf = (caller: Caller): string => {
  if (caller.kind !== 'token') return ''
  return caller.token.type === 'batch' ? caller.token.parent : caller.id
}

const untilOf = (caller: Caller): number | null =>
  caller.kind === 'token' && caller.token.type === 'batch' ? caller.token.expires : null
