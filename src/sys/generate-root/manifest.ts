import type { EngineManifest } from '../../core/contract/engine.ts'

const ATTEMPT = ['readStatus', 'init', 'cancel', 'update']

/** The manifest of the creation of tokens with key shares: the facts that a kernel needs before it loads the code. */
export const GENERATE_ROOT_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'generateRoot',
  segments: ['generate-root', 'decode-token', 'replication'],
  facades: {
    generateRoot: { path: 'sys/', shape: { methods: [...ATTEMPT, 'decodeToken'] } },
    generateOperationToken: { path: 'sys/', shape: { methods: [...ATTEMPT, 'deleteToken'] } },
  },
} satisfies EngineManifest
