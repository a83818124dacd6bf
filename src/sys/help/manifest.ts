import type { EngineManifest } from '../../core/contract/engine-manifest.ts'

/** What a kernel knows about help texts before their code is loaded. */
export const HELP_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'help',
  segments: ['internal'],
  facades: {},
} satisfies EngineManifest
