import type { ReplicationContext } from '../replication-context.ts'

const MAX_WAIT_MS = 2000

const RETRY_MS = 50

/**
 * Waits until this cluster has applied all records up to an index, for at most `MAX_WAIT_MS`. Meanwhile this kernel fetches records from the
 * primary, unless another kernel of the cluster does. Returns false after the timeout.
 */
export async function waitForIndex(context: ReplicationContext, index: number): Promise<boolean> {
  const { host, follower } = context
  const controller = new AbortController()
  let timedOut = false
  const timeout = host.clock.sleep(MAX_WAIT_MS, controller.signal).then(
    () => {
      timedOut = true
    },
    () => {},
  )
  const isHere = async (): Promise<boolean> => ((await host.kind.replicaProgress.read(host.store)).value?.applied ?? 0) >= index
  const pull = () =>
    context
      .inTurn(async () => (await isHere()) || follower.follow(host.env.closing))
      .catch(() => host.clock.sleep(RETRY_MS, controller.signal).catch(() => {}))
  try {
    while (!timedOut) {
      if (await isHere()) return true
      await Promise.race([pull(), timeout])
    }
    return await isHere()
  } finally {
    controller.abort()
  }
}
