import type { EngineManifest } from '../../core/contract/engine.ts'
import { CLOUD_EVENTS } from './events.ts'
import { CLOUD } from './port.ts'

/** The manifest of the cloud engine: the facts that a kernel needs before it loads the code. */
export const CLOUD_MANIFEST = {
  type: 'cloud',
  aliases: ['aws'],
  mounts: 'secret',
  events: CLOUD_EVENTS,
  ports: { cloud: CLOUD },
  fresh: [{ path: 'cloud/', description: 'cloud credentials' }],
  leases: true,
  facades: {
    cloud: {
      path: 'cloud/',
      shape: {
        methods: [
          'configureRoot',
          'readRoot',
          'rotateRoot',
          'configureLease',
          'readLease',
          'writeRole',
          'readRole',
          'listRoles',
          'deleteRole',
          'creds',
          'sts',
          'writeStaticRole',
          'readStaticRole',
          'deleteStaticRole',
          'staticCreds',
        ],
      },
    },
  },
} satisfies EngineManifest
