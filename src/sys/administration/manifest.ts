import type { EngineManifest, ManifestFacade } from '../../core/contract/engine.ts'

/** The manifest of the operations that every kernel has at `sys/`: the facts that a kernel needs before it loads the code. */
export const ADMINISTRATION_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'administration',
  segments: [
    'auth',
    'health',
    'init',
    'internal',
    'key-status',
    'leader',
    'mounts',
    'remount',
    'rotate',
    'seal',
    'seal-status',
    'step-down',
    'unseal',
    'version-history',
  ],
  facades: {},
} satisfies EngineManifest

/** `kernel.mounts`. */
export const MOUNTS_FACADE: ManifestFacade = {
  path: 'sys/',
  shape: {
    methods: [
      'readMountTuning',
      'tuneMount',
      'listMounts',
      'readMount',
      'createMount',
      'deleteMount',
      'readAuthTuning',
      'tuneAuthMethod',
      'listAuthMethods',
      'readAuthMethod',
      'createAuthMethod',
      'deleteAuthMethod',
      'moveMount',
      'readMove',
    ],
  },
}

/** The methods of `kernel.seal` that rotate the barrier key and the root key. */
export const ROTATION_FACADE: ManifestFacade = {
  path: 'sys/',
  shape: { methods: ['rotate', 'rotateRootKey', 'readKeyStatus', 'readRotationConfig', 'configureRotation'] },
}
