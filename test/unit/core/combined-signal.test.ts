import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { combinedSignal } from '../../../src/core/base/combined-signal.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

async function collectAllGarbage(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }
}

/** A separate function, so that only the combined signal references the deadline signal. */
const endsAfter = (ms: number, combine: (deadline: AbortSignal) => AbortSignal, end: () => void): void =>
  combine(AbortSignal.timeout(ms)).addEventListener('abort', end, { once: true })

it('a combined signal is aborted by a deadline signal to which nothing else refers', async () => {
  let isOver = false
  endsAfter(
    100,
    (deadline) => combinedSignal(deadline, new AbortController().signal),
    () => {
      isOver = true
    },
  )
  await collectAllGarbage()
  await expect.poll(() => isOver, { timeout: 60_000, interval: 5 }).toBe(true)
})
