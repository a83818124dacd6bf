/**
 * Creates a separate Immer instance, because the application can call `setAutoFreeze(false)` on the instance that all users of the library
 * share.
 */
import { freeze, Immer } from 'immer'
import { Pace, type Steps } from './steps.ts'

export const produce: Immer['produce'] = /* @__PURE__ */ new Immer({ autoFreeze: true }).produce

/** Freezes a decoded record deeply, so that an erroneous write throws and does not change the value for all readers. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  const kind = Object.getPrototypeOf(value)
  // Immer also freezes other kinds of values, but takes three times as long as this loop.
  if (kind !== Object.prototype && kind !== Array.prototype) return freeze(value, true)
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}

const FREEZE_MICROSECONDS = 0.5

/** Like {@link deepFreeze}, for large plain objects and arrays: yields to the event loop. */
export function* deepFreezeSteps<T>(value: T): Steps<T> {
  const pace = new Pace()
  const left: unknown[] = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one !== 'object' || one === null || Object.isFrozen(one)) continue
    Object.freeze(one)
    const below = Object.values(one)
    for (const inner of below) left.push(inner)
    if (pace.spend(FREEZE_MICROSECONDS * (1 + below.length))) yield
  }
  return value
}
