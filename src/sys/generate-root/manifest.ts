import type { EngineManifest } from '../../core/contract/engine-manifest.ts'

const ATTEMPT = ['readStatus', 'init', 'cancel', 'update']

/** What a kernel knows about the creation of tokens with key shares before its code is loaded. */
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
