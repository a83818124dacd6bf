import type { EngineManifest } from '../../core/contract/engine-manifest.ts'

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
  segments: ['rekey', 'rekey-recovery-key', 'rotate'],
  facades: { rekey: { path: 'sys/', shape: { methods, groups: { recovery: { methods } } } } },
} satisfies EngineManifest
