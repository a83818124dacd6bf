import type { EngineManifest } from '../../core/contract/engine.ts'
import { SYNC_EVENTS } from './events.ts'
import { SYNC_PORT } from './ports.ts'

/** The manifest of secret sync: the facts that a kernel needs before it loads the code. */
export const SYNC_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'sync',
  events: SYNC_EVENTS,
  ports: { sync: SYNC_PORT },
  segments: ['sync'],
  facades: {
    sync: {
      path: 'sys/',
      shape: {
        methods: [
          'writeCloudASm',
          'writeCloudBKv',
          'writeCloudCSm',
          'writeRepohost',
          'writeWebhostProject',
          'readDestination',
          'listDestinations',
          'listDestinationsOfType',
          'deleteDestination',
          'readAssociations',
          'setAssociation',
          'removeAssociation',
          'listAssociations',
          'readSecretDestinations',
          'reconcile',
        ],
        generators: ['reconcilePages'],
      },
    },
  },
} satisfies EngineManifest
