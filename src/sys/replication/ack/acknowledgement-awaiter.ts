/** Waits until enough secondaries have stored a commit. */
import { KernelError } from '../../../core/base/errors.ts'
import type { ParsedAcknowledgement } from '../../../core/kernel/replication-options.ts'
import type { CommittedEntry } from '../../../core/transaction/acknowledgement.ts'
import type { ReplicationContext } from '../replication-context.ts'
import type { PeerAcknowledgement } from './peer-acknowledgements.ts'

const TIMEOUT_MS = 5000

const STORED = 'the write is stored on this cluster'

/** A replication set that receives a commit, and the position of the commit in that set. */
interface CommitTarget {
  readonly context: ReplicationContext
  readonly origin: string
  readonly index: number
}

/** The secondaries that must store a commit. */
interface RequiredAcknowledgements {
  readonly targets: readonly CommitTarget[]
  readonly sync: number | readonly string[]
}

/**
 * Returns a function that waits until enough secondaries have stored a commit. Performance and DR secondaries can acknowledge replicated
 * records. Only DR secondaries receive cluster-local records. For these records, `sync` is therefore limited to the number, or the names,
 * of the DR secondaries in the set.
 *
 * @param contexts The performance replication and the DR replication of one kernel.
 */
export function acknowledgementAwaiter(
  contexts: readonly ReplicationContext[],
  { sync, timeoutMs = TIMEOUT_MS }: ParsedAcknowledgement,
) {
  return async (landed: CommittedEntry): Promise<void> => {
    const wanted = await requiredFor(contexts, sync, landed).catch((cause: unknown) => {
      throw new KernelError(
        'ERR_NOT_ACKNOWLEDGED',
        `${STORED}, but it is not known which secondaries have it, so a failover may lose it`,
        {
          details: { committed: true },
          cause,
        },
      )
    })
    if (!wanted || countMissing(wanted) === 0) return
    await waitUntilAcknowledged(wanted, timeoutMs)
  }
}

async function requiredFor(
  contexts: readonly ReplicationContext[],
  sync: RequiredAcknowledgements['sync'],
  landed: CommittedEntry,
): Promise<RequiredAcknowledgements | undefined> {
  const { entry, replicated, role } = landed
  const targets: CommitTarget[] = []
  const known: string[] = []
  for (const context of contexts) {
    const { kind } = context.host
    const { mode, origin } = kind.partOf(role)
    if (mode !== 'primary' || !(replicated || kind.sends.includes('l/'))) continue
    const relation = (await context.membership.current())?.relation
    const begun = relation?.history.find((epoch) => epoch.origin === origin)
    // This cluster has left its set, so there are no secondaries to wait for.
    if (!relation) continue
    if (!begun) throw new KernelError('ERR_READ_ONLY', 'another cluster has taken over')
    targets.push({ context, origin, index: begun.start + entry })
    if (!replicated)
      known.push(
        ...(await context.server.peers.load()).flatMap(({ id, key, until }) =>
          key !== undefined && until === undefined ? [id] : [],
        ),
      )
  }
  if (targets.length === 0) return undefined
  if (replicated) return { targets, sync }
  return { targets, sync: typeof sync === 'number' ? Math.min(sync, known.length) : sync.filter((id) => known.includes(id)) }
}

/** Returns how many acknowledgements are still missing. */
function countMissing({ targets, sync }: RequiredAcknowledgements): number {
  const has = targets.flatMap(({ context, origin, index }) =>
    context.acknowledgements.all.filter((acknowledgement) => acknowledgement.origin === origin && acknowledgement.index >= index),
  )
  if (typeof sync === 'number') return Math.max(0, sync - has.filter(({ whole }: PeerAcknowledgement) => whole).length)
  return sync.filter((id) => !has.some((acknowledgement) => acknowledgement.id === id)).length
}

/** @throws KernelError 503 after the timeout, or when the kernel closes, is sealed or is no longer the primary. */
async function waitUntilAcknowledged(wanted: RequiredAcknowledgements, timeout: number): Promise<void> {
  const { clock, env } = (wanted.targets[0] as CommitTarget).context.host
  const controller = new AbortController()
  const ends: (() => void)[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (countMissing(wanted) === 0) resolve()
      }
      const end = (why: string) => (): void => reject(notAcknowledged(wanted, why))
      for (const { context } of wanted.targets)
        ends.push(
          context.acknowledgements.onMore(look),
          context.acknowledgements.onEnd(end('the kernel was sealed or is no longer the primary')),
        )
      clock.sleep(timeout, controller.signal).then(end(`timeout after ${timeout} ms`), () => {})
      // If the kernel was closed, or acknowledgements arrived, before the listeners were registered, no listener was called.
      if (env.closing.aborted) end('the kernel is closing')()
      look()
    })
  } finally {
    for (const end of ends) end()
    controller.abort()
  }
}

function notAcknowledged(wanted: RequiredAcknowledgements, why: string): KernelError {
  const { sync } = wanted
  const all = typeof sync === 'number' ? sync : sync.length
  const acknowledged = all - countMissing(wanted)
  return new KernelError(
    'ERR_NOT_ACKNOWLEDGED',
    `${STORED}, but only ${acknowledged} of ${all} required secondaries have acknowledged it (${why}), so a failover may lose it`,
    { details: { committed: true, acknowledged, wanted: all } },
  )
}
