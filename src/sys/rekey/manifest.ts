import type { EngineManifest } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { attemptKey } from '../../core/seal/attempt/records.ts'

const methods = [
  'readStatus',
  'init',
  'cancel',
  'update',
  'readVerification',
  'restartVerification',
  'verify',
  'readBackup',
  'deleteBackup',
]

/** The manifest of replacing key shares: the facts that a kernel needs before it loads the code. */
export const REKEY_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'rekey',
  attach,
  segments: ['rekey', 'rekey-recovery-key', 'rotate'],
  facades: { rekey: { path: 'sys/', shape: { methods, groups: { recovery: { methods } } } } },
} satisfies EngineManifest

/** Loads the code when a kernel is unsealed whose store has an unfinished attempt, because the attempt may have to end then. */
function attach({ keeper, host }: KernelInternals, load: () => Promise<void>): void {
  keeper.onOpen(async () => {
    const versions = await host.store.versions([attemptKey('barrier'), attemptKey('recovery')])
    if (versions.some((version) => version > 0)) await load()
  })
}
