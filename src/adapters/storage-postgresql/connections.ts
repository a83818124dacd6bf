/** Connections to the server. No call uses a connection for longer than its time limit. */
import { type PgPoolClient, type Row, rowsOf } from './driver.ts'
import { connectionLost, isRefused, isTransient, NoAnswerInTime } from './failures.ts'

/** A source of connections: the pool, or a connection that the storage reserves from it. */
export interface ConnectionSource {
  connect(): Promise<PgPoolClient>
  readonly ending?: boolean
}

/** The time limit of one call, retries included. */
export interface CallDeadline {
  /** Milliseconds left; never below 0. */
  left(): number
}

export function deadlineIn(ms: number): CallDeadline {
  const end = performance.now() + ms
  return { left: () => Math.max(0, end - performance.now()) }
}

/** A connection that the storage currently uses. */
export interface Session {
  readonly client: PgPoolClient
  readonly deadline: CallDeadline
  /** Without `values`, `text` may contain several statements. The result has the rows of each statement. */
  run(text: string, values?: unknown[]): Promise<readonly (readonly Row[])[]>
}

/** The first and the longest pause of the exponential backoff. */
const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 500

const pauseMs = (attempt: number): number => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2)

export const pauseBefore = (attempt: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs(attempt)))

/** Waits before the next attempt. Returns false immediately if the deadline leaves no time for another attempt. */
export async function pauseForRetry(attempt: number, deadline: CallDeadline): Promise<boolean> {
  const pause = pauseMs(attempt)
  if (deadline.left() <= pause) return false
  await new Promise((resolve) => setTimeout(resolve, pause))
  return true
}

/** @throws NoAnswerInTime with the message `what` if `work` does not finish in time. The result of `work` is then ignored. */
async function withDeadline<T>(deadline: CallDeadline, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerInTime(what)), deadline.left())
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

async function takeClient(source: ConnectionSource, deadline: CallDeadline): Promise<PgPoolClient> {
  const asked = source.connect()
  try {
    return await withDeadline(
      deadline,
      'no connection to PostgreSQL in time: the server is unreachable, or the pool is too small',
      asked,
    )
  } catch (error) {
    // A connection that arrives too late is returned to the pool immediately.
    asked.then((client) => client.release()).catch(() => undefined)
    throw error
  }
}

/**
 * Handles the `error` event of a connection. Without a listener the event would end the process; the next statement on the connection
 * reports the error anyway.
 */
const ignore = (): void => undefined

export async function openSession(source: ConnectionSource, deadline: CallDeadline): Promise<Session> {
  const client = await takeClient(source, deadline)
  client.on('error', ignore)
  return {
    client,
    deadline,
    async run(text, values) {
      const answer = values ? client.query(text, values) : client.query(text)
      return rowsOf(await withDeadline(deadline, 'PostgreSQL did not answer in time', answer))
    },
  }
}

/** An ended connection keeps its listener, because it may still emit an error. */
export function closeSession({ client }: Session, usable: boolean): void {
  if (usable) client.removeListener('error', ignore)
  client.release(!usable)
}

/** Runs `work` once. */
export async function inSession<T>(
  source: ConnectionSource,
  deadline: CallDeadline,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await openSession(source, deadline)
  let usable = false
  try {
    const result = await work(session)
    usable = true
    return result
  } catch (error) {
    usable = !connectionLost(error)
    throw error
  } finally {
    closeSession(session, usable)
  }
}

/**
 * Runs `work`, and after a transient failure runs it again in a new session, while time is left. A refused connection fails immediately.
 * Only for idempotent work.
 */
export async function withRetries<T>(
  source: ConnectionSource,
  timeoutMs: number,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const deadline = deadlineIn(timeoutMs)
  for (let attempt = 1; ; attempt++) {
    try {
      return await inSession(source, deadline, work)
    } catch (error) {
      if (!isTransient(error) || isRefused(error) || source.ending || !(await pauseForRetry(attempt, deadline))) throw error
    }
  }
}
