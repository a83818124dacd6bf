/**
 * Waiting for what was written on the primary.
 */
import type { Center } from '../center.ts'

const WAIT_MS = 2000

const LOOK_AGAIN_MS = 50

/** Whether everything up to an index is here in time. The wait fetches it, unless another kernel of the cluster does. */
export async function arrival(center: Center, index: number): Promise<boolean> {
  const { host, follower } = center
  const over = new AbortController()
  let timeIsUp = false
  const late = host.clock.sleep(WAIT_MS, over.signal).then(
    () => {
      timeIsUp = true
    },
    () => {},
  )
  const isHere = async (): Promise<boolean> => ((await host.kind.following.read(host.store)).value?.applied ?? 0) >= index
  const pull = () =>
    center
      .inTurn(async () => (await isHere()) || follower.follow(host.env.closing))
      .catch(() => host.clock.sleep(LOOK_AGAIN_MS, over.signal).catch(() => {}))
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
