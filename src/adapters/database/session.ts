/**
 * One connection to a database server. The adapter creates the socket itself, because drivers cannot abort a connection while it is being
 * opened.
 */
import { MeteredSocket } from '../network/metered-socket.ts'
import { DatabaseError, databaseFailure } from './failure.ts'

export interface DatabaseSession {
  /** False after the server or driver has closed the session, and after a failure that leaves its state unknown. */
  readonly usable: boolean
  /** Ends the session as the protocol requires. */
  end(): Promise<void>
  /** Closes the socket immediately. */
  destroy(): void
}

/** The maximum time to wait for the server when a session ends. */
const CLOSE_TIMEOUT_MS = 500

/**
 * The maximum number of bytes that a server may send for one statement, or for the login. Answers to statements about users have a few
 * kilobytes, and drivers keep a whole answer in memory.
 */
export const MAX_ANSWER_BYTES = 1_048_576

export class SessionSocket {
  readonly #sockets = new Set<MeteredSocket>()

  /** Creates a socket for the driver to connect. */
  make(): MeteredSocket {
    const socket = new MeteredSocket(MAX_ANSWER_BYTES)
    // The driver reports the error to its caller. Without this listener, the error would also end the process.
    socket.on('error', () => undefined)
    this.#sockets.add(socket)
    return socket
  }

  /** Resets the byte count, so that the next answer may have {@link MAX_ANSWER_BYTES}. */
  expectAnswer(): void {
    for (const socket of this.#sockets) socket.expectAnswer()
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Closes the socket after `ended`, or after a time limit. @param ended Settles when the driver has ended the session. */
  async endAfter(ended: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS)
    })
    await Promise.race([ended.catch(() => undefined), late])
    clearTimeout(timer)
    this.destroy()
  }
}

/**
 * Runs `work`, and rejects as soon as the signal is aborted, even if the driver ignores the signal.
 * @param destroy Called on abort, to stop the work.
 * @throws DatabaseError `timeout` when the signal is aborted.
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
    // After an abort, the driver may report the closed socket before the abort listener runs. Report the abort instead.
    if (signal.aborted && !(error instanceof DatabaseError && error.reason === 'invalid')) throw databaseFailure('timeout')
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp!)
  }
}
