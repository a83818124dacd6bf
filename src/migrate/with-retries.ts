import { systemClock } from '../core/base/clock.ts'
import { ItemChanged } from './item.ts'
import { MigrationError } from './migration-error.ts'

const MAX_ATTEMPTS = 5
const FIRST_DELAY_MS = 250

/**
 * Repeats work that failed for a reason that may pass, up to four times, such as a kept connection that the server closed at that moment.
 * @param work Reads only, or compares both sides before it writes.
 */
export async function withRetries<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const mayPass = error instanceof ItemChanged || (error instanceof MigrationError && error.isTemporary)
      if (!mayPass || signal.aborted || attempt === MAX_ATTEMPTS) throw error
      await systemClock.sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), signal)
    }
  }
}
