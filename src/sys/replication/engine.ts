/** Connects replication to the kernel. */
export type {} from './ports.ts'

import { OTHER_CLUSTER_LEASES } from '../../core/access/lease/other-clusters.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { acknowledgementAwaiter } from './ack/acknowledgement-awaiter.ts'
import { ClusterNodes } from './cluster-nodes.ts'
import type { DrReplicationApi } from './dr/generated/api.ts'
import { drOperations } from './dr/operations.ts'
import { writeLeaseOf } from './fence/write-lease.ts'
import { forwarderOf } from './follow/forward.ts'
import { firstReplicationPosition, replicationPositionOf } from './follow/replication-position.ts'
import type { ReplicationApi } from './generated/api.ts'
import { inProcessNetwork } from './in-process-network.ts'
import { LimitedTransport } from './limited-transport.ts'
import { type ExportDrLostArguments, type ExportsDrLost, type ExportsLost, exportLost } from './lost/export-lost.ts'
import { replicationOperations, replicationPathOperations } from './operations.ts'
import { REPLICATION_PORT } from './ports.ts'
import { Replication } from './replication.ts'
import { REPLICATION, type ReplicationRules } from './replication-context.ts'
import { ReplicationListener } from './replication-listener.ts'
import { ReplicationLoops } from './replication-loops.ts'
import { resumeJoining } from './roles/finish-joining.ts'
import { handleRestoredStore } from './roles/handle-restored-store.ts'
import { REPLICATION_RULES } from './rules.ts'
import { secondaryLeases } from './serve/secondary-leases.ts'
import { DR, PERFORMANCE } from './state/replication-kind.ts'
import { lagOf, lastWalOf } from './status.ts'

export type { DrReplicationApi, ReplicationApi }

/** The facades that replication adds to a kernel. */
export interface ReplicationFacades {
  /** Performance replication: secondaries that serve requests. */
  readonly replication: ReplicationApi &
    ExportsLost & {
      /** The same object as `kernel.replication`. */
      readonly performance: ReplicationApi & ExportsLost
      /** Disaster recovery replication: mirrors that answer no requests until they are promoted. */
      readonly dr: DrReplicationApi & ExportsDrLost
    }
}

/** Adds replication to a kernel: the paths below `sys/replication/`, and the facade `kernel.replication`. */
export const replication = (): EngineValue<ReplicationFacades> => replicationWithRules(REPLICATION_RULES)

/**
 * Like {@link replication}, with other rules. For simulations.
 *
 * @internal
 */
export const replicationWithRules = (rules: ReplicationRules): EngineValue<ReplicationFacades> =>
  engineValue<ReplicationFacades>({
    type: 'system',
    mounts: 'system',
    keeps: 'core',
    operations: replicationPathOperations,
    part: 'replication',
    needs: ['policies', 'leases', 'namespaces', 'wrapping'],
    due: {},
    ports: { replication: REPLICATION_PORT },
    attach: (internals) => attach(internals, rules),
    facades: {
      replication: {
        path: 'sys/',
        operations: replicationOperations,
        methods: (view: ReplicationApi, parts) => {
          const dr = parts.view(drOperations)
          return {
            performance: view,
            exportLost: () => exportLost((page) => view.readLostWrites(page)),
            dr: Object.assign(dr, {
              exportLost: (args: ExportDrLostArguments = {}) => exportLost((page) => dr.readLostWrites({ ...args, ...page })),
            }),
          }
        },
      },
    },
  })

/** The network that connects all kernels of this process for which no replication port was configured. */
let network: ReplicationTransport | undefined

function attach(internals: KernelInternals, rules: ReplicationRules): void {
  const { env, clock } = internals.host
  network ??= inProcessNetwork()
  const configured = env.ports.replication
  const transport = configured
    ? new LimitedTransport(configured, { clock, deadline: env.deadline, closing: env.closing })
    : network
  const options = internals.options.replication ?? {}
  const nodes = new ClusterNodes(internals.host, internals.claims.owner)
  const listener = new ReplicationListener({ internals, transport, nodes, configuredAddress: options.clusterAddress })
  const parts = { internals, transport, options, listener: listener, rules }
  const serving: Replication = new Replication(PERFORMANCE, { ...parts, otherKind: () => dr })
  const dr: Replication = new Replication(DR, { ...parts, otherKind: () => serving })
  REPLICATION.install(env, { performance: serving, dr })
  OTHER_CLUSTER_LEASES.install(env, secondaryLeases(serving))
  internals.host.forwarding.forwarder = forwarderOf(serving)
  internals.host.replicationPosition.source = firstReplicationPosition([
    replicationPositionOf(serving),
    replicationPositionOf(dr),
  ])
  if (options.ack !== undefined && options.ack !== 'local') {
    for (const { acknowledgements } of [serving, dr]) acknowledgements.follow()
    internals.host.acknowledgement.wait = acknowledgementAwaiter([serving, dr], options.ack)
  }
  if (options.fence) internals.host.store.commits.writeLease = writeLeaseOf([serving, dr])
  internals.backgroundServices.add({ opened: () => handleRestoredStore([dr, serving]) })
  for (const context of [serving, dr]) {
    const rounds = new ReplicationLoops(context)
    internals.backgroundServices.add({
      opened: () => context.applyRole(),
      sealed: () => context.end(),
      tick: { lane: 'replication', id: context.host.kind.name, run: () => resumeJoining(context).then(() => rounds.tick()) },
      stream: async (stop) =>
        void (await Promise.all([rounds.stream(stop), rounds.continueReindex(stop), rounds.keepWriteLease(stop)])),
      lastWal: () => lastWalOf(context),
      lag: () => lagOf(context),
    })
  }
}
