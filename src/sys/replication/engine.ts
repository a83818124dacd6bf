/**
 * Replication as a kernel is made with it.
 */
export type {} from './ports.ts'

import { LEASES_ELSEWHERE } from '../../core/access/lease/elsewhere.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import { awaitPeers } from './ack/await-peers.ts'
import type { ReplicationApi } from './api.ts'
import { REPLICATION, type ReplicationRules } from './center.ts'
import type { DrReplicationApi } from './dr/api.ts'
import { drOperations } from './dr/operations.ts'
import { rightsOf } from './fence/rights.ts'
import { forwarderOf } from './follow/forward.ts'
import { standingIn, standingOf } from './follow/set-standing.ts'
import { inProcessNetwork } from './in-process-network.ts'
import { ListeningPlace } from './listening-place.ts'
import { type ExportDrLostArguments, type ExportsDrLost, type ExportsLost, exportLost } from './lost/export-lost.ts'
import { Nodes } from './nodes.ts'
import { replicationOperations, replicationPathOperations } from './operations.ts'
import { REPLICATION_PORT } from './ports.ts'
import { Replication } from './replication.ts'
import { resumeJoining } from './roles/finish-joining.ts'
import { noteRestored } from './roles/restored.ts'
import { Rounds } from './rounds.ts'
import { RULES } from './rules.ts'
import { leasesElsewhere } from './serve/leases-elsewhere.ts'
import { DR, PERFORMANCE } from './state/kind.ts'
import { lastWalOf } from './status.ts'

export type { DrReplicationApi, ReplicationApi }

/** What kernels with replication show. */
export interface ReplicationFacades {
  /** Clusters that follow one primary. */
  readonly replication: ReplicationApi &
    ExportsLost & {
      /** The same object. */
      readonly performance: ReplicationApi & ExportsLost
      /** Clusters that hold all of their primary, and serve nothing until they take its place. */
      readonly dr: DrReplicationApi & ExportsDrLost
    }
}

/** Replication, below `sys/replication/`: `kernel.replication`. */
export const replication = (): EngineValue<ReplicationFacades> => replicationBy(RULES)

/**
 * {@link replication} by other rules, for simulations.
 * @internal
 */
export const replicationBy = (rules: ReplicationRules): EngineValue<ReplicationFacades> =>
  engineValue<ReplicationFacades>({
    type: 'system',
    mounts: 'system',
    keeps: 'core',
    operations: replicationPathOperations,
    due: {},
    ports: { replication: REPLICATION_PORT },
    attach: (insides) => attach(insides, rules),
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

/** Where kernels of this process reach each other that were given no other network. */
let network: ReplicationTransport | undefined

function attach(insides: Insides, rules: ReplicationRules): void {
  const { env } = insides.host
  network ??= inProcessNetwork()
  const transport = env.ports.replication ?? network
  const options = insides.options.replication ?? {}
  const nodes = new Nodes(insides.host, insides.claims.owner)
  const place = new ListeningPlace({ insides, transport, nodes, given: options.clusterAddress })
  const parts = { insides, transport, options, place, rules }
  const serving: Replication = new Replication(PERFORMANCE, { ...parts, beside: () => dr })
  const dr: Replication = new Replication(DR, { ...parts, beside: () => serving })
  REPLICATION.install(env, { performance: serving, dr })
  LEASES_ELSEWHERE.install(env, leasesElsewhere(serving))
  insides.host.forwarding.to = forwarderOf(serving)
  insides.host.standings.of = standingIn([standingOf(serving), standingOf(dr)])
  if (options.ack !== undefined && options.ack !== 'local') {
    for (const { held } of [serving, dr]) held.follow()
    insides.host.acknowledgement.awaits = awaitPeers([serving, dr], options.ack)
  }
  if (options.fence) insides.host.store.commits.right = rightsOf([serving, dr])
  insides.companions.add({ opened: () => noteRestored([dr, serving]) })
  for (const center of [serving, dr]) {
    const rounds = new Rounds(center)
    insides.companions.add({
      opened: () => center.settle(),
      sealed: () => center.end(),
      tick: { lane: 'replication', id: center.host.kind.name, run: () => resumeJoining(center).then(() => rounds.tick()) },
      stream: async (stop) => void (await Promise.all([rounds.stream(stop), rounds.reindexing(stop), rounds.keepingRight(stop)])),
      lastWal: () => lastWalOf(center),
    })
  }
}
