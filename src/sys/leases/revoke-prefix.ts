/** POST sys/leases/revoke-prefix/:prefix, revoke-force/:prefix, and their former paths, as in Vault. */
import { LEASE_RECORD } from '../../core/access/lease/lease.ts'
import { leasesOf } from '../../core/access/lease/lease-service.ts'
import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { isPossibleKey } from '../../core/transaction/keys.ts'
import { leaseKeyspace, PREFIX, SYNC, withoutSlash } from './lease-key.ts'
import { QUEUED, queued, queuedWire } from './revoke-lease.ts'

function end(tx: Tx, given: string, sync: boolean, force: boolean): { readonly queued: true } | undefined {
  const prefix = withoutSlash(given)
  if (prefix === '') throw invalid('prefix: must not be empty')
  const keyspace = leaseKeyspace(tx)
  const { uuid } = tx.call.namespace
  // For a path that cannot contain leases no cutoff is stored, because each stored cutoff costs time in every token check.
  if (!isPossibleKey(`${keyspace.prefix(LEASE_RECORD)}${uuid}/${prefix}`)) return queued(sync)
  tx.once('revoke', () => leasesOf(tx).revokePrefix(keyspace, uuid, prefix, { sync, force }))
  return queued(sync)
}

const COMMON = { kind: 'write', verb: 'POST', sudo: true, returns: QUEUED, wire: queuedWire } as const

const PREFIX_COMMON = {
  ...COMMON,
  fields: { prefix: PREFIX, sync: SYNC },
  run: (tx: Tx, { prefix, sync }: { readonly prefix: string; readonly sync: boolean }) => end(tx, prefix, sync, false),
} as const

const FORCE_COMMON = {
  ...COMMON,
  fields: { prefix: PREFIX },
  run: (tx: Tx, { prefix }: { readonly prefix: string }) => end(tx, prefix, true, true),
} as const

/**
 * @throws KernelError 400 if the path is empty, or if too many earlier revocations by prefix have not been completed yet. `tick()`
 *   completes earlier revocations.
 * @throws KernelError 502 if engines failed to revoke leases. The leases are invalid anyway, and background work retries the revocation.
 * @example
 * // Revokes all tokens that were created at this path.
 * await kernel.leases.revokePrefix({ prefix: 'auth/token/create' })
 */
export const revokePrefix = operation({
  ...PREFIX_COMMON,
  path: '/leases/revoke-prefix/+prefix',
  aliasPaths: ['/revoke-prefix/+prefix'],
  summary:
    'Revokes all leases at a path or below it, including the leases of tokens. All of them are invalid at once, however many there are.',
})

/**
 * @throws KernelError 400 if the path is empty, or if too many earlier revocations by prefix have not been completed yet. `tick()`
 *   completes earlier revocations.
 */
export const forceRevokePrefix = operation({
  ...FORCE_COMMON,
  path: '/leases/revoke-force/+prefix',
  aliasPaths: ['/revoke-force/+prefix'],
  summary:
    'Revokes all leases at a path or below it, and deletes them even if their engine fails. Credentials that the engine could not revoke may remain valid in the outside system.',
})

export const revokePrefixOld = operation({
  ...PREFIX_COMMON,
  path: '/revoke-prefix/+prefix',
  aliasPaths: ['/leases/revoke-prefix/+prefix'],
  summary: 'The former path of leases/revoke-prefix.',
})

export const forceRevokePrefixOld = operation({
  ...FORCE_COMMON,
  path: '/revoke-force/+prefix',
  aliasPaths: ['/leases/revoke-force/+prefix'],
  summary: 'The former path of leases/revoke-force.',
})
