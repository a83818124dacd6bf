import type { EngineManifest, ManifestFacade } from '../../core/contract/engine.ts'

/** The manifest of tokens: the facts that a kernel needs before it loads the code. */
export const TOKEN_MANIFEST = { type: 'token', mounts: 'system', keeps: 'core', facades: {} } satisfies EngineManifest

/** `kernel.tokens`. */
export const TOKENS_FACADE: ManifestFacade = {
  path: 'auth/token/',
  shape: {
    methods: [
      'createToken',
      'createOrphan',
      'createWithRole',
      'lookupToken',
      'lookupSelf',
      'lookupAccessor',
      'renewToken',
      'renewSelf',
      'renewAccessor',
      'revokeToken',
      'revokeSelf',
      'revokeAccessor',
      'revokeOrphan',
      'listAccessors',
      'tidyTokens',
      'readRole',
      'writeRole',
      'deleteRole',
      'listRoles',
    ],
  },
}
