import type { EngineManifest } from '../../core/contract/engine.ts'

/** The manifest of help texts and the OpenAPI document: the facts that a kernel needs before it loads the code. */
export const HELP_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'help',
  segments: ['internal'],
  facades: {},
} satisfies EngineManifest
