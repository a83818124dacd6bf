import { readOptions } from '../core/base/options.ts'
import { kernelCaller } from './kernel-caller.ts'
import type { Caller, KernelParty, MigrationParty, ServerParty } from './party.ts'
import { serverCaller } from './server-caller.ts'

const KERNEL_NAMES = { kernel: 1, token: 1, namespace: 1, headerPrefix: 1 } as const
const SERVER_NAMES = { address: 1, token: 1, namespace: 1, headerPrefix: 1, fetch: 1 } as const

/**
 * @param side `the source` or `the target`, for messages.
 * @throws TypeError for a value that is neither a kernel nor a server.
 */
export async function openParty(side: string, party: MigrationParty, signal: AbortSignal): Promise<Caller> {
  if (typeof party !== 'object' || party === null) throw new TypeError('migrate: from and to must be kernels or servers')
  if ('handle' in party) return kernelCaller(side, { kernel: party }, signal)
  if ('kernel' in party) return kernelCaller(side, readOptions('migrate', party, KERNEL_NAMES) as KernelParty, signal)
  return serverCaller(side, readOptions('migrate', party, SERVER_NAMES) as ServerParty, signal)
}
