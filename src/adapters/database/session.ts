/**
 * One connection to a server, over a socket of ours: drivers have no way to give up a connection that is still being made.
 */
import { MeteredSocket } from '../network/metered-socket.ts'
import { DatabaseError, databaseFailure } from './failure.ts'

export interface DatabaseSession {
  /** False from when the server or the driver has ended it, and after a failure that leaves it in doubt. */
  readonly usable: boolean
  /** Says good-bye. */
  end(): Promise<void>
  /** Closes the socket at once. */
  destroy(): void
}

/** How long a server may take to answer a good-bye. */
const CLOSE_TIMEOUT_MS = 500

/**
 * Bytes that a server may send for one statement, or for the login. Answers to statements about users are a few kilobytes, and drivers keep all
 * of an answer in memory.
 */
export const MAX_ANSWER_BYTES = 1_048_576

export class SessionSocket {
  readonly #sockets = new Set<MeteredSocket>()

  /** What the driver connects. */
  make(): MeteredSocket {
    const socket = new MeteredSocket(MAX_ANSWER_BYTES)
    // Whoever uses the connection hears of it as well.
    socket.on('error', () => undefined)
    this.#sockets.add(socket)
    return socket
  }

  /** The next statement may be answered by {@link MAX_ANSWER_BYTES} again. */
  expectAnswer(): void {
    for (const socket of this.#sockets) socket.expectAnswer()
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** @param farewell Resolves when the server has heard it. */
  async endAfter(farewell: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)
    })
    await Promise.race([farewell.catch(() => undefined), late])
    clearTimeout(timer)
    this.destroy()
  }
}

/**
 * Ends the work by its signal, whatever the driver does.
 * @throws DatabaseError `timeout` once the signal is aborted.
 */
export async function untilAborted<T>(signal: AbortSignal, destroy: () => void, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw databaseFailure('timeout')
  let giveUp: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    giveUp = () => {
      destroy()
      reject(databaseFailure('timeout'))
    }
    signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([work(), aborted])
  } catch (error) {
    // The driver may have noticed the closed socket before anything else did.
    if (signal.aborted && !(error instanceof DatabaseError && error.reason === 'invalid')) throw databaseFailure('timeout')
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp!)
  }
}
