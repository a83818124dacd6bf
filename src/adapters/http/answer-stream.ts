/** The body of a `Response`, produced as fast as it is read. */
import type { BudgetShare } from './memory-budget.ts'
import { ANSWER_PIECE_BYTES } from './paced-answer.ts'

export interface StreamBounds {
  /** The time in milliseconds in which the client must read each piece. */
  readonly stallTimeoutMs: number
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal
}

/** @param share Released when the stream was read to its end, was canceled or was not read in time, or when the client has disconnected. */
export function streamOf(
  bytes: Uint8Array,
  share: BudgetShare,
  { stallTimeoutMs, signal }: StreamBounds,
): ReadableStream<Uint8Array> {
  let at = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', gone)
    share.giveBack()
  }
  let fail: (reason: Error) => void
  const gone = () => {
    end()
    fail(new Error('the client has disconnected'))
  }
  const arm = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      end()
      fail(new Error('the answer was not read in time'))
    }, stallTimeoutMs)
  }
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        fail = (reason) => controller.error(reason)
        signal.addEventListener('abort', gone)
        arm()
        if (signal.aborted) gone()
      },
      pull: (controller) => {
        arm()
        controller.enqueue(bytes.subarray(at, at + ANSWER_PIECE_BYTES))
        at += ANSWER_PIECE_BYTES
        if (at < bytes.length) return
        end()
        controller.close()
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}
