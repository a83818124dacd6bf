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

/** What a kernel knows about replacing key shares before its code is loaded. */
export const REKEY_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'rekey',
  segments: ['rekey', 'rekey-recovery-key', 'rotate'],
  facades: { rekey: { path: 'sys/', shape: { methods, groups: { recovery: { methods } } } } },
} satisfies EngineManifest
