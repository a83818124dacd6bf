import type { EngineManifest } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { ROLE_KEY } from '../../core/log/role.ts'
import { RESTORED_KEY } from '../../core/storage/restored-key.ts'
import { REPLICATION_PORT } from './ports.ts'

/** The methods of both kinds of replication. */
const OF_BOTH = [
  'readStatus',
  'enablePrimary',
  'demotePrimary',
  'disablePrimary',
  'createSecondaryToken',
  'revokeSecondary',
  'generatePublicKey',
  'enableSecondary',
  'promote',
  'disableSecondary',
  'updatePrimary',
  'readLostWrites',
  'forgetLostWrites',
  'reindex',
  'merkleCheck',
]

/** The manifest of replication: the facts that a kernel needs before it loads the code. */
export const REPLICATION_MANIFEST = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  part: 'replication',
  needs: ['policies', 'leases', 'namespaces', 'wrapping'],
  ports: { replication: REPLICATION_PORT },
  segments: ['replication'],
  attach,
  facades: {
    replication: {
      path: 'sys/',
      shape: {
        methods: [
          ...OF_BOTH,
          'status',
          'writePathsFilter',
          'readPathsFilter',
          'deletePathsFilter',
          'readDynamicFilter',
          'readOwnDynamicFilter',
          'stopReindex',
          'stopMerkleCheck',
        ],
        generators: ['exportLost'],
        groups: { performance: 'self', dr: { methods: OF_BOTH, generators: ['exportLost'] } },
      },
    },
  },
} satisfies EngineManifest

/**
 * Loads replication as soon as the store has, or gets, a role in a set of clusters, or was restored from a backup. All requests that begin
 * after another process has changed the role wait for it.
 */
function attach({ host, gate, options, backgroundServices }: KernelInternals, load: () => Promise<void>): void {
  const { store, env, freshness } = host
  const isConfigured = options.replication !== undefined || env.ports.replication !== undefined
  const loadIfNeeded = async (): Promise<void> => {
    const { mode, dr } = store.commits.role
    if (isConfigured || mode !== 'disabled' || (dr && dr.mode !== 'disabled')) await load()
  }
  backgroundServices.add({
    opened: async () => {
      const [restored] = await store.versions([RESTORED_KEY])
      await (restored ? load() : loadIfNeeded())
    },
  })
  freshness.reactions.onKey(ROLE_KEY, async () => {
    if (gate.state === 'open') await loadIfNeeded()
  })
  host.cache.onChange(({ keys }) => {
    if (gate.state === 'open' && keys?.includes(ROLE_KEY)) void gate.track(load().catch(() => {}))
  })
}
