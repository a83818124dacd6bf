/**
 * Whoever followed this cluster is not known to it any more.
 */
import { ROLE_KEY } from '../../../core/log/role.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import { guardOf } from '../../../core/transaction/writes.ts'
import { clearBelow } from '../state/clear-below.ts'
import type { Kind } from '../state/kind.ts'
import type { SetHost } from '../state/set-host.ts'

/** @returns False where the role is another one than that of this version: whoever follows then is somebody else. */
export async function forgetPeers(host: SetHost, { peer, seen, held, inspection }: Kind, role: number): Promise<boolean> {
  const peers = keyOf(peer, '')
  const also = [{ op: 'del', key: guardOf(peers) } as const, { op: 'check', key: ROLE_KEY, expect: role } as const]
  for (const prefix of [peers, seen, held, inspection]) if (!(await clearBelow(host, prefix, { also }))) return false
  return true
}
