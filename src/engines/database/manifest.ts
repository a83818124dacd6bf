import type { EngineManifest } from '../../core/contract/engine.ts'
import type { FacadeParts } from '../../core/contract/facade.ts'
import { type CredentialOperations, type CredentialSourceOptions, credentialSource } from './credential-source.ts'
import { DATABASE_EVENTS } from './events.ts'
import { DATABASES } from './port.ts'

/** The manifest of the database engine: the facts that a kernel needs before it loads the code. */
export const DATABASE_MANIFEST = {
  type: 'database',
  mounts: 'secret',
  events: DATABASE_EVENTS,
  ports: { databases: DATABASES },
  fresh: [{ path: 'database/', description: 'database users and their credentials' }],
  leases: true,
  plugins: true,
  facades: {
    database: {
      path: 'database/',
      shape: {
        methods: [
          'writeConnection',
          'readConnection',
          'listConnections',
          'deleteConnection',
          'resetConnection',
          'rotateRoot',
          'writeRole',
          'readRole',
          'listRoles',
          'deleteRole',
          'creds',
          'writeStaticRole',
          'readStaticRole',
          'listStaticRoles',
          'deleteStaticRole',
          'staticCreds',
          'rotateRole',
        ],
      },
      methods: (view: CredentialOperations, parts: FacadeParts) => ({
        credentialSource: (options: CredentialSourceOptions) => credentialSource(view, parts, options),
      }),
    },
  },
} satisfies EngineManifest
