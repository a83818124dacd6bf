/**
 * Replication as a kernel is made with it.
 */
import { LEASES_ELSEWHERE } from '../../core/access/lease/elsewhere.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import type { ReplicationApi } from './api.ts'
import { REPLICATION } from './center.ts'
import { forwarderOf } from './follow/forward.ts'
import { standingOf } from './follow/set-standing.ts'
import { inProcessNetwork } from './in-process-network.ts'
import { replicationOperations, replicationPathOperations } from './operations.ts'
import { REPLICATION_PORT } from './ports.ts'
import { Replication } from './replication.ts'
import { resumeJoining } from './roles/finish-joining.ts'
import { noteRestored } from './roles/restored.ts'
import { handlersOf } from './serve/handlers.ts'
import { leasesElsewhere } from './serve/leases-elsewhere.ts'
import { lastWalOf } from './status.ts'

export type { ReplicationApi }

/** What kernels with replication show. */
export interface ReplicationFacades {
  /** Clusters that follow one primary. */
  readonly replication: ReplicationApi & {
    /** The same object. */
    readonly performance: ReplicationApi
  }
}

/** Replication, below `sys/replication/`: `kernel.replication`. */
export const replication = (): EngineValue<ReplicationFacades> =>
  engineValue<ReplicationFacades>({
    type: 'system',
    mounts: 'system',
    keeps: 'core',
    operations: replicationPathOperations,
    due: {},
    ports: { replication: REPLICATION_PORT },
    attach,
    facades: {
      replication: {
        path: 'sys/',
        operations: replicationOperations,
        methods: (view) => ({ performance: view }),
      },
    },
  })

/** Where kernels of this process reach each other that were given no other network. */
let network: ReplicationTransport | undefined

function attach(insides: Insides): void {
  const { env } = insides.host
  network ??= inProcessNetwork()
  const center = new Replication(insides, env.ports.replication ?? network, insides.options.replication ?? {}, handlersOf)
  REPLICATION.install(env, center)
  LEASES_ELSEWHERE.install(env, leasesElsewhere(center))
  insides.host.forwarding.to = forwarderOf(center)
  insides.host.standings.of = standingOf(center)
  insides.companions.add({
    opened: () => noteRestored(center).then(() => center.settle()),
    sealed: () => center.end(),
    tick: { lane: 'replication', id: 'performance', run: () => resumeJoining(center).then(() => center.tick()) },
    stream: (stop) => center.stream(stop),
    lastWal: () => lastWalOf(center),
  })
}
