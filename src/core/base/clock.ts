/**
 * Time as a port. Below the composition root, this is the only file that reads the system clock or sets a timer.
 */
import { pause } from '#platform/pause'
import { KernelError } from './errors.ts'

/** Whether this turn of the event loop has no time left for further long work, so that such work should pause before it begins. */
export { isTurnSpent } from '#platform/pause'

/** The source of the kernel's time. In tests, use a fake clock (`fakeClock()` in `strongroom/testing`). */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /**
   * Resolves after `ms` milliseconds of this clock's time. With 0, it resolves in a later turn of the event loop without any time passing;
   * long work uses this to yield to other work. Rejects with `signal.reason` as soon as `signal` is aborted, and then keeps no timer. With
   * `unref`, the timer does not keep the process alive; a clock may ignore this option.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly unref?: boolean }): Promise<void>
}

/** The system clock. Its timers keep the process alive only while they are awaited. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep(ms, signal, options) {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (ms <= 0) return pause()
    return new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      // Browsers have no `unref`.
      if (options?.unref) (timer as { unref?: () => void }).unref?.()
      signal?.addEventListener('abort', abort, { once: true })
    })
  },
}

/** The maximum distance of a `Date` from the epoch, in milliseconds. */
const MAX_DATE_MS = 8.64e15

/**
 * Wraps a clock so that its times are finite numbers within the range of dates. With an invalid time such as NaN, every comparison would be
 * false, so that, for example, a token would never expire. With this wrapper, code that reads an invalid time fails before it reads, writes
 * or deletes anything.
 * @returns A clock whose `now` throws a KernelError with status 503 if `clock.now()` fails or returns an invalid time.
 */
export function checkedClock(clock: Clock): Clock {
  if (clock === systemClock) return clock
  return {
    now() {
      let time: unknown
      try {
        time = clock.now()
      } catch (cause) {
        throw new KernelError('ERR_UNAVAILABLE', 'clock: now() failed', { cause })
      }
      if (typeof time === 'number' && time >= -MAX_DATE_MS && time <= MAX_DATE_MS) return time
      throw new KernelError('ERR_UNAVAILABLE', 'clock: now() must be a finite number of milliseconds since 1970')
    },
    sleep: (ms, signal, options) => clock.sleep(ms, signal, options),
  }
}

/** Formats milliseconds since the epoch as an RFC 3339 string in UTC. Does not read the clock. */
export const rfc3339 = (ms: number): string => new Date(ms).toISOString()

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/

/**
 * Parses an RFC 3339 string. Returns milliseconds since the epoch, truncated to the millisecond; undefined for any other string. Does not
 * read the clock.
 */
export function parseRfc3339(text: string): number | undefined {
  const parts = RFC3339.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = parts
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -60_000 : 60_000)
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3))
  return date.getTime() + (Number(hour) * 3600 + Number(minute) * 60 + Number(second)) * 1000 + ms - zone
}
