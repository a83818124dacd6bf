/**
 * Whoever followed this cluster is not known to it any more.
 */
import { keyOf } from '../../../core/transaction/core-key.ts'
import type { Fence } from '../../../core/transaction/place.ts'
import { checksOf, guardOf } from '../../../core/transaction/writes.ts'
import { clearBelow } from '../state/clear-below.ts'
import type { Kind } from '../state/kind.ts'
import type { SetHost } from '../state/set-host.ts'

/** @returns False where the role is another one: whoever follows then is somebody else. */
export async function forgetPeers(host: SetHost, { peer, seen, held, inspection }: Kind, role: Fence): Promise<boolean> {
  const peers = keyOf(peer, '')
  const also = [{ op: 'del', key: guardOf(peers) } as const, ...checksOf([role])]
  for (const prefix of [peers, seen, held, inspection]) if (!(await clearBelow(host, prefix, { also }))) return false
  return true
}
