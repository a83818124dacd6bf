import type { ReplicationContext } from '../replication-context.ts'

const MAX_WAIT_MS = 2000

const RETRY_MS = 50

/**
 * Waits until everything up to an index has arrived, for a limited time. The wait itself fetches records, unless another kernel of the
 * cluster does. Returns false after the timeout.
 */
export async function waitForIndex(context: ReplicationContext, index: number): Promise<boolean> {
  const { host, follower } = context
  const over = new AbortController()
  let timeIsUp = false
  const late = host.clock.sleep(MAX_WAIT_MS, over.signal).then(
    () => {
      timeIsUp = true
    },
    () => {},
  )
  const isHere = async (): Promise<boolean> => ((await host.kind.replicaProgress.read(host.store)).value?.applied ?? 0) >= index
  const pull = () =>
    context
      .inTurn(async () => (await isHere()) || follower.follow(host.env.closing))
      .catch(() => host.clock.sleep(RETRY_MS, over.signal).catch(() => {}))
  try {
    while (!timeIsUp) {
      if (await isHere()) return true
      await Promise.race([pull(), late])
    }
    return await isHere()
  } finally {
    over.abort()
  }
}
